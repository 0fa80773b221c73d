// Dice that leave the reserve fly to where they go; the rest of the motion is CSS.

// Remembers where the dice lie; the answer moves those that are gone.
export function watchReserve(main) {
  const count = (kind) => Number(main.querySelector(`#place-${kind} .count`)?.textContent ?? 0);
  const dice = [...main.querySelectorAll(".reserve .sd")].map((die) => ({ die, box: die.getBoundingClientRect(), key: `${die.dataset.colour}${die.dataset.face}` }));
  const before = { bag: count("bag"), pile: count("pile") };
  return (now, calm) => {
    if (!dice.length || calm) return;
    const left = [...now.querySelectorAll(".reserve .sd:not(.fresh)")].map((die) => `${die.dataset.colour}${die.dataset.face}`);
    const after = { bag: Number(now.querySelector("#place-bag .count")?.textContent ?? 0), pile: Number(now.querySelector("#place-pile .count")?.textContent ?? 0) };
    const goal = now.querySelector(after.pile > before.pile ? "#place-pile" : "#place-bag")?.getBoundingClientRect();
    if (!goal) return;
    for (const { die, box, key } of dice) {
      const at = left.indexOf(key);
      if (at >= 0) {
        left.splice(at, 1);
        continue;
      }
      const ghost = die.cloneNode(true);
      ghost.removeAttribute("id");
      ghost.classList.remove("fresh");
      ghost.classList.add("ghost");
      Object.assign(ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
      document.body.append(ghost);
      const x = goal.left + goal.width / 2 - box.left - box.width / 2;
      const y = goal.top + goal.height / 2 - box.top - box.height / 2;
      ghost.animate([{ transform: "none", opacity: 1 }, { transform: `translate(${x * 0.5}px, ${y * 0.5 - 40}px) rotate(140deg)`, opacity: 1, offset: 0.55 }, { transform: `translate(${x}px, ${y}px) rotate(260deg) scale(.35)`, opacity: 0.2 }], { duration: 620, easing: "cubic-bezier(.3,.7,.3,1)" }).finished.finally(() => ghost.remove());
    }
  };
}
