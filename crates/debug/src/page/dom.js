// Elements, made in one expression.
//
// Texts become text nodes, never markup, so a label of the debugged program cannot become code. A list that
// is made anew keeps the focus: the element with the same `data-key` gets it back.

const SVG = "http://www.w3.org/2000/svg";

// element("button", { type: "button", class: "move", onclick: f }, "P0")
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The same for the elements of a drawing.
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Puts new children into an element; the focus stays where it was.
export function refill(parent, ...children) {
  const active = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = active?.dataset.key;
  parent.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  if (active && key) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// A button with a name for screen readers, and a key that the page knows it by.
export function button(key, label, name, action, attributes = {}) {
  return element(
    "button",
    { type: "button", "data-key": key, "aria-label": name, title: name, onclick: action, ...attributes },
    label,
  );
}

// One letter of the keyboard, as it is printed beside a control.
export function keycap(key) {
  return element("kbd", { "aria-hidden": "true" }, key);
}

// The classes that are wanted: classes("event", isCurrent && "current").
export function classes(...names) {
  return names.filter(Boolean).join(" ");
}

// "1 state", "2 states".
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
