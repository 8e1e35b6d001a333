// How elements of the page are made: text goes in as text, whatever the names hold.

export function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A button of a list: what it is about at the left, a figure at the right. */
export function linkButton(what, when, choose) {
  const button = element("button");
  button.type = "button";
  button.append(element("span", what, "what"), element("span", when, "when"));
  button.addEventListener("click", choose);
  return button;
}
