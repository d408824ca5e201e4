// The stack of temporal steps, a card each, the newest on top.

import { button, count, element, refill } from "./dom.js";

// Older cards are counted, not shown: a run of ten thousand simple steps has as many.
const MAX_CARDS = 40;

export class Stack {
  constructor(root, session, commands, formula) {
    Object.assign(this, { session, commands, formula });
    this.head = element("div", { class: "head" });
    this.cards = element("ol", {
      class: "cards",
      reversed: true,
      "aria-label": "Temporal steps, newest first",
    });
    root.append(this.head, this.cards);
    session.subscribe(() => this.show());
  }

  show() {
    const { snapshot } = this.session;
    if (!snapshot) return;
    const { stack } = snapshot;
    refill(
      this.head,
      element("h2", {}, "Stack"),
      element(
        "span",
        { class: "dim" },
        stack.length === 0 ? "empty" : `${count(stack.length, "step")}, ${count(snapshot.length, "move")}`,
      ),
    );
    const shown = stack
      .slice(-MAX_CARDS)
      .map((card, index) => this.card(card, Math.max(0, stack.length - MAX_CARDS) + index, stack.length));
    const hint =
      stack.length === 0 &&
      element(
        "li",
        { class: "empty" },
        "Write a formula and press Enter: a run that satisfies it becomes the first step.",
      );
    const rest =
      stack.length > MAX_CARDS &&
      element("li", { class: "empty" }, `${stack.length - MAX_CARDS} older steps`);
    refill(this.cards, shown.reverse(), rest, hint);
  }

  card(card, index, total) {
    const { session, commands, formula } = this;
    const isTop = index === total - 1;
    const { position } = session.snapshot;
    const isHere = position >= card.from && position <= card.to;
    const facts = [count(card.to - card.from, "move")];
    if (card.options) facts.push(modeText(card.options));
    if (card.alternative > 0 && card.options)
      facts.push(`alternative ${card.alternative}${card.is_exhausted ? ", the last" : ""}`);
    return element(
      "li",
      { class: `card band-${index % 6}${isTop ? " top" : ""}${isHere ? " here" : ""}` },
      button(
        `formula-${index}`,
        element("code", {}, card.formula),
        `Write ${card.formula} into the formula bar`,
        () => formula.replace(card.formula),
        { class: "card-formula" },
      ),
      element("div", { class: "facts" }, facts.join(" · ")),
      card.cycle !== undefined &&
        element("div", { class: "facts cycle" }, `↻ for ever from state ${card.cycle}`),
      element(
        "div",
        { class: "card-tools" },
        button(`from-${index}`, `${card.from}`, `Go to its first state, ${card.from}`, () =>
          commands.look(card.from),
        ),
        element("span", { "aria-hidden": "true" }, "→"),
        button(`to-${index}`, `${card.to}`, `Go to its last state, ${card.to}`, () => commands.look(card.to)),
        isTop &&
          card.options &&
          button(
            "another",
            card.is_exhausted ? "exhausted" : "another way",
            "Backtrack: another way to satisfy this formula",
            () => commands.backtrack(),
          ),
        isTop &&
          card.options &&
          button("list", "alternatives", "List the alternatives of this step", () => commands.alternatives()),
      ),
    );
  }
}

function modeText(options) {
  const modes = { minimal: "minimal", maximal: "maximal", "every-end": "every end" };
  const orders = { "breadth-first": "breadth first", "depth-first": "depth first", memoryless: "memoryless" };
  return `${modes[options.mode] ?? ""}, ${orders[options.order] ?? ""}`;
}
