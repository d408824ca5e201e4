// What the page knows: the program, the last snapshot, and what the reader has chosen here.
//
// Panels subscribe; a change is told once to all of them, after the event that made it. A snapshot that is
// older than the one shown is dropped, so that two tabs and a search that ends late do not contradict each
// other.

export class Session {
  constructor() {
    this.program = null;
    this.snapshot = null;
    this.sequence = 0;
    // As long as it is the same, the events of the run are.
    this.run = 0;
    this.page = { folder: "", editor: "" };
    this.process = 0;
    this.view = "code";
    this.isBusy = false;
    this.isConnected = true;
    this.progress = null;
    this.notice = null;
    this.formula = "";
    this.options = {
      order: "breadth-first",
      mode: "minimal",
      paths: "subset",
      limit: 10000,
      "same-end": true,
      "same-sequence": false,
    };
    // Has the reader chosen a mode for the formula that is being typed?
    this.isModeChosen = false;
    this.pinned = new Set();
    this.hidden = new Set();
    this.isChangedOnly = false;
    this.isHiddenShown = false;
    this.filter = "";
    this.closed = new Set();
    this.alternatives = null;
    this.listeners = [];
    this.isScheduled = false;
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  // Changes fields, and tells the panels.
  set(fields) {
    Object.assign(this, fields);
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      for (const listener of this.listeners) listener(this);
    });
  }

  // Takes a snapshot over, unless a newer one is shown already.
  take(snapshot, sequence = this.sequence, run = this.run) {
    if (!snapshot || sequence < this.sequence) return;
    this.sequence = sequence;
    this.run = run;
    const hasOtherStep = stepKey(snapshot) !== stepKey(this.snapshot);
    const hasMoved =
      snapshot.position !== this.snapshot?.position || snapshot.length !== this.snapshot?.length;
    this.set({
      snapshot,
      alternatives: hasOtherStep ? null : this.alternatives,
      // The process that made the move is looked at.
      process: (hasMoved ? snapshot.arrived_by?.process : undefined) ?? this.process,
    });
  }

  get isAtEnd() {
    return this.snapshot !== null && this.snapshot.position === this.snapshot.length;
  }

  processName(index) {
    return this.program?.processes[index]?.name ?? this.snapshot?.state.processes[index]?.name ?? `${index}`;
  }
}

// The step on top of the stack; its alternatives are the same whichever is chosen.
function stepKey(snapshot) {
  const card = snapshot?.stack.at(-1);
  return card ? `${snapshot.stack.length} ${card.from} ${card.formula}` : "";
}
