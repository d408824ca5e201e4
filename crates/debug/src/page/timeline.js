// The timeline: a lane a process, a box a move, a band a temporal step, a strip a judged formula.
//
// A state is a place between two boxes, so position n lies after n moves. Only what is in the window is
// asked for and drawn, so a run of any length takes the same few hundred elements. The scroll bar belongs
// to the browser: inside is an empty canvas as wide as the run, on which the drawing sticks to the window.

import { button, element, refill } from "./dom.js";
import { drawWindow, GUTTER, heights, PAD } from "./lanes.js";
import { placeLink } from "./places.js";

// Positions that are asked for at a time.
const CHUNK = 200;
// Pixels a move.
const ZOOMS = [6, 10, 16, 26, 40, 64, 92, 120, 170];
const FIRST_ZOOM = 6;
// The pointer moves at least this far before a click becomes a drag.
const DRAG = 4;

export class Timeline {
  constructor(root, session, commands, link) {
    Object.assign(this, {
      session,
      commands,
      link,
      zoom: FIRST_ZOOM,
      chunks: new Map(),
      runKey: -1,
      drag: null,
    });
    this.head = element("div", { class: "head" });
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      class: "slider",
      "aria-label": "Position in the run",
      oninput: () => commands.look(Number(this.slider.value)),
    });
    this.detail = element("span", { class: "detail" });
    this.names = element("div", { class: "lane-names" });
    this.drawing = element("div", { class: "lane-drawing" });
    this.canvas = element("div", { class: "canvas" }, this.names, this.drawing);
    this.scroll = element(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Moves of the run" },
      this.canvas,
    );
    this.scroll.addEventListener("scroll", () => this.draw());
    this.drawing.addEventListener("pointerdown", (event) => this.press(event));
    this.drawing.addEventListener("dblclick", () => this.openPlace());
    this.drawing.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    this.makeHead();
    root.append(this.head, this.scroll);
    session.subscribe(() => this.show());
  }

  makeHead() {
    const { commands, session } = this;
    this.head.append(
      element("h2", {}, "Timeline"),
      element(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Move in the run" },
        button("first", "⇤", "First state (Home)", () => commands.look(0)),
        button("before", "←", "State before (left arrow)", () => commands.lookBy(-1)),
        button("after", "→", "State after (right arrow)", () => commands.lookBy(1)),
        button("last", "⇥", "Last state (End)", () => commands.look(session.snapshot?.length ?? 0)),
      ),
      this.slider,
      this.detail,
      element("span", { class: "spring" }),
      element(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Zoom" },
        button("out", "−", "Zoom out (-)", () => this.zoomBy(-1)),
        button("in", "+", "Zoom in (+)", () => this.zoomBy(1)),
        button("fit", "fit", "Show the whole run", () => this.fit()),
      ),
    );
  }

  get column() {
    return ZOOMS[this.zoom];
  }

  show() {
    const { snapshot, program } = this.session;
    if (!snapshot || !program) return;
    const runKey = this.session.run;
    const isOtherRun = runKey !== this.runKey;
    if (isOtherRun) {
      this.runKey = runKey;
      this.chunks = new Map();
    }
    this.slider.max = snapshot.length;
    this.slider.value = snapshot.position;
    this.slider.setAttribute("aria-valuetext", `state ${snapshot.position} of ${snapshot.length}`);
    this.showDetail(snapshot);
    this.size();
    if (isOtherRun || this.position !== snapshot.position) this.reveal(snapshot.position);
    this.position = snapshot.position;
    this.draw();
  }

  showDetail(snapshot) {
    const move = snapshot.arrived_by;
    const name = move?.process === undefined ? "" : `${this.session.processName(move.process)}: `;
    refill(
      this.detail,
      element("strong", {}, `state ${snapshot.position}`),
      move
        ? [
            " after ",
            element("span", { class: move.process === undefined ? "" : `p${move.process % 8} by` }, name),
            element("code", {}, move.text),
            " ",
          ]
        : " the initial state ",
      placeLink(move?.place, this.session, "current"),
      move?.printed && element("span", { class: "printed" }, ` prints ${move.printed}`),
    );
  }

  size() {
    const { snapshot } = this.session;
    this.canvas.style.width = `${GUTTER + 2 * PAD + snapshot.length * this.column}px`;
    this.canvas.style.height = `${heights(this.session).total}px`;
  }

  // Scrolls so that a position is in the window.
  reveal(position) {
    const inside = this.scroll.clientWidth - GUTTER;
    const x = PAD + position * this.column;
    const { scrollLeft } = this.scroll;
    const margin = Math.min(inside / 4, 2 * this.column + PAD);
    if (x - margin < scrollLeft) this.scroll.scrollLeft = x - margin;
    else if (x + margin > scrollLeft + inside) this.scroll.scrollLeft = x + margin - inside;
  }

  // What the window needs: the positions in it, and the part of the run that is known of them.
  draw() {
    const { snapshot, program } = this.session;
    if (!snapshot || !program) return;
    const width = Math.max(100, this.scroll.clientWidth - GUTTER);
    const left = this.scroll.scrollLeft;
    const first = Math.max(0, Math.floor((left - PAD) / this.column) - 1);
    const last = Math.min(snapshot.length, Math.ceil((left + width - PAD) / this.column) + 1);
    const window = {
      first,
      last,
      left,
      width,
      column: this.column,
      top: this.scroll.scrollTop,
      height: this.scroll.clientHeight,
      parts: this.parts(first, last),
    };
    drawWindow(this, window);
  }

  // The chunks of a window that are there; others are asked for, and drawn when they come.
  parts(first, last) {
    const parts = [];
    for (let index = Math.floor(first / CHUNK); index * CHUNK <= last; index += 1) {
      const chunk = this.chunks.get(index);
      if (chunk === undefined) this.fetch(index);
      else if (chunk) parts.push(chunk);
    }
    return parts;
  }

  async fetch(index) {
    const { runKey, chunks } = this;
    chunks.set(index, null);
    const from = index * CHUNK;
    const to = Math.min(from + CHUNK, this.session.snapshot.length);
    const reply = await this.link.send({ command: "timeline", from, to });
    if (reply.message !== "timeline" || this.runKey !== runKey) return;
    chunks.set(index, reply.timeline);
    this.draw();
  }

  // Opens the line of the move to the current state in the editor.
  openPlace() {
    this.detail.querySelector("a.place")?.click();
  }

  zoomBy(direction) {
    this.setZoom(Math.max(0, Math.min(this.zoom + direction, ZOOMS.length - 1)));
  }

  fit() {
    const inside = this.scroll.clientWidth - GUTTER - 2 * PAD;
    const length = this.session.snapshot?.length ?? 1;
    const fitting = ZOOMS.findLastIndex((column) => column * length <= inside);
    this.setZoom(Math.max(0, fitting));
  }

  setZoom(zoom) {
    this.zoom = zoom;
    if (!this.session.snapshot) return;
    this.size();
    this.reveal(this.session.snapshot.position);
    this.draw();
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoomBy(event.deltaY < 0 ? 1 : -1);
  }

  // A press that moves drags the run; one that does not chooses the state next to it.
  press(event) {
    if (event.button !== 0) return;
    const { scrollLeft, scrollTop } = this.scroll;
    const start = { x: event.clientX, y: event.clientY };
    let isDrag = false;
    const move = (moved) => {
      const [dx, dy] = [moved.clientX - start.x, moved.clientY - start.y];
      isDrag ||= Math.hypot(dx, dy) > DRAG;
      if (!isDrag) return;
      this.scroll.scrollLeft = scrollLeft - dx;
      this.scroll.scrollTop = scrollTop - dy;
    };
    const end = (ended) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      if (!isDrag) this.click(ended);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  }

  click(event) {
    const box = event.target.closest?.("[data-position]");
    if (box) return this.commands.look(Number(box.dataset.position));
    const x = event.clientX - this.drawing.getBoundingClientRect().left + this.scroll.scrollLeft;
    return this.commands.look(Math.round((x - PAD) / this.column));
  }
}
