// The formula bar: what is to be true of the next step.
//
// The text is written into a plain input. Behind it lies the same text, transparent, with wavy lines below
// the places that diagnostics name, so the browser keeps everything that an input can do. Below it is a
// list of completions, as the ARIA practices have a combobox: arrows choose, Tab or Enter takes over,
// Escape closes, Enter without a choice runs the formula.

import { toBytes, toUnits } from "./bytes.js";
import { button, element, keycap, refill } from "./dom.js";

const MAX_ITEMS = 12;
const MAX_HISTORY = 100;

export class FormulaBar {
  constructor(root, session, commands, link) {
    Object.assign(this, {
      session,
      commands,
      link,
      items: [],
      range: [0, 0],
      active: -1,
      diagnostics: [],
      history: [],
      recalled: -1,
    });
    this.input = element("input", {
      id: "formula",
      type: "text",
      role: "combobox",
      "aria-label": "Formula of the next temporal step",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      placeholder: "F (P0 at m2 & P1 at n1)",
      "aria-controls": "completions",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-describedby": "diagnostics",
      oninput: () => this.changed(),
      onkeydown: (event) => this.key(event),
      onscroll: () => this.scrolled(),
      onblur: () => this.close(),
      onclick: () => this.ask(),
    });
    this.behind = element("div", { class: "behind", "aria-hidden": "true" });
    this.list = element("ul", {
      id: "completions",
      class: "completions",
      role: "listbox",
      "aria-label": "Completions",
      hidden: true,
    });
    this.complaints = element("div", { id: "diagnostics", class: "complaints", role: "status" });
    this.runButton = button("run", "Run", "Search a step that satisfies the formula", () => this.run(), {
      class: "primary",
    });
    const group = element("div", { class: "formula" }, this.behind, this.input, this.list);
    root.append(
      element("label", { class: "sr", for: "formula" }, "Formula"),
      group,
      this.runButton,
      button("backtrack", ["Backtrack ", keycap("b")], "Backtrack: another way", () => commands.backtrack()),
      button("remove", ["Remove ", keycap("⌫")], "Remove the last step", () => commands.remove()),
      button("clear", ["Clear ", keycap("c")], "Clear the stack", () => commands.clear()),
      this.complaints,
    );
    session.subscribe(() => this.show());
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  // Puts a proposition where the cursor is, with blanks around it.
  insert(text) {
    const { input } = this;
    const start = input.selectionStart ?? input.value.length;
    const before = input.value.slice(0, start);
    const after = input.value.slice(input.selectionEnd ?? start);
    const left = before && !/[\s(!]$/.test(before) ? `${before} ` : before;
    const right = after && !/^[\s)]/.test(after) ? ` ${after}` : after;
    input.value = left + text + right;
    const cursor = left.length + text.length;
    input.focus();
    input.setSelectionRange(cursor, cursor);
    this.changed();
  }

  replace(text) {
    this.input.value = text;
    this.changed();
    this.close();
  }

  async run() {
    if (this.session.isBusy) return this.commands.cancel();
    this.close();
    const text = this.input.value.trim();
    if (text && this.history.at(-1) !== text) this.history.push(text);
    if (this.history.length > MAX_HISTORY) this.history.shift();
    this.recalled = -1;
    // The mode that suits the formula is known with its diagnostics.
    await this.validation;
    const reply = await this.commands.step(text);
    // The next formula gets the mode that suits it.
    this.session.set({ isModeChosen: false });
    // The keys of the page work again, unless the formula has to be put right.
    if (reply?.message === "snapshot" && document.activeElement === this.input) this.input.blur();
    return reply;
  }

  changed() {
    const formula = this.input.value;
    this.session.set({ formula, isModeChosen: formula ? this.session.isModeChosen : false });
    this.diagnostics = [];
    this.showDiagnostics();
    this.active = -1;
    this.list.setAttribute("aria-busy", "true");
    this.validation = this.validate();
    this.ask();
  }

  // What is wrong with the text as it stands. An answer about an older text is dropped.
  async validate() {
    const formula = this.input.value;
    if (!formula.trim()) return;
    const reply = await this.link.send({ command: "validate", formula });
    if (reply.message !== "diagnostics" || this.input.value !== formula) return;
    this.diagnostics = reply.diagnostics;
    this.showDiagnostics();
    if (
      reply.is_valid &&
      reply.suggests &&
      !this.session.isModeChosen &&
      this.session.options.mode !== reply.suggests
    ) {
      this.session.set({ options: { ...this.session.options, mode: reply.suggests } });
    }
  }

  async ask() {
    const formula = this.input.value;
    const offset = toBytes(formula, this.input.selectionStart ?? formula.length);
    const reply = await this.link.send({ command: "complete", formula, offset });
    if (
      reply.message !== "completions" ||
      this.input.value !== formula ||
      document.activeElement !== this.input
    )
      return;
    this.range = [toUnits(formula, reply.start), toUnits(formula, reply.end)];
    this.items = reply.items.slice(0, MAX_ITEMS);
    // The list is for this text; another text has no list until its own comes.
    this.completed = formula;
    this.active = -1;
    this.showItems();
  }

  take(item) {
    const [start, end] = this.range;
    const { input } = this;
    input.value = input.value.slice(0, start) + item.text + input.value.slice(end);
    input.setSelectionRange(start + item.text.length, start + item.text.length);
    this.close();
    this.changed();
  }

  close() {
    this.items = [];
    this.active = -1;
    this.showItems();
  }

  key(event) {
    const isOpen = this.items.length > 0 && this.completed === this.input.value;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        event.preventDefault();
        const direction = event.key === "ArrowDown" ? 1 : -1;
        if (isOpen && !(direction < 0 && this.active < 0)) return this.choose(this.active + direction);
        return direction < 0 ? this.recall() : this.ask();
      }
      case "Tab":
        if (!isOpen || event.shiftKey) return undefined;
        event.preventDefault();
        return this.take(this.items[Math.max(0, this.active)]);
      case "Enter":
        event.preventDefault();
        if (isOpen && this.active >= 0) return this.take(this.items[this.active]);
        return this.run();
      case "Escape":
        event.preventDefault();
        if (this.session.isBusy) return this.commands.cancel();
        if (isOpen) return this.close();
        return this.input.blur();
      default:
        return undefined;
    }
  }

  choose(index) {
    this.active = Math.max(-1, Math.min(index, this.items.length - 1));
    this.showItems();
  }

  // An earlier formula.
  recall() {
    if (this.history.length === 0) return;
    this.recalled = this.recalled < 0 ? this.history.length - 1 : Math.max(0, this.recalled - 1);
    this.replace(this.history[this.recalled]);
  }

  showItems() {
    const { input, list, items, active } = this;
    list.hidden = items.length === 0;
    list.setAttribute("aria-busy", String(this.completed !== input.value));
    input.setAttribute("aria-expanded", String(items.length > 0));
    if (active >= 0) input.setAttribute("aria-activedescendant", `completion-${active}`);
    else input.removeAttribute("aria-activedescendant");
    list.replaceChildren(
      ...items.map((item, index) =>
        element(
          "li",
          {
            id: `completion-${index}`,
            role: "option",
            "aria-selected": String(index === active),
            class: item.kind,
            // The press comes before the input loses the focus and closes the list.
            onpointerdown: (event) => {
              event.preventDefault();
              this.take(item);
            },
          },
          element("span", { class: "text" }, item.text),
          element("span", { class: "kind" }, item.detail || item.kind),
        ),
      ),
    );
  }

  showDiagnostics() {
    const text = this.input.value;
    const parts = [];
    let end = 0;
    for (const diagnostic of this.diagnostics) {
      const from = Math.max(end, toUnits(text, diagnostic.start));
      const to = Math.max(from, toUnits(text, diagnostic.end));
      // An error at the end of the text is shown on a blank behind it.
      const shown = text.slice(from, to) || " ";
      parts.push(text.slice(end, from), element("span", { class: `wrong ${diagnostic.severity}` }, shown));
      end = to;
    }
    parts.push(text.slice(end));
    refill(this.behind, parts);
    this.input.setAttribute(
      "aria-invalid",
      String(this.diagnostics.some((item) => item.severity === "error")),
    );
    refill(
      this.complaints,
      this.diagnostics
        .slice(0, 3)
        .map((item) =>
          element(
            "p",
            { class: item.severity },
            `${item.message}${item.help?.length ? ` – ${item.help[0]}` : ""}`,
          ),
        ),
    );
    this.scrolled();
  }

  scrolled() {
    this.behind.scrollLeft = this.input.scrollLeft;
  }

  show() {
    const { isBusy, program } = this.session;
    this.runButton.textContent = isBusy ? "Cancel" : "Run";
    this.runButton.setAttribute(
      "aria-label",
      isBusy ? "Cancel the search" : "Search a step that satisfies the formula",
    );
    this.input.disabled = program !== null && !this.link.isLive;
    this.runButton.disabled = this.input.disabled;
  }
}
