// The list of keys, in a dialog.

import { element, refill } from "./dom.js";
import { KEYS } from "./keys.js";

export function showHelp(dialog) {
  const rows = KEYS.map(([keys, meaning]) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        keys.split(" ").map((key) => element("kbd", {}, key)),
      ),
      element("td", {}, meaning),
    ),
  );
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  refill(
    dialog,
    element("h2", {}, "Keys"),
    element("table", { class: "keys" }, element("tbody", {}, rows)),
    element("h2", {}, "How it works"),
    element(
      "p",
      {},
      "A temporal step is a finite sequence of states from here that satisfies a formula. ",
      "Steps are kept on a stack: backtrack for another way, remove the last one, go on from its end.",
    ),
    element(
      "p",
      {},
      element("code", {}, "F p"),
      " p at some state · ",
      element("code", {}, "G p"),
      " p at every state · ",
      element("code", {}, "p U q"),
      " p until q · ",
      element("code", {}, "X p"),
      " there is a next state, with p · ",
      element("code", {}, "! & | ->"),
      " as usual.",
    ),
    close,
  );
  dialog.showModal();
  close.focus();
}
