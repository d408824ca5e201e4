// The drawing of a window of the timeline.

import { button, classes, drawn, element, refill } from "./dom.js";

// The column of lane names.
export const GUTTER = 190;
// Space before the first state and after the last one.
export const PAD = 26;
const TICKS = 18;
const BANDS = 24;
const LANE = 34;
const STRIP = 22;
const CYCLE = 22;
const BOX = 24;
// Pixels of a letter in a box.
const LETTER = 6.7;
const ARROW_HEAD = 6;

// Where rows are, from the top.
export function heights(session) {
  const lanes = laneNames(session).length;
  const strips = session.snapshot.strips?.length ?? 0;
  const hasCycle = session.snapshot.cycle !== undefined;
  const lanesTop = TICKS + BANDS;
  const cycleTop = lanesTop + lanes * LANE;
  const stripsTop = cycleTop + (hasCycle ? CYCLE : 0);
  return { lanes, lanesTop, cycleTop, stripsTop, total: stripsTop + strips * STRIP + 4 };
}

function laneNames(session) {
  const { program, snapshot } = session;
  const rows = snapshot.state.processes;
  return Array.from(
    { length: Math.max(rows.length, program.processes.length) },
    (_, index) => rows[index]?.name ?? program.processes[index].name,
  );
}

// Draws what is in the window, and the names of its rows.
export function drawWindow(timeline, window) {
  const { session } = timeline;
  const rows = heights(session);
  const x = (position) => PAD + position * window.column - window.left;
  const context = { ...window, rows, x, session, snapshot: session.snapshot };
  context.visibleLanes = visibleLanes(context);
  refill(timeline.names, nameColumn(context, timeline.commands));
  timeline.names.style.height = `${rows.total}px`;
  timeline.drawing.style.width = `${window.width}px`;
  const svg = drawn(
    "svg",
    {
      class: "lanes",
      width: window.width,
      height: rows.total,
      role: "group",
      "aria-label": `Moves ${window.first} to ${window.last}`,
    },
    stepBands(context),
    laneLines(context),
    ticks(context),
    cycleArrow(context),
    strips(context),
    eventBoxes(context),
    arrows(context),
    cursor(context),
  );
  timeline.drawing.replaceChildren(svg);
}

// A debugged program may have many threads: only the lanes in the window are drawn.
function visibleLanes({ rows, top, height }) {
  const first = Math.max(0, Math.floor((top - rows.lanesTop) / LANE));
  const last = Math.min(rows.lanes, Math.ceil((top + height - rows.lanesTop) / LANE) + 1);
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
}

function laneMiddle(rows, lane) {
  return rows.lanesTop + lane * LANE + LANE / 2;
}

function nameColumn({ rows, session, snapshot, visibleLanes: lanes }, commands) {
  const names = laneNames(session);
  const placed = (made, top, height) => {
    made.style.top = `${top}px`;
    made.style.height = `${height}px`;
    return made;
  };
  const judged = snapshot.strips ?? [];
  const laneRows = lanes.map((lane) =>
    placed(
      element(
        "div",
        { class: `lane-name p${lane % 8}${session.process === lane ? " selected" : ""}` },
        element("span", { class: "chip" }),
        names[lane],
      ),
      rows.lanesTop + lane * LANE,
      LANE,
    ),
  );
  const stripRows = judged.map((strip, index) => {
    const others = judged.map((other) => other.formula).filter((other) => other !== strip.formula);
    const violation = strip.first_violation;
    return placed(
      element(
        "div",
        { class: `strip-name ${strip.holds ? "holds" : "fails"}` },
        element("code", { title: strip.formula }, strip.formula),
        violation !== undefined &&
          button(
            `violation-${index}`,
            `✗ ${violation}`,
            `Go to the first violation of ${strip.formula}, state ${violation}`,
            () => commands.look(violation),
          ),
        violation === undefined &&
          element(
            "span",
            {
              class: "verdict",
              title: strip.holds ? "the run so far satisfies it" : "open: a continuation may satisfy it",
            },
            strip.holds ? "✓" : "…",
          ),
        button(`strip-${index}`, "×", `Judge ${strip.formula} no more`, () => commands.judge(others)),
      ),
      rows.stripsTop + index * STRIP,
      STRIP,
    );
  });
  return [...laneRows, ...stripRows];
}

