// The alternatives of the last step, aligned where they first differ.

import { button, count, element, refill } from "./dom.js";

const PAGE = 10;
// Moves of an alternative that are shown; the count says how many there are.
const MAX_MOVES = 12;

export class Alternatives {
  constructor(root, session, commands) {
    Object.assign(this, { session, commands });
    this.head = element("div", { class: "head" });
    this.list = element("ol", { class: "alternatives", "aria-label": "Alternatives of the last step" });
    root.append(this.head, this.list);
    session.subscribe(() => this.show());
  }

  show() {
    const { alternatives, snapshot } = this.session;
    if (!snapshot) return;
    const { commands } = this;
    const last = alternatives ? alternatives.first + alternatives.items.length - 1 : 0;
    refill(
      this.head,
      element("h2", {}, "Alternatives"),
      alternatives &&
        element(
          "span",
          { class: "dim" },
          alternatives.is_exhausted
            ? `${last} in all`
            : alternatives.limit
              ? `${last}; a limit stopped the search`
              : `${last} so far`,
        ),
      element("span", { class: "spring" }),
      alternatives &&
        alternatives.first > 1 &&
        button("previous", "‹", "Alternatives before these", () =>
          commands.alternatives(Math.max(1, alternatives.first - PAGE), PAGE),
        ),
      alternatives &&
        !alternatives.is_exhausted &&
        button("next", "›", "Alternatives after these", () => commands.alternatives(last + 1, PAGE)),
      !alternatives &&
        snapshot.stack.at(-1)?.options &&
        button("show", "show", "List the alternatives of the last step", () =>
          commands.alternatives(1, PAGE),
        ),
    );
    const hint = hintOf(snapshot.stack);
    refill(
      this.list,
      alternatives
        ? alternatives.items.map((item) => this.item(item, alternatives))
        : element("li", { class: "empty" }, hint),
    );
  }

  item(item, { chosen, from }) {
    const isChosen = item.alternative === chosen;
    const moves = item.moves.slice(0, MAX_MOVES).map((move) =>
      element(
        "span",
        {
          class: `step ${move.process === undefined ? "" : `p${move.process % 8}`}`,
          title: this.session.processName(move.process),
        },
        move.text,
      ),
    );
    const rest = item.length - item.common - moves.length;
    const end = (item.end ?? [])
      .slice(0, 8)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ");
    return element(
      "li",
      { class: isChosen ? "alternative chosen" : "alternative" },
      button(
        `choose-${item.alternative}`,
        `${item.alternative}`,
        isChosen ? `Alternative ${item.alternative}, chosen` : `Choose alternative ${item.alternative}`,
        () => this.commands.choose(item.alternative),
        { "aria-pressed": String(isChosen), class: "number" },
      ),
      element(
        "div",
        { class: "alternative-text" },
        element("div", { class: "facts" }, factsOf(item, isChosen, from)),
        !isChosen &&
          element(
            "div",
            { class: "steps" },
            item.common > 0 && element("span", { class: "dim" }, "… "),
            moves,
            rest > 0 && element("span", { class: "dim" }, ` and ${rest} more`),
          ),
        end && element("div", { class: "facts end" }, `ends with ${end}`),
      ),
    );
  }
}

function factsOf(item, isChosen, from) {
  const facts = [count(item.length, "move")];
  if (isChosen) facts.push("chosen");
  else if (item.common > 0) facts.push(`the first ${item.common} in common`);
  if (item.cycle !== undefined) facts.push(`for ever from state ${from + item.cycle}`);
  return facts.join(", ");
}

function hintOf(stack) {
  if (stack.length === 0) return "Other ways to satisfy the last formula appear here.";
  return stack.at(-1).options
    ? "Press a to list other ways to satisfy the last formula."
    : "The last step is a given run: it was not searched, and has no alternatives.";
}
