// The state as a tree: names, values, what the last move changed (old → new).
//
// Values can be pinned to the top, hidden, filtered, or shown only if they have changed; expressions of the
// reader's own stand above them. A click on a value inserts its proposition into the formula.

import { button, classes, element, refill } from "./dom.js";

// Rows that are shown at most; a filter finds the others.
const MAX_ROWS = 150;

export class StateTree {
  constructor(root, session, commands, formula) {
    Object.assign(this, { session, commands, formula });
    this.head = element("div", { class: "head" });
    this.filter = element("input", {
      type: "search",
      class: "filter",
      placeholder: "filter",
      "aria-label": "Filter values by name",
      oninput: () => session.set({ filter: this.filter.value.trim().toLowerCase() }),
      onkeydown: (event) => event.key === "Escape" && this.filter.blur(),
    });
    this.own = element("input", {
      type: "text",
      class: "own",
      placeholder: "an expression of your own, Enter adds it",
      "aria-label": "Add an expression",
      spellcheck: "false",
      onkeydown: (event) => this.ownKey(event),
    });
    this.rows = element("div", { class: "values", role: "tree", "aria-label": "Values" });
    this.chips = element("span", { class: "chips" });
    this.head.append(element("h2", {}, "State"), this.chips, this.filter);
    root.append(this.head, this.rows, this.own);
    session.subscribe(() => this.show());
  }

  show() {
    const { session } = this;
    const { snapshot } = session;
    if (!snapshot) return;
    const toggle = (field, text, meaning) =>
      button(field, text, meaning, () => session.set({ [field]: !session[field] }), {
        class: "toggle",
        "aria-pressed": String(session[field]),
      });
    refill(
      this.chips,
      element("span", { class: "position" }, `${snapshot.position} / ${snapshot.length}`),
      toggle("isChangedOnly", "changed", "Only what the last move changed"),
      session.hidden.size > 0 &&
        toggle("isHiddenShown", `${session.hidden.size} hidden`, "Show hidden values"),
    );
    const all = flatten(snapshot.state.values, 0, session);
    const isPinned = (row) => session.pinned.has(row.value.path);
    const wanted = all.filter((row) => this.isWanted(row));
    const sorted = [...wanted.filter(isPinned), ...wanted.filter((row) => !isPinned(row))];
    const shown = sorted.slice(0, MAX_ROWS).map((row) => this.row(row));
    const rest =
      sorted.length > MAX_ROWS &&
      element("p", { class: "empty" }, `${sorted.length - MAX_ROWS} more; the filter finds them`);
    const own = (snapshot.expressions ?? []).map((expression) => this.expression(expression));
    const empty =
      sorted.length === 0 &&
      own.length === 0 &&
      element(
        "p",
        { class: "empty" },
        session.isChangedOnly ? "The last move changed no value." : "There are no values.",
      );
    refill(this.rows, own, shown, rest, empty);
  }

  isWanted({ value, hasChanged }) {
    const { session } = this;
    if (session.pinned.has(value.path)) return true;
    if (session.hidden.has(value.path) && !session.isHiddenShown) return false;
    if (session.isChangedOnly && !hasChanged) return false;
    return !session.filter || value.path.toLowerCase().includes(session.filter);
  }

  row({ value, depth, hasParts, isClosed }) {
    const { session, commands, formula } = this;
    const { path } = value;
    const flip = (set) => () => {
      if (!set.delete(path)) set.add(path);
      session.set({});
    };
    const isPinned = session.pinned.has(path);
    const name = hasParts
      ? button(
          `open-${path}`,
          [element("span", { class: isClosed ? "twist closed" : "twist" }), value.name],
          `${isClosed ? "Open" : "Close"} ${path}`,
          flip(session.closed),
          { class: "value-name" },
        )
      : element("span", { class: "value-name" }, value.name);
    const shown = element(
      "span",
      { class: "value-text" },
      value.old !== undefined && [
        element("del", {}, value.old || "–"),
        element("span", { class: "arrow", "aria-label": "became" }, "→"),
      ],
      value.proposition
        ? button(
            `insert-${path}`,
            element("ins", {}, value.value),
            `${path} is ${value.value}: insert ${value.proposition}`,
            () => formula.insert(value.proposition),
            { class: "insert" },
          )
        : element("ins", {}, value.value),
    );
    return element(
      "div",
      {
        class: classes(
          "value",
          `depth-${Math.min(depth, 6)}`,
          value.old !== undefined && "changed",
          isPinned && "pinned",
        ),
        role: "treeitem",
        "aria-level": depth + 1,
        "aria-expanded": hasParts ? String(!isClosed) : undefined,
        "aria-label": `${path} ${value.old === undefined ? "" : `was ${value.old}, `}is ${value.value}`,
      },
      name,
      shown,
      element(
        "span",
        { class: "value-tools" },
        button(`pin-${path}`, "⊤", isPinned ? `Unpin ${path}` : `Pin ${path}`, flip(session.pinned), {
          "aria-pressed": String(isPinned),
        }),
        button(
          `hide-${path}`,
          "⊘",
          session.hidden.has(path) ? `Show ${path} again` : `Hide ${path}`,
          flip(session.hidden),
        ),
        button(`change-${path}`, "↶", `The move that changed ${path} last`, () => commands.lastChange(path)),
      ),
    );
  }

  expression({ text, value, old, is_error: isError }) {
    const others = (this.session.snapshot.expressions ?? [])
      .map((expression) => expression.text)
      .filter((other) => other !== text);
    return element(
      "div",
      {
        class: `value own-value${old === undefined ? "" : " changed"}`,
        role: "treeitem",
        "aria-level": 1,
        "aria-label": `${text} is ${value}`,
      },
      element("span", { class: "value-name" }, text),
      element(
        "span",
        { class: isError ? "value-text error" : "value-text" },
        old !== undefined && [element("del", {}, old || "–"), element("span", { class: "arrow" }, "→")],
        element("ins", {}, value),
      ),
      element(
        "span",
        { class: "value-tools" },
        button(`drop-${text}`, "×", `Remove the expression ${text}`, () => this.commands.expressions(others)),
      ),
    );
  }

  ownKey(event) {
    if (event.key === "Escape") this.own.blur();
    const text = this.own.value.trim();
    if (event.key !== "Enter" || !text) return;
    this.own.value = "";
    const before = (this.session.snapshot.expressions ?? []).map((expression) => expression.text);
    this.commands.expressions([...before, text]);
  }
}

// The rows of a tree, with what changed below each.
function flatten(values, depth, session, rows = []) {
  for (const value of values) {
    const parts = value.parts ?? [];
    const isClosed = session.closed.has(value.path);
    rows.push({ value, depth, hasParts: parts.length > 0, isClosed, hasChanged: hasChanged(value) });
    if (!isClosed) flatten(parts, depth + 1, session, rows);
  }
  return rows;
}

function hasChanged(value) {
  return value.old !== undefined || (value.parts ?? []).some(hasChanged);
}