function stepBands({ snapshot, first, last, x, rows }) {
  const bands = [];
  snapshot.stack.forEach((card, index) => {
    if (card.to < first || card.from > last) return;
    const [start, end] = [x(card.from), x(card.to)];
    const width = Math.max(3, end - start);
    const shownFrom = Math.max(start, 0);
    const room = Math.floor((start + width - shownFrom - 8) / LETTER);
    bands.push(
      drawn(
        "g",
        { class: `band band-${index % 6}` },
        drawn("rect", {
          x: start,
          y: TICKS + 3,
          width,
          height: rows.cycleTop - TICKS - 3,
          class: "band-body",
        }),
        drawn("rect", {
          x: start + 1,
          y: TICKS + 3,
          width: Math.max(1, width - 2),
          height: BANDS - 6,
          rx: 3,
          class: "band-head",
        }),
        room > 2 &&
          drawn("text", { x: shownFrom + 5, y: TICKS + 16, class: "band-text" }, clip(card.formula, room)),
        drawn("title", {}, card.formula),
      ),
    );
  });
  return bands;
}

function laneLines({ rows, visibleLanes: lanes, width, session }) {
  return lanes.map((lane) =>
    drawn("line", {
      x1: 0,
      x2: width,
      y1: laneMiddle(rows, lane),
      y2: laneMiddle(rows, lane),
      class: `lane-line p${lane % 8}${session.process === lane ? " selected" : ""}`,
    }),
  );
}

function ticks({ first, last, x, column, rows }) {
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * column >= 26) ?? 1000;
  const made = [];
  for (let position = Math.ceil(first / every) * every; position <= last; position += every) {
    made.push(drawn("text", { x: x(position), y: 13, class: "tick" }, String(position)));
    if (column >= 16)
      made.push(
        drawn("line", { x1: x(position), x2: x(position), y1: TICKS, y2: rows.stripsTop, class: "guide" }),
      );
  }
  return made;
}

function cycleArrow({ snapshot, x, rows }) {
  const { cycle, length } = snapshot;
  if (cycle === undefined) return null;
  const y = rows.cycleTop + CYCLE - 8;
  const [from, to] = [x(length), x(cycle)];
  const end = from === to ? from - 12 : to;
  return drawn(
    "g",
    { class: "cycle" },
    drawn("path", {
      d: `M${from} ${rows.cycleTop - 2}V${y}H${end}V${rows.cycleTop + 2}`,
      class: "cycle-line",
    }),
    head(end, rows.cycleTop - 2, -1),
    drawn("text", { x: Math.max(end, 0) + 6, y: y - 3, class: "cycle-text" }, `for ever from state ${cycle}`),
  );
}

// A state has a cell of its own, centred on it.
function strips(context) {
  const { snapshot, parts, x, column, rows } = context;
  return (snapshot.strips ?? []).map((strip, index) => {
    const y = rows.stripsTop + index * STRIP;
    const cells = [];
    for (const part of parts) {
      const known = part.strips?.find((candidate) => candidate.formula === strip.formula);
      cells.push(...verdictCells(known?.verdicts ?? [], part.from, x, column, y));
    }
    return drawn("g", { class: "strip" }, cells, remainder(strip.formula, y, context));
  });
}

// Neighbours with the same verdict are one rectangle.
function verdictCells(verdicts, from, x, column, y) {
  const cells = [];
  for (let start = 0; start < verdicts.length;) {
    let end = start + 1;
    while (end < verdicts.length && verdicts[end] === verdicts[start]) end += 1;
    cells.push(
      drawn(
        "rect",
        {
          x: x(from + start) - column / 2,
          y: y + 3,
          width: (end - start) * column,
          height: STRIP - 6,
          class: `verdict-${verdicts[start]}`,
        },
        drawn(
          "title",
          {},
          `${VERDICTS[verdicts[start]] ?? verdicts[start]}, states ${from + start} to ${from + end - 1}`,
        ),
      ),
    );
    start = end;
  }
  return cells;
}

const VERDICTS = {
  true: "every continuation satisfies it",
  holds: "the run up to here satisfies it",
  open: "the run up to here does not satisfy it, a continuation may",
  false: "no continuation satisfies it",
};

