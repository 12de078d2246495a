"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const cards = Array.from(document.querySelectorAll(".finding"));
  const words = new Map();

  const flat = (text) => text.toLowerCase().replace(/\s+/g, " ");

  function wordsOf(card) {
    if (!words.has(card)) words.set(card, flat(card.textContent));
    return words.get(card);
  }

  function chosen(name) {
    const boxes = form.querySelectorAll(`input[name="${name}"]:checked`);
    return new Set(Array.from(boxes, (box) => box.value));
  }

  function apply() {
    const wanted = ["kind", "severity", "action"].map((name) => [name, chosen(name)]);
    const search = flat(form.elements.search.value).trim();
    let count = 0;
    for (const card of cards) {
      const fits =
        wanted.every(([name, values]) => !values.size || values.has(card.dataset[name])) &&
        (!search || wordsOf(card).includes(search));
      if (card.hidden === fits) card.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count.toLocaleString("en")} of ${cards.length.toLocaleString("en")} shown`;
    nothing.hidden = count > 0 || cards.length === 0;
  }

  let waiting;
  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (event.target.name === "search") waiting = setTimeout(apply, 150);
    else apply();
  });
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
