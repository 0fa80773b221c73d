// A television goes on with the group to its next game.

const LINGER = 8000;

function follow() {
  const { next } = document.getElementById("main").dataset;
  if (next) setTimeout(() => location.assign(next), LINGER);
}

follow();
document.addEventListener("shown", follow);
