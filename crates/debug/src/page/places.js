// Places in source files, as links that an editor opens.

import { element } from "./dom.js";

// `dekker.flow:14`, which the editor opens at that line; `:14` if the program has one file.
export function placeLink(place, { page, program }, key) {
  if (!place) return null;
  const name = `${place.file.split("/").at(-1)}:${place.line}`;
  const text = program?.sources?.length === 1 ? `:${place.line}` : name;
  const href = editorAddress(place, page);
  return href
    ? element(
        "a",
        {
          class: "place",
          href,
          "data-key": `place-${key}`,
          "aria-label": `Open ${name} in the editor`,
          title: `Open ${name} in the editor`,
        },
        text,
      )
    : element("span", { class: "place", title: name }, text);
}

function editorAddress(place, page) {
  if (!page?.editor) return null;
  const isAbsolute = place.file.startsWith("/") || /^[A-Za-z]:[\\/]/.test(place.file);
  const file = isAbsolute ? place.file : `${page.folder}/${place.file}`;
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return page.editor.replace("{file}", path).replace("{line}", String(place.line));
}
