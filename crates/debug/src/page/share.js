// The menu of the session: shared as a file, as one page, as the run alone; and its end.

import { element, refill } from "./dom.js";

const CHOICES = [
  ["session", "Session file", "open it again with selvedge debug"],
  ["html", "One page", "a single HTML file, without a server"],
  ["json", "Run as JSON", "states and moves as data"],
  ["svg", "Run as SVG", "a picture"],
  ["dot", "Run as DOT", "for Graphviz"],
];
const END = ["quit", "End the session", "the command or test that serves this page goes on"];
const KINDS = {
  session: "application/json",
  html: "text/html",
  json: "application/json",
  svg: "image/svg+xml",
  dot: "text/vnd.graphviz",
  rust: "text/x-rust",
};

export class ShareMenu {
  constructor(opener, session, commands, link) {
    Object.assign(this, { opener, session, commands, link });
    this.menu = element("div", { class: "menu", role: "menu", "aria-label": "Session", hidden: true });
    opener.after(this.menu);
    opener.addEventListener("click", () => (this.menu.hidden ? this.open() : this.close()));
    this.menu.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.menu.contains(event.target) && event.target !== opener) this.close();
    });
  }

  open() {
    const isRust = this.session.program?.kind === "rust";
    const rust = [["rust", "Rust test", "a #[test] with its recording"]];
    const choices = [...CHOICES, ...(isRust ? rust : []), ...(this.link.isLive ? [END] : [])];
    refill(
      this.menu,
      choices.map(([format, name, meaning]) =>
        element(
          "button",
          {
            type: "button",
            role: "menuitem",
            "aria-label": name,
            "data-key": format,
            onclick: () => (format === "quit" ? this.quit() : this.save(format)),
          },
          element("strong", {}, name),
          element("span", { class: "dim" }, meaning),
        ),
      ),
    );
    this.menu.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.menu.firstElementChild.focus();
  }

  close() {
    if (this.menu.hidden) return;
    const hadFocus = this.menu.contains(document.activeElement);
    this.menu.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
    if (hadFocus) this.opener.focus();
  }

  key(event) {
    const items = [...this.menu.children];
    const index = items.indexOf(document.activeElement);
    const moves = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 };
    if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key in moves) items[(moves[event.key] + items.length) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async quit() {
    this.close();
    this.commands.hear(await this.link.send({ command: "quit" }));
  }

  async save(format) {
    this.close();
    const reply = await this.link.send({ command: "export", format });
    if (reply.message !== "exported") {
      this.session.set({ notice: { kind: "error", text: reply.text ?? "it cannot be exported" } });
      return;
    }
    const address = URL.createObjectURL(new Blob([reply.text], { type: KINDS[format] ?? "text/plain" }));
    element("a", { href: address, download: reply.name }).click();
    URL.revokeObjectURL(address);
    this.session.set({ notice: { kind: "said", text: `Saved as ${reply.name}.` } });
  }
}
