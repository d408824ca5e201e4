// How a temporal step is searched: the options of Gunter and Peled's section 5.

import { element } from "./dom.js";

const MODES = [
  ["minimal", "minimal", "No proper prefix satisfies the formula"],
  ["maximal", "maximal", "No proper extension within the limit satisfies the formula"],
  ["every-end", "every end", "Each state where some satisfying sequence ends"],
];
const ORDERS = [
  ["breadth-first", "breadth first"],
  ["depth-first", "depth first"],
  ["memoryless", "memoryless"],
];
const PATHS = [
  ["subset", "some paths"],
  ["all", "all paths"],
];

export class Options {
  constructor(root, session, commands) {
    this.root = root;
    this.session = session;
    this.modes = new Map();
    const modes = MODES.map(([value, label, meaning]) => {
      const input = element("input", {
        type: "radio",
        name: "mode",
        value,
        onchange: () => this.choose({ mode: value }),
      });
      this.modes.set(value, input);
      return element("label", { title: meaning }, input, element("span", {}, label));
    });
    this.order = select("Order of the search", ORDERS, (order) => this.choose({ order }));
    this.paths = select("Paths", PATHS, (paths) => this.choose({ paths }));
    this.limit = element("input", {
      type: "number",
      min: 1,
      max: 1000000,
      class: "limit",
      "aria-label": "Longest step, in moves",
      onchange: () => this.choose({ limit: Math.max(1, Math.min(1000000, Number(this.limit.value) || 1)) }),
    });
    this.sameEnd = checkbox(
      "same end",
      "A step may end in the same state as an alternative before it",
      (is) => this.choose({ "same-end": is }),
    );
    this.sameSequence = checkbox(
      "same states",
      "A step may have the same sequence of states as an alternative before it",
      (is) => this.choose({ "same-sequence": is }),
    );
    this.back = element(
      "span",
      { class: "looking-back" },
      tool("judge", "v", "Judge the formula at every state of the run", () =>
        commands.watch(session.formula),
      ),
      tool("last time", "l", "The last state before here where the formula holds", () =>
        commands.lastState(session.formula),
      ),
      tool("no return", "n", "The first state from which every run meets the formula", () =>
        commands.noReturn(session.formula),
      ),
    );
    root.append(
      element(
        "fieldset",
        { class: "segments" },
        element("legend", { class: "sr" }, "Which satisfying sequences"),
        modes,
      ),
      this.order,
      this.paths,
      element("label", { class: "plain" }, "at most ", this.limit, " moves"),
      this.sameEnd.label,
      this.sameSequence.label,
      element("span", { class: "spring" }),
      this.back,
    );
    session.subscribe(() => this.show());
    this.show();
  }

  // The properties of the file, to be taken into the formula bar.
  addProperties(take) {
    this.properties = element("select", {
      "aria-label": "Property of the file, to be taken into the formula bar",
      title: "A property of the file as the formula",
      hidden: true,
      onchange: () => {
        take(this.properties.value);
        this.properties.value = "";
      },
    });
    this.root.insertBefore(this.properties, this.back);
  }

  showProperties(program) {
    if (!this.properties || this.program === program) return;
    this.program = program;
    const items = (program?.properties ?? []).map(({ name, formula }) =>
      element("option", { value: formula }, name),
    );
    this.properties.hidden = items.length === 0;
    this.properties.replaceChildren(element("option", { value: "" }, "properties …"), ...items);
  }

  choose(fields) {
    const isModeChosen = this.session.isModeChosen || "mode" in fields;
    this.session.set({ options: { ...this.session.options, ...fields }, isModeChosen });
  }

  nextMode() {
    this.choose({ mode: following(MODES, this.session.options.mode) });
  }

  nextOrder() {
    this.choose({ order: following(ORDERS, this.session.options.order) });
  }

  flip(option) {
    this.choose({ [option]: !this.session.options[option] });
  }

  nextPaths() {
    this.choose({ paths: following(PATHS, this.session.options.paths) });
  }

  show() {
    const { options, program } = this.session;
    this.showProperties(program);
    this.modes.get(options.mode).checked = true;
    this.order.value = options.order;
    this.paths.value = options.paths;
    if (document.activeElement !== this.limit) this.limit.value = options.limit;
    this.sameEnd.input.checked = options["same-end"];
    this.sameSequence.input.checked = options["same-sequence"];
  }
}

function following(choices, value) {
  const index = choices.findIndex(([choice]) => choice === value);
  return choices[(index + 1) % choices.length][0];
}

function select(name, choices, onchoice) {
  const items = choices.map(([value, label]) => element("option", { value }, label));
  const made = element(
    "select",
    { "aria-label": name, title: name, onchange: () => onchoice(made.value) },
    items,
  );
  return made;
}

function checkbox(text, meaning, onchoice) {
  const input = element("input", { type: "checkbox", onchange: () => onchoice(input.checked) });
  return {
    input,
    label: element("label", { class: "plain", title: meaning }, input, element("span", {}, text)),
  };
}

function tool(text, key, meaning, action) {
  return element(
    "button",
    { type: "button", class: "quiet", title: `${meaning} (${key})`, "aria-label": meaning, onclick: action },
    text,
  );
}
