// The programs: the code of each process, and its flow graph.
//
// A text is one element however long it is; bars behind it mark lines. A bar is filled where control
// stands, and outlined where a step can be taken. In a flow graph nodes are filled and outlined in the same
// way. A click on a line or a node inserts its proposition into the formula.

import { button, element, keycap, refill } from "./dom.js";

const LINE_HEIGHT = 19;

export class Programs {
  constructor(root, session, formula) {
    Object.assign(this, { root, session, formula, panels: [], program: null });
    this.head = element("div", { class: "head" });
    this.body = element("div", { class: "program-list" });
    root.append(this.head, this.body);
    session.subscribe(() => this.show());
  }

  show() {
    const { program, snapshot } = this.session;
    if (!program || !snapshot) return;
    if (this.program !== program) this.build(program);
    this.showHead(program);
    snapshot.state.processes.forEach((row, index) => this.panels[index]?.show(row, this.session));
    const selected = this.panels[this.session.process];
    if (selected && this.shown !== this.session.process) {
      this.shown = this.session.process;
      selected.root.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  showHead(program) {
    const { view } = this.session;
    const choice = (value, text) =>
      button(`view-${value}`, text, `Show ${text.toLowerCase()}`, () => this.session.set({ view: value }), {
        "aria-pressed": String(view === value),
      });
    const hasFlows = program.flows?.length > 0;
    refill(
      this.head,
      element("h2", {}, "Programs"),
      element(
        "span",
        { class: "legend dim" },
        element("span", { class: "sample at" }),
        "control stands here",
        element("span", { class: "sample next" }),
        "can be executed next",
      ),
      hasFlows &&
        element(
          "div",
          { class: "segments small", role: "group", "aria-label": "Code or flow graphs" },
          choice("code", "Code"),
          choice("flow", "Flow graph"),
          keycap("g"),
        ),
    );
  }

  build(program) {
    this.program = program;
    const views = program.processes.length > 0 ? program.processes : [{ name: program.title }];
    this.panels = views.map(
      (process, index) => new Program(process, index, program, this.session, this.formula),
    );
    refill(
      this.body,
      this.panels.map((panel) => panel.root),
    );
    // Without a flow graph or ranges of code, all processes share their texts: one panel is enough.
    const hasOwn = program.processes.some((process) => process.code || process.flow !== undefined);
    this.body.classList.toggle("single", !hasOwn);
  }
}

class Program {
  constructor(process, index, program, session, formula) {
    Object.assign(this, { process, index, program, session, formula });
    this.flow = process.flow === undefined ? null : program.flows[process.flow];
    this.range = process.code ?? null;
    this.code = element("div", {
      class: "code",
      tabindex: "0",
      role: "region",
      "aria-label": `Code of ${process.name}`,
    });
    this.graph = element("div", {
      class: "flow",
      tabindex: "0",
      role: "region",
      "aria-label": `Flow graph of ${process.name}`,
    });
    this.title = element(
      "button",
      {
        type: "button",
        class: "program-title",
        "aria-label": `Select ${process.name}`,
        onclick: () => session.set({ process: index }),
      },
      element("span", { class: "chip" }),
      process.name,
    );
    this.root = element(
      "article",
      { class: `program p${index % 8}`, "aria-label": process.name },
      this.title,
      this.code,
      this.graph,
    );
    this.source = null;
  }

  show(row, session) {
    const isFlow = session.view === "flow" && this.flow?.svg;
    this.root.classList.toggle("selected", session.process === this.index);
    this.title.setAttribute("aria-pressed", String(session.process === this.index));
    this.code.hidden = Boolean(isFlow);
    this.graph.hidden = !isFlow;
    if (isFlow) this.showFlow(row);
    else this.showCode(row);
  }

  showCode(row) {
    const source = this.sourceOf(row);
    if (!source) return refill(this.code, element("p", { class: "empty" }, "There is no text."));
    const isWhole = !this.range || source.name !== this.program.sources[this.range.source].name;
    const first = isWhole ? 1 : this.range.first;
    if (this.source !== `${source.name}:${first}`) this.fillCode(source, first, isWhole);
    const lines = this.linesOf(row);
    const bars = [...lines.next].map((line) => this.bar(line, first, "next"));
    bars.push(...[...lines.at].map((line) => this.bar(line, first, "at")));
    refill(this.bars, bars);
    for (const line of [...lines.next, ...lines.at]) this.reveal(line - first);
    return undefined;
  }

  // The lines where control stands, and those that can be executed next.
  linesOf(row) {
    const line = (node) => this.flow?.nodes[node]?.line;
    const at = new Set((row.at ?? []).map(line).filter(Boolean));
    const next = new Set((row.next ?? []).map(line).filter(Boolean));
    for (const made of row.moves ?? []) if (made.place) next.add(made.place.line);
    if (at.size === 0 && next.size === 0 && row.place) next.add(row.place.line);
    return { at, next };
  }

  sourceOf(row) {
    const sources = this.program.sources ?? [];
    if (this.range) return sources[this.range.source];
    return sources.find((source) => source.name === row.place?.file) ?? sources[0];
  }

  fillCode(source, first, isWhole) {
    this.source = `${source.name}:${first}`;
    const lines = source.text.split("\n");
    const last = isWhole ? lines.length : this.range.last;
    const shown = lines.slice(first - 1, last);
    const numbers = shown.map((_, index) => first + index).join("\n");
    this.bars = element("div", { class: "bars" });
    const text = element("pre", { class: "text" }, shown.join("\n"));
    text.addEventListener("click", (event) => this.insertLine(event, text, first));
    refill(
      this.code,
      element(
        "div",
        { class: "lines" },
        this.bars,
        element("pre", { class: "numbers", "aria-hidden": "true" }, numbers),
        text,
      ),
    );
    colourComments(text);
  }

  bar(line, first, kind) {
    const made = element("div", { class: `bar ${kind}` });
    made.style.top = `${(line - first) * LINE_HEIGHT}px`;
    return made;
  }

  reveal(row) {
    const top = row * LINE_HEIGHT;
    const { scrollTop, clientHeight } = this.code;
    const isOutside = top < scrollTop + LINE_HEIGHT || top + 3 * LINE_HEIGHT > scrollTop + clientHeight;
    if (isOutside) this.code.scrollTop = top - clientHeight / 2;
  }

  insertLine(event, text, first) {
    const line = first + Math.floor((event.clientY - text.getBoundingClientRect().top) / LINE_HEIGHT);
    const node = this.flow?.nodes.find((candidate) => candidate.line === line && candidate.proposition);
    if (node && getSelection().isCollapsed) this.formula.insert(node.proposition);
  }

  showFlow(row) {
    if (!this.drawing) this.drawFlow();
    const at = new Set(row.at ?? []);
    const next = new Set(row.next ?? []);
    for (const [number, node] of this.nodes) {
      node.classList.toggle("at", at.has(number));
      node.classList.toggle("next", next.has(number));
    }
    const focus = this.nodes.get([...at][0] ?? [...next][0]);
    if (focus) this.revealNode(focus);
  }

  // Scrolls so that a node, and what follows it, are seen.
  revealNode(node) {
    const [inner, outer] = [node.getBoundingClientRect(), this.graph.getBoundingClientRect()];
    const isOutside =
      inner.top < outer.top + LINE_HEIGHT ||
      inner.bottom + 5 * LINE_HEIGHT > outer.bottom ||
      inner.left < outer.left ||
      inner.right > outer.right;
    if (!isOutside) return;
    this.graph.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
    this.graph.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }

  // The server has drawn the graph; its nodes become buttons.
  drawFlow() {
    const parsed = new DOMParser().parseFromString(this.flow.svg, "image/svg+xml");
    this.drawing = document.importNode(parsed.documentElement, true);
    // It shrinks with its panel, as long as it can be read.
    this.drawing.style.setProperty("--graph-width", `${this.drawing.viewBox.baseVal.width}px`);
    this.drawing.setAttribute("role", "group");
    this.drawing.setAttribute("aria-label", `Flow graph of ${this.process.name}`);
    this.nodes = new Map();
    for (const node of this.drawing.querySelectorAll("[data-node]")) {
      const number = Number(node.dataset.node);
      const { label, proposition } = this.flow.nodes[number] ?? {};
      this.nodes.set(number, node);
      if (!proposition) continue;
      node.setAttribute("role", "button");
      node.setAttribute("tabindex", "-1");
      node.setAttribute("aria-label", `${label}: insert ${proposition}`);
      node.addEventListener("click", () => this.formula.insert(proposition));
    }
    refill(this.graph, this.drawing);
  }
}

// Comments are grey, by ranges and not by elements, where the browser can.
function colourComments(text) {
  if (!globalThis.CSS?.highlights) return;
  const highlight = CSS.highlights.get("comment") ?? new Highlight();
  CSS.highlights.set("comment", highlight);
  const node = text.firstChild;
  for (const match of node?.data.matchAll(/(\/\/|^\s*%).*$/gm) ?? []) {
    const range = new StaticRange({
      startContainer: node,
      startOffset: match.index,
      endContainer: node,
      endOffset: match.index + match[0].length,
    });
    highlight.add(range);
  }
}
