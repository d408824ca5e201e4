//! Generated programs: reduced searches against whole ones, abstract verdicts against concrete ones, and
//! what `erl` does against what can happen here.
//!
//! A program has up to three processes with a few statements each: sends, receives, propositions,
//! arithmetic, recursion over short lists. It always ends, so that `erl` can run it.

use super::{concrete, fifo, outcomes, program, under};
use selvedge_lang::erlang::system::Machine;
use selvedge_lang::{Confirmation, ErlangOptions, Program, ShownRun, Suspicion, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{Fairness, Options, ProcessId, States, Steps, System, Verdict, check};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeSet;
use std::process::Command;

/// A generated program.
pub(super) struct Generated {
    random: Random,
    /// Statements use these variables.
    variables: usize,
    /// Each variable of a pattern has a name of its own.
    patterns: usize,
}

impl Generated {
    fn number(&mut self) -> String {
        self.random.below(5).to_string()
    }

    /// An expression that gives an integer, unless it fails.
    fn integer(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 2 } else { 6 }) {
            0 => self.number(),
            1 if self.variables > 0 => format!("X{}", self.random.below(self.variables)),
            1 => self.number(),
            2 => format!("({} + {})", self.integer(depth - 1), self.integer(depth - 1)),
            3 => format!("({} * {})", self.integer(depth - 1), self.integer(depth - 1)),
            4 => format!("({} div {})", self.integer(depth - 1), self.integer(depth - 1)),
            _ => format!("len({})", self.list()),
        }
    }

    fn list(&mut self) -> String {
        let elements: Vec<String> = (0..self.random.below(4)).map(|_| self.integer(0)).collect();
        format!("[{}]", elements.join(", "))
    }

    fn message(&mut self) -> String {
        match self.random.below(4) {
            0 => "a".to_owned(),
            1 => "b".to_owned(),
            2 => format!("{{c, {}}}", self.integer(1)),
            _ => self.integer(1),
        }
    }

    fn pattern(&mut self) -> String {
        match self.random.below(6) {
            0 => "a".to_owned(),
            1 => "{c, _}".to_owned(),
            2 => self.number(),
            3 => {
                self.patterns += 1;
                format!("N{0} when N{0} > {1}", self.patterns, self.random.below(3))
            }
            4 => "{c, 2}".to_owned(),
            _ => "_".to_owned(),
        }
    }

    fn body(&mut self, statements: usize, peers: &[&str]) -> String {
        let mut text = String::new();
        for _ in 0..statements {
            text += &self.statement(peers);
            text += ",\n    ";
        }
        text + "ok"
    }

    fn statement(&mut self, peers: &[&str]) -> String {
        match self.random.below(8) {
            0 | 1 => format!("{} ! {}", self.random.pick(peers), self.message()),
            2 => format!("prop({})", self.message()),
            3 => {
                let value = self.integer(2);
                self.variables += 1;
                format!("X{} = {value}", self.variables - 1)
            }
            4 => {
                let (first, second) = (self.pattern(), self.pattern());
                let (one, two) = (self.message(), self.message());
                format!("receive {first} -> prop({one}); {second} -> prop({two}) after 0 -> none end")
            }
            5 => format!("receive {} -> prop({}) after 10 -> late end", self.pattern(), self.message()),
            6 => format!("case {} of {} -> prop(a); _ -> prop(b) end", self.message(), self.pattern()),
            _ => format!("case choice([0, 1]) of 0 -> {}; 1 -> none end", self.send(peers)),
        }
    }

    fn send(&mut self, peers: &[&str]) -> String {
        format!("{} ! {}", self.random.pick(peers), self.message())
    }

    /// The program, whose first process ends with the message that it receives last.
    pub(super) fn program(seed: u64) -> String {
        let mut this = Generated { random: Random(seed), variables: 0, patterns: 0 };
        let first = this.random.below(3);
        this.variables = 0;
        let child = this.body(1 + first, &["S"]);
        this.variables = 0;
        let count = 1 + this.random.below(3);
        let last = this.message();
        let main = this.body(count, &["S", "P"]);
        format!(
            "main() -> S = self(), P = spawn(fun() -> child(S) end),\n    P ! {last},\n    {main},\n    \
             R = receive M -> M after 10 -> nothing end,\n    exit({{end_of_main, R}}).\n\
             child(S) ->\n    {child}.\n\
             len([]) -> 0;\nlen([_ | T]) -> 1 + len(T).\n"
        )
    }

    /// A program whose processes call functions that call each other, some of them not as their last action,
    /// with sends, receives and propositions on the way. Every call has a smaller count than its caller.
    fn calls(seed: u64) -> String {
        let mut this = Generated { random: Random(seed), variables: 0, patterns: 0 };
        let mut text = "main() -> S = self(), P = spawn(fun() -> f0(2, S), prop(a) end),\n    ".to_owned();
        text += &format!("catch f{}(1, P), prop(b), exit(end_of_main).\n", this.random.below(3));
        for function in 0..3 {
            this.variables = 0;
            text += &format!("f{function}(0, _) -> {};\nf{function}(N, P) ->\n    ", this.integer(0));
            for _ in 0..1 + this.random.below(2) {
                text += &this.call(&["P"]);
                text += ",\n    ";
            }
            let last = match this.random.below(3) {
                0 => this.integer(1),
                1 => format!("f{}(N - 1, P)", this.random.below(3)),
                _ => format!("1 + f{}(N - 1, P)", this.random.below(3)),
            };
            text += &format!("{last}.\n");
        }
        text + "len([]) -> 0;\nlen([_ | T]) -> 1 + len(T).\n"
    }

    /// A statement that may call a function.
    fn call(&mut self, peers: &[&str]) -> String {
        let callee = self.random.below(3);
        match self.random.below(6) {
            0 => format!("prop(f{callee}(N - 1, P))"),
            1 => format!(
                "try f{callee}(N - 1, P) of 1 -> prop(a); _ -> prop(b) catch _:_ -> prop({}) end",
                self.number()
            ),
            2 => format!("case f{callee}(N - 1, P) + N of 1 -> prop(a); _ -> ok end"),
            3 => format!("try f{callee}(N - 1, P) after prop({}) end", self.number()),
            4 => "P ! N".to_owned(),
            _ => self.statement(peers),
        }
    }
}

