// A recorded run as the other end of the link: a page that was shared as one file.
//
// The file has the program, the last snapshot, the state of each position (rows and values that are equal
// are kept once) and the timeline. Moving and looking work; searching needs the program.

export class Recorded {
  constructor(data) {
    this.isLive = false;
    this.data = data;
    this.position = data.snapshot.position;
  }

  async send(command) {
    const { data } = this;
    switch (command.command) {
      case "open":
        return { message: "open", program: data.program, page: data.page, snapshot: this.snapshot() };
      case "look":
        this.position = Math.max(0, Math.min(command.position, data.snapshot.length));
        return { message: "snapshot", snapshot: this.snapshot() };
      case "timeline":
        return { message: "timeline", timeline: this.window(command.from, command.to) };
      case "alternatives":
        return data.alternatives
          ? { message: "alternatives", alternatives: data.alternatives }
          : { message: "error", text: "there are no alternatives in this file" };
      case "last-change":
        return this.lastChange(command.path);
      case "validate":
        return { message: "diagnostics", formula: command.formula, is_valid: true, diagnostics: [] };
      case "complete":
        return { message: "completions", start: 0, end: 0, items: [] };
      default:
        return {
          message: "error",
          text: `this file has a recorded run, not the program: ${data.page.reopen}`,
        };
    }
  }

  cancel() {}

  snapshot() {
    const { data, position } = this;
    const state = this.state(position);
    const before = position > 0 ? flat(this.state(position - 1).values) : new Map();
    if (position > 0) markOld(state.values, before);
    const arrived = position > 0 ? data.timeline.events[position - 1] : undefined;
    return {
      ...data.snapshot,
      position,
      state,
      arrived_by: arrived,
      answer: undefined,
      revision: data.snapshot.revision + 1,
    };
  }

  state(position) {
    const { values, processes, end } = this.data.states[position];
    const copy = (index) => structuredClone(this.data.table[index]);
    return { values: values.map(copy), processes: processes.map(copy), end };
  }

  window(from, to) {
    const { events, arrows, strips } = this.data.timeline;
    const isInside = (position) => position >= from && position <= to;
    return {
      from,
      to,
      events: events.slice(from, to),
      arrows: arrows.filter((arrow) => isInside(arrow.from) || isInside(arrow.to)),
      strips: strips.map((strip) => ({
        ...strip,
        verdicts: strip.verdicts.slice(from, to + 1),
        remainders: strip.remainders.filter(([position], index) => {
          const next = strip.remainders[index + 1];
          return position <= to && (next === undefined || next[0] > from);
        }),
      })),
    };
  }

  lastChange(path) {
    for (let position = this.position; position > 0; position -= 1) {
      const event = this.data.timeline.events[position - 1];
      const change = (event.changes ?? []).find(([changed]) => changed === path);
      if (change) {
        this.position = position;
        const answer = {
          kind: "position",
          position,
          text: `${path} changed from ${change[1]} to ${change[2]}`,
        };
        return { message: "snapshot", snapshot: { ...this.snapshot(), answer } };
      }
    }
    return { message: "error", text: `nothing has changed ${path} so far` };
  }
}

function flat(values, all = new Map()) {
  for (const value of values) {
    all.set(value.path, value.value);
    flat(value.parts ?? [], all);
  }
  return all;
}

function markOld(values, before) {
  for (const value of values) {
    if (before.has(value.path) && before.get(value.path) !== value.value) value.old = before.get(value.path);
    markOld(value.parts ?? [], before);
  }
}
