// Sections of the panel that fold. Their heading is a button of class `fold`, and its aria-expanded is
// the whole state: the style sheet hides what stands below a heading that says "false".

/** Folds and unfolds on a click of any heading in `side`, also of one that is made later. */
export function listenToFolds(side) {
  side.addEventListener("click", ({ target }) => {
    const heading = target.closest("button.fold");
    if (heading) heading.setAttribute("aria-expanded", String(heading.getAttribute("aria-expanded") !== "true"));
  });
}