/// The options of an abstract search: a domain, and how many frames are kept.
fn abstraction(seed: u64) -> ErlangOptions {
    let domains = DOMAINS[seed as usize % DOMAINS.len()];
    let frames = [None, Some(0), Some(1), Some(2)][seed as usize / DOMAINS.len() % 4];
    ErlangOptions { frames, max_mailbox: 3, max_local: 500, ..under(domains) }
}

/// Searches of programs whose calls may seem endless stop after so many states.
const MAX_STATES: usize = 500;

fn few_states(reduction: bool) -> Options<'static> {
    let mut options = Options { reduction, ..Options::default() };
    options.budget.limits.states = Some(MAX_STATES);
    options
}

const FORMULAS: &[&str] =
    &["F a", "G !b", "G (a -> F b)", "a R !b", "F even", "G !odd", "!even U odd", "G F a | F odd"];

const DOMAINS: &[&[&str]] =
    &[&["parity"], &["parity", "depth(1)"], &["sign", "parity"], &["parity", "atoms(a, b)"]];

fn count(short: usize) -> u64 {
    (if is_long_run() { 20 * short } else { short }) as u64
}

#[test]
fn a_reduced_search_has_the_outcomes_of_a_whole_one() {
    for seed in 0..count(300) {
        let text = Generated::program(seed);
        for options in [concrete(), fifo()] {
            let program = program(&text, &options);
            assert_eq!(outcomes(&program, true), outcomes(&program, false), "seed {seed}:\n{text}");
        }
    }
}

/// The concrete verdict on a formula whose propositions are those of the program's domain.
fn concrete_verdict(
    program: &selvedge_lang::erlang::ErlangProgram,
    formula: &str,
    reduction: bool,
) -> &'static str {
    let formula = program.formula(formula).expect("a formula");
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let options = SystemOptions { concrete: true, ..SystemOptions::default() };
    let system = program.system(alphabet.names(), options).expect("a system");
    name_of(&check(&system, &numbered, few_states(reduction)).expect("a verdict").verdict)
}

fn name_of(verdict: &Verdict<selvedge_lang::erlang::system::Action>) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) => "may-be-violated",
        Verdict::Limit(_) => "limit",
    }
}

#[test]
fn what_holds_abstractly_holds_concretely() {
    compare_verdicts(count(200), Generated::program, |seed| under(DOMAINS[seed as usize % DOMAINS.len()]));
}

#[test]
fn what_holds_with_forgotten_frames_holds_concretely() {
    compare_verdicts(count(60), Generated::calls, abstraction);
    let concrete_values = |seed| ErlangOptions {
        frames: Some(seed as usize % 3),
        max_mailbox: 3,
        max_local: 500,
        ..concrete()
    };
    compare_verdicts(count(20), Generated::calls, concrete_values);
}