// What remains to be satisfied after the current state.
function remainder(formula, y, { snapshot: { position }, parts, x, width }) {
  let text = null;
  for (const part of parts) {
    const strip = part.strips?.find((candidate) => candidate.formula === formula);
    for (const [from, remains] of strip?.remainders ?? []) if (from <= position) text = remains;
  }
  if (text === null) return null;
  const isAtEdge = x(position) > width / 2;
  return drawn(
    "text",
    { x: x(position) + (isAtEdge ? -6 : 6), y: y + 15, class: `remainder${isAtEdge ? " before" : ""}` },
    `remains: ${clip(text, 60)}`,
  );
}

function eventBoxes(context) {
  const { parts, first, last, snapshot } = context;
  const events = parts.flatMap((part) => part.events ?? []);
  return events
    .filter((event) => event.position > first - 1 && event.position <= last + 1)
    .map((event) => eventBox(event, context, event.position === snapshot.position));
}

function eventBox(event, { x, column, rows, session }, isCurrent) {
  const lane = event.process;
  const middle = lane === undefined ? rows.lanesTop - 2 : laneMiddle(rows, lane);
  const width = Math.max(4, column - 8);
  const left = x(event.position) - column + (column - width) / 2;
  const room = Math.floor((width - 8) / LETTER);
  const name = lane === undefined ? "" : `${session.processName(lane)}: `;
  const changes = (event.changes ?? []).map(([path, old, value]) => `${path}: ${old} → ${value}`).join("\n");
  return drawn(
    "g",
    {
      class: classes("event", lane === undefined ? "other" : `p${lane % 8}`, isCurrent && "current"),
      role: "button",
      tabindex: "-1",
      "data-position": event.position,
      "aria-label": `state ${event.position}, after ${name}${event.text}`,
    },
    drawn("rect", { x: left, y: middle - BOX / 2, width, height: BOX, rx: Math.min(5, width / 3) }),
    room >= 2 && drawn("text", { x: left + width / 2, y: middle + 4 }, clip(fitting(event.text, room), room)),
    drawn(
      "title",
      {},
      `${name}${event.text}${changes && `\n${changes}`}${event.printed ? `\nprints ${event.printed}` : ""}`,
    ),
  );
}

// Messages and hand-overs between lanes.
function arrows({ parts, x, column, rows }) {
  const lanes = new Map(
    parts.flatMap((part) => part.events ?? []).map((event) => [event.position, event.process]),
  );
  const seen = new Set();
  const made = [];
  for (const arrow of parts.flatMap((part) => part.arrows ?? [])) {
    const key = `${arrow.from} ${arrow.to} ${arrow.name}`;
    const [fromLane, toLane] = [lanes.get(arrow.from), lanes.get(arrow.to)];
    if (seen.has(key) || fromLane === undefined || toLane === undefined || fromLane === toLane) continue;
    seen.add(key);
    const down = toLane > fromLane ? 1 : -1;
    const [x1, x2] = [x(arrow.from) - column / 2, x(arrow.to) - column / 2];
    const [y1, y2] = [
      laneMiddle(rows, fromLane) + (down * BOX) / 2,
      laneMiddle(rows, toLane) - down * (BOX / 2 + ARROW_HEAD),
    ];
    made.push(
      drawn(
        "g",
        { class: "hand-over" },
        drawn("path", {
          d: `M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`,
          class: "hand-over-line",
        }),
        head(x2, y2 + down * ARROW_HEAD, down),
        drawn("title", {}, arrow.name),
      ),
    );
  }
  return made;
}

// An arrow's head with its tip here, pointing up or down.
function head(x, y, down) {
  const back = y - down * ARROW_HEAD;
  return drawn("path", { d: `M${x} ${y}L${x - 4} ${back}L${x + 4} ${back}Z`, class: "head" });
}

function cursor({ snapshot, x, rows }) {
  const here = x(snapshot.position);
  return drawn(
    "g",
    { class: "cursor" },
    drawn("line", { x1: here, x2: here, y1: TICKS, y2: rows.total }),
    drawn("path", {
      d: `M${here - 6} 2H${here + 6}V${TICKS - 5}L${here} ${TICKS}L${here - 6} ${TICKS - 5}Z`,
    }),
  );
}

// Where there is no room for the label of a statement, the statement goes without.
function fitting(text, letters) {
  return text.length <= letters ? text : text.replace(/^\w+: /, "");
}

function clip(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
}
