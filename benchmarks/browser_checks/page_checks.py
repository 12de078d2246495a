"""Checks of any page, as scripts that run in it."""

from __future__ import annotations

WIDTHS = (1280, 390)
"""Pixels: a window on a desk, and a telephone."""

OVERFLOWING = """(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const unseen = "script, title, desc, .unseen, .skip";
    if (!text.data.trim() || text.parentElement.closest(unseen)) continue;
    let box = text.parentElement;
    const inline = (one) => getComputedStyle(one).display.startsWith("inline");
    if (box.closest("svg")) box = box.closest("svg");
    else while (inline(box)) box = box.parentElement;
    const edge = box.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const rect of range.getClientRects()) {
      const scrolls = box.closest(".scroll");
      const out = rect.left < edge.left - 1 || rect.right > edge.right + 1;
      const gone = !scrolls && (rect.right > innerWidth + 1 || rect.left < -1);
      if (rect.width && (out || gone)) {
        found.push(text.data.slice(0, 60));
        break;
      }
    }
    const style = getComputedStyle(box);
    const hides = style.overflowX !== "visible" || style.textOverflow === "ellipsis";
    if (!box.closest("svg, .scroll") && hides && box.scrollWidth > box.clientWidth + 1)
      found.push("hidden: " + text.data.slice(0, 60));
  }
  return found;
})()"""
"""Texts that leave the box that they stand in, or the window where no box of theirs scrolls."""

PICTURES = """Array.from(document.images).filter((one) => {
  const box = one.getBoundingClientRect();
  return !one.complete || !one.naturalWidth || box.width < 100 || box.right > innerWidth + 1 ||
    !one.alt.trim();
}).map((one) => one.alt.slice(0, 60) || "without words")"""
"""Pictures that are not there, too small, cut, or without words for who does not see them."""

TABLES = """(() => {
  const found = [];
  for (const table of document.querySelectorAll("table")) {
    const box = table.closest(".scroll"), name = table.textContent.trim().slice(0, 60);
    if (!box) { found.push("no box: " + name); continue; }
    const edge = box.getBoundingClientRect();
    if (edge.right > innerWidth + 1 || edge.left < -1) found.push("box is cut: " + name);
    box.scrollLeft = 1e6;
    const last = table.querySelector("thead th:last-child").getBoundingClientRect();
    if (last.right > edge.right + 1) found.push("last column out of reach: " + name);
    const head = table.querySelector("tbody th");
    if (head && head.getBoundingClientRect().left < edge.left - 1)
      found.push("names scroll away: " + name);
    if (head && head.getBoundingClientRect().width > 0.6 * edge.width)
      found.push("names leave no room: " + name);
    if (box.scrollWidth > box.clientWidth + 1 && box.tabIndex !== 0)
      found.push("no keyboard reaches: " + name);
    const small = (cell) => parseFloat(getComputedStyle(cell).fontSize) < 11;
    if (Array.from(table.querySelectorAll("td, th")).some(small)) found.push("small: " + name);
    box.scrollLeft = 0;
  }
  return found;
})()"""
"""Tables that somebody cannot read: cut, out of reach, or without their rows' names."""