fn abstract_verdict(
    program: &selvedge_lang::erlang::ErlangProgram,
    formula: &str,
    reduction: bool,
) -> &'static str {
    let formula = program.formula(formula).expect("a formula");
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    name_of(&check(&system, &numbered, few_states(reduction)).expect("a verdict").verdict)
}

/// Compares verdicts under an abstraction with those on concrete values, on generated programs.
fn compare_verdicts(programs: u64, text: fn(u64) -> String, options: impl Fn(u64) -> ErlangOptions) {
    let (mut held, mut open) = (0, 0);
    for seed in 0..programs {
        let (text, options) = (text(seed), options(seed));
        let program = program(&text, &options);
        let formulas = FORMULAS.iter().filter(|formula| {
            !options.domains.is_empty() || !["even", "odd"].iter().any(|name| formula.contains(name))
        });
        for formula in formulas {
            let whole = concrete_verdict(&program, formula, false);
            let reduced = concrete_verdict(&program, formula, true);
            let is_limited = [whole, reduced].contains(&"limit");
            assert!(whole == reduced || is_limited, "{formula}, seed {seed}:\n{text}");
            for reduction in [false, true] {
                match abstract_verdict(&program, formula, reduction) {
                    "holds" => {
                        held += 1;
                        let is_right = whole == "holds" || is_limited;
                        assert!(is_right, "{formula}, seed {seed}, {options:?}:\n{text}");
                    }
                    "may-be-violated" => open += 1,
                    "limit" if options.frames.is_some() || options.max_mailbox < 32 => {}
                    other => panic!("{other} for {formula}, seed {seed}, {options:?}:\n{text}"),
                }
            }
        }
    }
    assert!(held > 0 && open > 15, "{held} formulas hold, {open} may be violated: one sort is hardly tested");
}

/// Runs under a domain that seem to violate a formula are real exactly if the concrete program violates it;
/// a run that follows takes the steps of the abstract one, at the same lines.
#[test]
fn a_run_that_is_confirmed_is_real_and_one_that_is_refuted_is_not() {
    let (mut followed, mut others, mut refuted) = (0, 0, 0);
    for seed in 0..count(60) {
        let text = Generated::program(seed);
        let program = program(&text, &under(DOMAINS[seed as usize % DOMAINS.len()]));
        for name in FORMULAS {
            let formula = program.formula(name).expect("a formula");
            let mut alphabet = Alphabet::default();
            let numbered = alphabet.number(&formula).expect("few propositions");
            let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
            let options = Options { reduction: false, ..Options::default() };
            let Verdict::MayBeViolated(run) = check(&system, &numbered, options).expect("a verdict").verdict
            else {
                continue;
            };
            let suspicion = Suspicion::Violation { formula: &formula, fairness: Fairness::None };
            let concrete = concrete_verdict(&program, name, false);
            let expected = match program.confirm(&system, &run, suspicion, Options::default().budget) {
                Confirmation::Real { run: real, follows } => {
                    followed += usize::from(follows);
                    others += usize::from(!follows);
                    let abstracted = ShownRun::new(&system, &run, &[]);
                    assert!(!follows || follows_by_text(&abstracted, &real), "{name}, seed {seed}:\n{text}");
                    "violated"
                }
                Confirmation::Spurious { is_refuted } => {
                    assert!(is_refuted, "the concrete search of a small program is complete");
                    refuted += 1;
                    "holds"
                }
                Confirmation::Unknown(reason) => panic!("{reason}: {name}, seed {seed}:\n{text}"),
            };
            assert!(concrete == expected || concrete == "limit", "{name}, seed {seed}:\n{text}");
        }
    }
    assert!(followed > 30 && refuted > 5, "{followed} followed, {others} others, {refuted} refuted");
}

/// Do the steps of a concrete run happen at the lines of an abstract one, by the same processes, in the same
/// order? Steps of propositions may be left out, and the concrete run may end earlier.
fn follows_by_text(abstracted: &ShownRun, concrete: &ShownRun) -> bool {
    let key = |step: &selvedge_lang::ShownStep| (step.process.clone(), step.place.clone());
    let steps = abstracted.prefix.iter().skip(1).chain(abstracted.cycle.iter().cycle().take(200));
    let mut steps = steps.filter(|step| step.action.is_some());
    let mut all = concrete.prefix.iter().skip(1).chain(&concrete.cycle).filter(|step| step.action.is_some());
    all.all(|step| steps.any(|other| key(other) == key(step)))
}

/// The steps of a state: the process that moves, and the state that it moves to.
fn moves(system: &Machine, state: u64) -> Vec<(Option<ProcessId>, u64)> {
    let mut steps = Steps::new(1);
    system.successors(&[state], &mut steps);
    steps.iter().map(|(action, next)| (system.process(action), next[0])).collect()
}

