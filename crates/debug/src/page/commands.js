// What the reader can do: each command once, for the mouse and the keyboard.

import { count } from "./dom.js";

export class Commands {
  constructor(session, link) {
    this.session = session;
    this.link = link;
    this.wanted = 0;
    this.isLooking = false;
  }

  // Sends a command that may search; the page is busy until it is answered.
  async run(command) {
    const { session } = this;
    if (session.isBusy) return null;
    session.set({ isBusy: true, progress: null });
    const reply = await this.link.send(command);
    session.set({ isBusy: false, progress: null });
    this.hear(reply, true);
    return reply;
  }

  // Takes a message over. An answer is told to the reader, also if another tab asked.
  hear(reply, isAsked = false) {
    const { session } = this;
    switch (reply.message) {
      case "snapshot":
        session.take(reply.snapshot, reply.sequence, reply.run);
        if (reply.snapshot.answer) session.set({ notice: answerText(reply.snapshot.answer, session) });
        else if (isAsked) session.set({ notice: null });
        break;
      case "progress":
        session.set({ progress: reply });
        break;
      case "error":
        session.set({ notice: { kind: "error", text: reply.text } });
        break;
      case "ended":
        session.set({ notice: { kind: "said", text: "The session has ended; this page can be closed." } });
        break;
      case "alternatives":
        session.set({ alternatives: reply.alternatives });
        break;
      default:
        break;
    }
  }

  async open() {
    const reply = await this.link.send({ command: "open" });
    if (reply.message !== "open") return this.hear(reply);
    this.session.set({ program: reply.program, page: reply.page });
    this.session.take(reply.snapshot, reply.sequence, reply.run);
    if (reply.snapshot.answer) this.session.set({ notice: answerText(reply.snapshot.answer, this.session) });
    return undefined;
  }

  step(formula) {
    const text = formula.trim();
    if (!text) return this.say("Write a formula first: what is to be true of the next step?");
    return this.run({ command: "step", formula: text, options: this.session.options });
  }

  async backtrack() {
    await this.run({ command: "backtrack" });
    return this.refreshAlternatives();
  }

  remove() {
    return this.run({ command: "remove" });
  }

  clear(initial) {
    return this.run({ command: "clear", initial });
  }

  simple(process) {
    const row = this.session.snapshot?.state.processes[process];
    if (!row) return this.say("There is no such process.");
    if (!this.session.isAtEnd) return this.goToEnd();
    return this.run({ command: "simple", process });
  }

  move(number) {
    if (!this.session.isAtEnd) return this.goToEnd();
    return this.run({ command: "move", number });
  }

  async goToEnd() {
    await this.look(this.session.snapshot.length);
    this.session.set({
      notice: { kind: "said", text: "This is the end of the run, where a new step begins." },
    });
  }

  cancel() {
    if (this.session.isBusy) this.link.cancel();
  }

  // Looks at a position. While an answer is under way, only the last wish counts.
  async look(position) {
    const length = this.session.snapshot?.length ?? 0;
    this.wanted = Math.max(0, Math.min(position, length));
    if (this.isLooking) return;
    this.isLooking = true;
    let asked = null;
    while (this.wanted !== asked) {
      asked = this.wanted;
      this.hear(await this.link.send({ command: "look", position: asked }), true);
    }
    this.isLooking = false;
  }

  // Where the reader wants to be.
  get here() {
    return this.isLooking ? this.wanted : (this.session.snapshot?.position ?? 0);
  }

  lookBy(distance) {
    return this.look(this.here + distance);
  }

  // To the next or previous border between temporal steps.
  lookByStep(direction) {
    const { snapshot } = this.session;
    if (!snapshot) return undefined;
    const { here } = this;
    const borders = [0, ...snapshot.stack.map((card) => card.to), snapshot.length];
    const further = borders.filter((border) => (border - here) * direction > 0);
    if (further.length === 0) return undefined;
    return this.look(direction > 0 ? Math.min(...further) : Math.max(...further));
  }

  alternatives(first = 1, total = 10) {
    if (!this.session.snapshot?.stack.length)
      return this.say("The stack is empty: there is no step to have alternatives.");
    return this.run({ command: "alternatives", first, count: total });
  }

  async choose(alternative) {
    await this.run({ command: "choose", alternative });
    return this.refreshAlternatives();
  }

  // A list that is shown is aligned with the alternative that is chosen now.
  async refreshAlternatives() {
    const { alternatives } = this.session;
    if (!alternatives) return;
    const { first, items } = alternatives;
    this.hear(await this.link.send({ command: "alternatives", first, count: items.length }));
  }

  lastState(formula) {
    return this.withFormula(formula, "last-state", "the last state before here where it holds");
  }

  noReturn(formula) {
    return this.withFormula(formula, "no-return", "the first state from which every run meets it");
  }

  lastChange(path) {
    return this.run({ command: "last-change", path });
  }

  judge(formulas) {
    return this.run({ command: "judge", formulas });
  }

  // Adds the verdicts on a formula to the timeline.
  watch(formula) {
    const text = formula.trim();
    if (!text) return this.say("Write a formula first: it is judged at every state of the run.");
    const known = (this.session.snapshot?.strips ?? []).map((strip) => strip.formula);
    return known.includes(text) ? undefined : this.judge([...known, text]);
  }

  expressions(texts) {
    return this.run({ command: "expressions", texts });
  }

  withFormula(formula, command, purpose) {
    const text = formula.trim();
    return text
      ? this.run({ command, formula: text })
      : this.say(`Write a formula first: this looks for ${purpose}.`);
  }

  say(text) {
    this.session.set({ notice: { kind: "said", text } });
  }
}

// An answer in words.
export function answerText(answer, session) {
  const alternatives = count(answer.found_before ?? 0, "alternative");
  const visited = answer.visited === undefined ? "" : ` ${count(answer.visited, "state")} visited.`;
  switch (answer.kind) {
    case "found": {
      const which = answer.alternative > 1 ? `, alternative ${answer.alternative}` : "";
      const cycle = session.snapshot?.stack.at(-1)?.cycle;
      const forEver =
        cycle === undefined || cycle === null ? "" : ` It goes on for ever, from state ${cycle} again.`;
      const cut = answer.is_at_limit ? " The limit ends it: it may go on." : "";
      return {
        kind: "found",
        text: `Found: ${count(answer.length, "move")}${which}.${forEver}${cut}${visited}`,
      };
    }
    case "none":
      if (answer.is_unsatisfiable)
        return { kind: "none", text: "No finite sequence of any program satisfies this formula." };
      if (answer.found_before > 0)
        return {
          kind: "none",
          text: `There is no other way: the step had ${alternatives}, and is gone.${visited}`,
        };
      return { kind: "none", text: `There is no such sequence from here.${visited}` };
    case "limit": {
      const limit = answer.limit === "length" ? "length" : "visited states";
      return {
        kind: "limit",
        text: `None found within the limit of ${limit}; beyond it there may be one.${visited}`,
      };
    }
    case "cancelled":
      return { kind: "limit", text: `The search was cancelled.${visited}` };
    case "position":
      return { kind: "found", text: `State ${answer.position}: ${answer.text}` };
    default:
      return { kind: "said", text: answer.text ?? "" };
  }
}
