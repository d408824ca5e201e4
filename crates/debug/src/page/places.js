// Places in source files, as links that an editor opens.

import { element } from "./dom.js";

// `dekker.flow:14`, which the editor opens at that line.
export function placeLink(place, page) {
  if (!place) return null;
  const text = `${place.file.split("/").at(-1)}:${place.line}`;
  const href = editorAddress(place, page);
  return href
    ? element("a", { class: "place", href, "data-key": `place-${text}`, "aria-label": `Open ${text} in the editor`, title: "Open in the editor" }, text)
    : element("span", { class: "place" }, text);
}

function editorAddress(place, page) {
  if (!page?.editor) return null;
  const isAbsolute = place.file.startsWith("/") || /^[A-Za-z]:[\\/]/.test(place.file);
  const file = isAbsolute ? place.file : `${page.folder}/${place.file}`;
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return page.editor.replace("{file}", path).replace("{line}", String(place.line));
}
