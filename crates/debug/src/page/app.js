// The page: makes the panels, and tells them what changes.

import { Alternatives } from "./alternatives.js";
import { Commands } from "./commands.js";
import { element, refill } from "./dom.js";
import { FormulaBar } from "./formula.js";
import { showHelp } from "./help.js";
import { listen } from "./keys.js";
import { connect } from "./link.js";
import { Options } from "./options.js";
import { Processes } from "./processes.js";
import { Programs } from "./programs.js";
import { Session } from "./session.js";
import { ShareMenu } from "./share.js";
import { Stack } from "./stack.js";
import { StateTree } from "./state.js";
import { Timeline } from "./timeline.js";

const at = (id) => document.getElementById(id);

const session = new Session();
const link = connect(
  (message) => (message.event === "joined" ? commands.open() : commands.hear(message)),
  (isConnected) => session.set({ isConnected }),
);
const commands = new Commands(session, link);
const options = new Options(at("options"), session, commands);
const formula = new FormulaBar(at("formula-row"), session, commands, link);
options.addProperties((text) => formula.replace(text));
const share = new ShareMenu(at("share"), session, commands, link);
const timeline = new Timeline(at("timeline"), session, commands, link);
new Programs(at("programs"), session, formula);
new Processes(at("processes"), session, commands);
new StateTree(at("state"), session, commands, formula);
new Stack(at("stack"), session, commands, formula);
new Alternatives(at("alternatives"), session, commands);

listen(session, commands, {
  formula: () => formula.focus(),
  process: selectProcess,
  mode: () => options.nextMode(),
  order: () => options.nextOrder(),
  paths: () => options.nextPaths(),
  sameEnd: () => options.flip("same-end"),
  view: () => session.set({ view: session.view === "code" ? "flow" : "code" }),
  zoom: (direction) => timeline.zoomBy(direction),
  place: () => timeline.openPlace(),
  share: () => share.open(),
  theme: switchTheme,
  help: () => showHelp(at("dialog")),
});
at("theme").addEventListener("click", switchTheme);
at("help").addEventListener("click", () => showHelp(at("dialog")));
session.subscribe(showFrame);
if (!link.isLive) {
  document.body.classList.add("recorded");
  commands.open();
}

function selectProcess(distance) {
  const total = session.snapshot?.state.processes.length ?? 0;
  if (total > 0) session.set({ process: (session.process + distance + total) % total });
}

// The reader's choice goes before the system's.
function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

// Title, answer and connection. The attributes of the body say what is shown, for tests and style sheets.
function showFrame({ program, snapshot, view, notice, isBusy, isConnected, progress }) {
  const { body } = document;
  body.dataset.sequence = session.sequence;
  body.dataset.position = snapshot?.position ?? "";
  body.dataset.length = snapshot?.length ?? "";
  body.dataset.view = viewOf(program, view);
  body.toggleAttribute("data-busy", isBusy);
  at("main").setAttribute("aria-busy", String(isBusy));
  if (program) {
    at("title").textContent = program.title;
    document.title = `${program.title} – Selvedge`;
  }
  at("answer").textContent = notice?.text ?? "";
  at("answer").dataset.kind = notice?.kind ?? "";
  at("progress").textContent = progressText(isBusy, progress);
  at("connection").textContent = link.isLive
    ? isConnected
      ? ""
      : "not connected; trying again …"
    : "a recorded run";
  showEnd(program, snapshot);
}

// A recording has no text, and few programs have flow graphs.
function viewOf(program, view) {
  if (program && !program.sources?.length) return "none";
  return program?.flows?.length ? view : "code";
}

function progressText(isBusy, progress) {
  if (!isBusy) return "";
  if (!progress) return "searching …";
  const { visited, depth, found } = progress;
  return `searching … ${visited.toLocaleString("en")} states, depth ${depth}, ${found} found (Esc cancels)`;
}

// What is special about this state: an end, a deadlock, an error; or that the run cannot branch.
function showEnd(program, snapshot) {
  const notice = at("notice");
  const end = snapshot?.state.end;
  const isFixed = program && !program.can_branch && link.isLive;
  notice.hidden = !end && !isFixed;
  notice.dataset.kind = end?.kind ?? "";
  notice.title = end?.text ?? "";
  const names = {
    ended: "Ended",
    deadlock: "Deadlock",
    error: "Error",
    cut: "Cut off",
    recorded: "End of the recording",
  };
  const branch =
    isFixed && program.branch_command
      ? element("span", {}, " To branch from this run: ", element("code", {}, program.branch_command))
      : isFixed && " This run is recorded and cannot branch.";
  refill(notice, end && element("strong", {}, `${names[end.kind] ?? end.kind}. `), end?.text ?? "", branch);
}
