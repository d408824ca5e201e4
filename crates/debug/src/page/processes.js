// One row a process: what it would do, or what it waits for and which process has it.

import { button, element, keycap, refill } from "./dom.js";
import { placeLink } from "./places.js";

// More rows are shown when the reader asks.
const MAX_ROWS = 40;

export class Processes {
  constructor(root, session, commands) {
    Object.assign(this, { session, commands, isAll: false });
    this.head = element("div", { class: "head" });
    this.rows = element("div", { class: "process-rows", role: "list", "aria-label": "Processes" });
    root.append(this.head, this.rows);
    session.subscribe(() => this.show());
  }

  show() {
    const { snapshot, program } = this.session;
    if (!snapshot || !program) return;
    const { processes } = snapshot.state;
    refill(this.head, element("h2", {}, "Processes"), this.initialChoice(snapshot.initial));
    const shown = this.isAll ? processes : processes.slice(0, MAX_ROWS);
    const more =
      processes.length > shown.length &&
      button("all", `${processes.length - shown.length} more`, "Show all processes", () => {
        this.isAll = true;
        this.show();
      });
    const other = (snapshot.other_moves ?? []).map((move) => this.moveButton(move, false));
    refill(
      this.rows,
      shown.map((row, index) => this.row(row, index)),
      other,
      more,
    );
  }

  initialChoice({ count, chosen }) {
    if (count < 2) return null;
    const items = Array.from({ length: Math.min(count, 1000) }, (_, index) =>
      element(
        "option",
        { value: index, selected: index === chosen },
        `initial state ${index + 1} of ${count}`,
      ),
    );
    const made = element(
      "select",
      {
        "aria-label": "Initial state",
        "data-key": "initial",
        onchange: () => this.commands.clear(Number(made.value)),
      },
      items,
    );
    return made;
  }

  row(row, index) {
    const { session } = this;
    const isSelected = session.process === index;
    const name = element(
      "button",
      {
        type: "button",
        class: "name",
        "data-key": `process-${index}`,
        "aria-label": `Select ${row.name}`,
        "aria-pressed": String(isSelected),
        onclick: () => session.set({ process: index }),
      },
      element("span", { class: "chip" }),
      row.name,
    );
    return element(
      "div",
      { class: `process p${index % 8} ${row.status}${isSelected ? " selected" : ""}`, role: "listitem" },
      index < 9 ? keycap(index + 1) : element("span", { class: "no-key" }),
      name,
      element("div", { class: "doing" }, this.doing(row, index)),
      placeLink(row.moves?.[0]?.place ?? row.place, session, `process-${index}`),
    );
  }

  doing(row, index) {
    switch (row.status) {
      case "ready":
        return (row.moves ?? []).map((move, number) =>
          this.moveButton(move, number === 0 && row.moves.length === 1, index),
        );
      case "waiting": {
        const holder = row.holder === undefined ? "" : `, held by ${this.session.processName(row.holder)}`;
        const text = `waits for ${row.waits_for ?? "another process"}${holder}`;
        return element("span", { class: "waits", title: text }, text);
      }
      case "not-started":
        return element("span", { class: "waits" }, "has not started");
      default:
        return element("span", { class: "waits" }, row.waits_for ?? "has ended");
    }
  }

  moveButton(move, isOnly, process) {
    const { session, commands } = this;
    const isPossible = session.isAtEnd && session.program.can_branch;
    const name = process === undefined ? move.text : `${session.processName(process)}: ${move.text}`;
    const action = () =>
      isOnly && process !== undefined ? commands.simple(process) : commands.move(move.number);
    return button(`move-${process}-${move.number}`, move.text, `Take the step ${name}`, action, {
      class: "move",
      disabled: !isPossible,
    });
  }
}
