// The keyboard: everything that the mouse can do.
//
// Keys work wherever the focus is, but where a text is written: there only Enter, Escape and the keys of
// the list of completions do.

export const KEYS = [
  ["/", "write a formula; Enter runs it, Escape leaves it"],
  ["← →", "the state before, the state after"],
  ["⇧← ⇧→", "the same by temporal steps"],
  ["Home End", "the first and the last state"],
  ["↑ ↓", "the process before, the process after"],
  ["1 … 9", "a simple step of the process with this number"],
  ["b", "backtrack: another way to satisfy the last step's formula"],
  ["⌫", "remove the last step"],
  ["c", "clear the stack"],
  ["m", "minimal, maximal, every end"],
  ["o", "breadth first, depth first, memoryless"],
  ["p", "some paths (no state and remainder twice), all paths"],
  ["e", "may a step end in the same state as an alternative before it?"],
  ["a", "list the alternatives of the last step"],
  ["v", "judge the formula at every state of the run"],
  ["l", "the last state before here where the formula holds"],
  ["n", "the point of no return: from where every run meets the formula"],
  ["g", "code or flow graphs"],
  ["+ −", "zoom the timeline"],
  ["j", "jump to the line of this state's move in the editor"],
  ["s", "the menu of the session: save, share, end"],
  ["d", "light or dark"],
  ["Esc", "cancel the search that runs"],
  ["?", "this list"],
];

// `act` has a function for each key below.
export function listen(session, commands, act) {
  const table = {
    "/": act.formula,
    ArrowLeft: (event) => (event.shiftKey ? commands.lookByStep(-1) : commands.lookBy(-1)),
    ArrowRight: (event) => (event.shiftKey ? commands.lookByStep(1) : commands.lookBy(1)),
    ArrowUp: () => act.process(-1),
    ArrowDown: () => act.process(1),
    Home: () => commands.look(0),
    End: () => commands.look(session.snapshot?.length ?? 0),
    Backspace: () => commands.remove(),
    Escape: () => commands.cancel(),
    b: () => commands.backtrack(),
    c: () => commands.clear(),
    m: act.mode,
    o: act.order,
    p: act.paths,
    e: act.sameEnd,
    a: () => commands.alternatives(),
    v: () => commands.watch(session.formula),
    l: () => commands.lastState(session.formula),
    n: () => commands.noReturn(session.formula),
    g: act.view,
    "+": () => act.zoom(1),
    "=": () => act.zoom(1),
    "-": () => act.zoom(-1),
    j: act.place,
    s: act.share,
    d: act.theme,
    "?": act.help,
  };
  for (let digit = 1; digit <= 9; digit += 1) table[digit] = () => commands.simple(digit - 1);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isWriting(event.target) || document.querySelector("dialog[open]")) return;
    if (ownsKey(event.target, event.key)) return;
    const action = table[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}

function isWriting(target) {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type))
  );
}

// A control that needs the key itself: a list of choices, a slider, an open menu.
function ownsKey(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest("[role=menu]"))
    return key.startsWith("Arrow") || key === "Escape" || key === "Home" || key === "End";
  if (target instanceof HTMLSelectElement) return key.length > 1 || key.match(/[a-z]/i);
  return target instanceof HTMLInputElement && target.type === "radio" && key.startsWith("Arrow");
}