fn initial(system: &Machine) -> BTreeSet<u64> {
    let mut states = States::new(1);
    system.initial(&mut states);
    states.iter().map(|state| state[0]).collect()
}

#[test]
fn every_concrete_path_has_its_image_under_a_domain() {
    for seed in 0..count(150) {
        follow_paths(seed, &Generated::program(seed), &under(DOMAINS[seed as usize % DOMAINS.len()]));
    }
}

#[test]
fn every_concrete_path_has_its_image_with_forgotten_frames() {
    for seed in 0..count(80) {
        follow_paths(seed, &Generated::calls(seed), &abstraction(seed));
    }
}

/// Follows random concrete paths by the steps of the same processes under an abstraction.
fn follow_paths(seed: u64, text: &str, options: &ErlangOptions) {
    let program = program(text, options);
    let system_options = |concrete| SystemOptions { concrete, ..SystemOptions::default() };
    let [concrete, abstracted] =
        [true, false].map(|is_concrete| program.system(&[], system_options(is_concrete)).expect("a system"));
    let mut random = Random(seed);
    for _ in 0..5 {
        let beginnings: Vec<u64> = initial(&concrete).into_iter().collect();
        let mut state = random.pick(&beginnings);
        // The abstract states that the same processes reach by as many steps each, in the same order.
        let mut images = initial(&abstracted);
        loop {
            let steps = moves(&concrete, state);
            if steps.is_empty() && concrete.is_cut(&[state]) || images.len() > 300 {
                break;
            }
            if steps.is_empty() {
                let may_end = |image: &u64| {
                    let steps = moves(&abstracted, *image);
                    steps.is_empty() || steps.iter().any(|(process, _)| process.is_none())
                };
                assert!(images.iter().any(may_end), "no image ends, {options:?}, seed {seed}:\n{text}");
                break;
            }
            let (process, next) = random.pick(&steps);
            let followed = images.iter().flat_map(|image| moves(&abstracted, *image));
            images = followed.filter(|step| step.0 == process).map(|step| step.1).collect();
            assert!(!images.is_empty(), "a step has no image, {options:?}, seed {seed}:\n{text}");
            state = next;
        }
    }
}

#[test]
fn what_erl_does_can_happen_with_fifo_delivery() {
    if Command::new("erl").arg("-version").output().is_err() {
        println!("erl is not installed: nothing is compared");
        return;
    }
    let seeds: Vec<u64> = (0..count(60)).collect();
    let directory = std::env::temp_dir().join(format!("selvedge-generated-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    for seed in &seeds {
        // `choice` is random, and delays of a millisecond reorder the processes.
        let text = Generated::program(*seed).replace("P ! ", "timer:sleep(rand:uniform(2) - 1), P ! ");
        let module = format!(
            "-module(g{seed}).\n-export([main/0]).\nprop(X) -> X.\n\
             choice(L) -> lists:nth(rand:uniform(length(L)), L).\n{text}"
        );
        std::fs::write(directory.join(format!("g{seed}.erl")), module).expect("a file");
    }
    let files = seeds.iter().map(|seed| format!("g{seed}.erl"));
    let compiled =
        Command::new("erlc").arg("-W0").args(files).current_dir(&directory).output().expect("erlc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let run = "lists:foreach(fun(N) -> M = list_to_atom(\"g\" ++ integer_to_list(N)), \
               lists:foreach(fun(_) -> {_, R} = spawn_monitor(M, main, []), \
               receive {'DOWN', R, _, _, W} -> io:format(\"~w ~w~n\", [N, case W of {E, [_ | _]} -> {E, []}; _ -> W end]) end \
               end, lists:seq(1, 8)) end, lists:seq(0, COUNT)), halt().";
    let run = run.replace("COUNT", &(seeds.len() - 1).to_string());
    let arguments = ["-noshell", "-kernel", "logger_level", "none", "-eval", &run];
    let output = Command::new("erl").args(arguments).current_dir(&directory).output().expect("erl");
    std::fs::remove_dir_all(&directory).expect("the directory is there");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.lines().count(), seeds.len() * 8, "{}", String::from_utf8_lossy(&output.stderr));
    for seed in &seeds {
        let text = Generated::program(*seed);
        let possible = outcomes(&program(&text, &fifo()), true);
        for line in printed.lines() {
            let (number, outcome) = line.split_once(' ').expect("a number and an outcome");
            if number == seed.to_string() {
                assert!(
                    possible.contains(outcome),
                    "erl: {outcome}, here {possible:?}, seed {seed}:\n{text}"
                );
            }
        }
    }
}
