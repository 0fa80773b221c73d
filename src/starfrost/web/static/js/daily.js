// The daily game: share a result through the device, where it can.

const show = () => {
  for (const button of document.querySelectorAll("[data-send]")) button.hidden = !navigator.share;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-send]");
  if (button) navigator.share?.({ text: button.dataset.send, url: button.dataset.link }).catch(() => {});
});

show();
