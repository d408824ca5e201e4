//! Random properties and events: verdicts, and the states at which they fall, are those of progressing every
//! instance by every state from the start.

use selvedge_ltl::progression::{Progression, Status};
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_monitor::{Fact, Instantiation, Monitor, OnViolation, Recording, Template, Value};
use selvedge_testkit::{Random, is_long_run};
use std::collections::{BTreeMap, BTreeSet};

/// Values of variables are below this.
const VALUES: usize = 3;

/// A template over the variables `x` and `y`: its atoms, and a formula over them.
struct Case {
    atoms: Vec<Atom>,
    is_unequal: bool,
    formula: Formula<Prop>,
}

/// A proposition with the variables that it mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    Ground,
    P(usize),
    Q(usize),
    R(usize, usize),
}

impl Atom {
    fn text(self) -> String {
        let name = |variable: usize| ["x", "y"][variable];
        match self {
            Atom::Ground => "g".to_owned(),
            Atom::P(a) => format!("p({})", name(a)),
            Atom::Q(a) => format!("q({})", name(a)),
            Atom::R(a, b) => format!("r({}, {})", name(a), name(b)),
        }
    }

    fn fact(self, values: [usize; 2]) -> Fact {
        match self {
            Atom::Ground => Fact::from("g"),
            Atom::P(a) => Fact::from(("p", values[a])),
            Atom::Q(a) => Fact::from(("q", values[a])),
            Atom::R(a, b) => Fact::from(("r", values[a], values[b])),
        }
    }

    fn draw(random: &mut Random, variables: usize) -> Atom {
        match random.below(4) {
            0 => Atom::Ground,
            1 => Atom::P(random.below(variables)),
            2 => Atom::Q(random.below(variables)),
            _ => Atom::R(random.below(variables), random.below(variables)),
        }
    }

    /// The values that a fact gives to variables; `None` if it is no instance of the atom.
    fn values_in(self, fact: &Fact) -> Option<Vec<(usize, usize)>> {
        let number = |value: &Value| match value {
            Value::Int(number) => *number as usize,
            Value::Text(_) => unreachable!("all data are numbers"),
        };
        let data: Vec<usize> = fact.data().iter().map(number).collect();
        match (self, fact.name()) {
            (Atom::Ground, "g") => Some(Vec::new()),
            (Atom::P(a), "p") | (Atom::Q(a), "q") => Some(vec![(a, data[0])]),
            (Atom::R(a, b), "r") if a != b || data[0] == data[1] => Some(vec![(a, data[0]), (b, data[1])]),
            _ => None,
        }
    }
}

/// A random formula without next and previous.
fn draw_formula(random: &mut Random, size: usize, atoms: usize) -> Formula<Prop> {
    if size <= 1 {
        return Formula::Prop(Prop(random.below(atoms) as u8));
    }
    let unary = |random: &mut Random| draw_formula(random, size - 1, atoms);
    let split = 1 + random.below(size.saturating_sub(2).max(1));
    let binary = |random: &mut Random| {
        let left = draw_formula(random, split, atoms);
        (left, draw_formula(random, (size - 1).saturating_sub(split).max(1), atoms))
    };
    match random.below(13) {
        0 | 1 => !unary(random),
        2 => unary(random).eventually(),
        3 | 4 => unary(random).always(),
        5 => unary(random).once(),
        6 => unary(random).historically(),
        kind => {
            let (left, right) = binary(random);
            match kind {
                7 => left & right,
                8 => left | right,
                9 => left.implies(right),
                10 => left.until(right),
                11 => left.weak_until(right),
                _ => left.since(right),
            }
        }
    }
}

impl Case {
    fn draw(random: &mut Random) -> Case {
        let variables = 1 + random.below(2);
        let mut atoms: Vec<Atom> = Vec::new();
        // Every variable occurs.
        (0..variables).for_each(|variable| atoms.push(Atom::P(variable)));
        for _ in 0..random.below(3) {
            let atom = Atom::draw(random, variables);
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let size = 2 + random.below(8);
        let drawn = draw_formula(random, size, atoms.len());
        // Atoms that the drawn formula lacks are mentioned without effect.
        let mention = |formula: Formula<Prop>, atom: usize| {
            let atom = Formula::Prop(Prop(atom as u8));
            formula & (atom.clone() | !atom)
        };
        let formula = (0..atoms.len()).fold(drawn, mention);
        Case { atoms, is_unequal: variables == 2 && random.below(2) == 0, formula }
    }

    fn variables(&self) -> usize {
        1 + usize::from(self.atoms.contains(&Atom::P(1)))
    }

    fn text(&self) -> String {
        let variables = match (self.variables(), self.is_unequal) {
            (1, _) => "x",
            (_, true) => "x != y",
            (_, false) => "x, y",
        };
        let atom = |prop: &Prop| self.atoms[prop.0 as usize].text();
        format!("forall {variables}: {}", self.formula.map(&mut { atom }))
    }

    /// The formula for these values.
    fn instance(&self, values: [usize; 2]) -> Formula<Fact> {
        self.formula.map(&mut |prop| self.atoms[prop.0 as usize].fact(values))
    }
}

/// Changes, each `(fact, holds)`; the changes of a list make one state.
type Events = Vec<Vec<(Fact, bool)>>;

fn draw_events(random: &mut Random) -> Events {
    let draw = |random: &mut Random| {
        let values = [random.below(VALUES), random.below(VALUES)];
        (Atom::draw(random, 2).fact(values), random.below(3) != 0)
    };
    (0..random.below(16)).map(|_| (0..random.below(3)).map(|_| draw(random)).collect()).collect()
}

/// All states, the one before the first event included.
fn states(events: &Events) -> Vec<BTreeSet<Fact>> {
    let mut states = vec![BTreeSet::new()];
    for changes in events {
        let mut state = states[states.len() - 1].clone();
        for (fact, holds) in changes {
            if *holds {
                state.insert(fact.clone());
            } else {
                state.remove(fact);
            }
        }
        states.push(state);
    }
    states
}

/// The status of a formula on the states from `since` on, and the state that decided it.
fn progress(formula: &Formula<Fact>, states: &[BTreeSet<Fact>], since: usize) -> (Status, u64) {
    let mut alphabet = selvedge_ltl::Alphabet::default();
    let numbered = alphabet.number(formula).expect("few propositions");
    let mut run = Progression::new(&numbered);
    for (number, state) in states.iter().enumerate().skip(since) {
        let bits = alphabet.names().iter().enumerate();
        let letter = bits.fold(0, |letter, (bit, fact)| letter | u64::from(state.contains(fact)) << bit);
        match run.step(Letter::exactly(letter)) {
            Status::Open => {}
            decided => return (decided, number as u64),
        }
    }
    (Status::Open, 0)
}

/// By instance: the state at which it is violated.
type Violations = BTreeMap<String, u64>;

fn run(monitor: &mut Monitor<Fact>, events: &[Vec<(Fact, bool)>]) {
    for changes in events {
        for (fact, holds) in changes {
            if *holds { monitor.set(fact) } else { monitor.release(fact) }
        }
        monitor.step();
    }
}

/// The violations of all instances with values that occur, naively; and the number of instances.
fn expected(case: &Case, states: &[BTreeSet<Fact>], since: usize) -> (Violations, u64) {
    let mut domains = [BTreeSet::new(), BTreeSet::new()];
    for (fact, atom) in
        states.iter().flatten().flat_map(|fact| case.atoms.iter().map(move |atom| (fact, atom)))
    {
        for (variable, value) in atom.values_in(fact).into_iter().flatten() {
            domains[variable].insert(value);
        }
    }
    let (mut violations, mut count) = (Violations::new(), 0);
    let ys: Vec<Option<usize>> =
        if case.variables() == 1 { vec![None] } else { domains[1].iter().copied().map(Some).collect() };
    for (x, y) in domains[0].iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
        if case.is_unequal && Some(x) == y {
            continue;
        }
        count += 1;
        let (status, state) = progress(&case.instance([x, y.unwrap_or(0)]), states, since);
        if status == Status::False {
            let binding = y.map_or(format!("x = {x}"), |y| format!("x = {x}, y = {y}"));
            violations.insert(binding, state);
        }
    }
    (violations, count)
}

fn found(monitor: &Monitor<Fact>) -> Violations {
    let of = |violation: &selvedge_monitor::Violation| {
        (violation.binding.clone().unwrap_or_else(|| violation.formula.clone()), violation.state)
    };
    let violations: Violations = monitor.violations().iter().map(of).collect();
    assert_eq!(violations.len(), monitor.violations().len(), "a violation was told twice");
    violations
}

fn monitor() -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep).record(Recording::All);
    monitor
}

fn count() -> usize {
    if is_long_run() { 100_000 } else { 10_000 }
}

#[test]
fn quantified_formulas_fall_as_by_naive_progression() {
    let mut random = Random(17);
    let (mut violations, mut instances) = (0, 0);
    for _ in 0..count() {
        let case = Case::draw(&mut random);
        let events = draw_events(&mut random);
        let since = random.below(events.len() + 1).min(random.below(4));
        let is_past = random.below(4) == 0;
        let mut monitor = monitor();
        run(&mut monitor, &events[..since]);
        let text = case.text();
        if is_past {
            monitor.check_past("case", text.as_str()).expect("a template");
        } else {
            monitor.check("case", text.as_str()).expect("a template");
        }
        run(&mut monitor, &events[since..]);
        let (expected, count) = expected(&case, &states(&events), if is_past { 0 } else { since });
        assert_eq!(found(&monitor), expected, "{text}, added at {since}, past: {is_past}, {events:?}");
        let report = monitor.finish();
        assert_eq!(report.judgements[0].instances, Some(count), "{text}: {events:?}");
        violations += expected.len();
        instances += count;
    }
    assert!(violations > count() / 4, "{violations} violations of {instances} instances");
}

#[test]
fn freed_instances_fall_as_by_naive_progression() {
    let mut random = Random(19);
    let (mut violations, mut freed) = (0, 0);
    for _ in 0..count() {
        let mut case = Case::draw(&mut random);
        while case.variables() != 1 || case.atoms.contains(&Atom::Ground) {
            case = Case::draw(&mut random);
        }
        let premise = Formula::Prop(Prop(random.below(case.atoms.len()) as u8));
        case.formula = premise.implies(case.formula).always();
        let mut events: Events = (0..4).flat_map(|_| draw_events(&mut random)).collect();
        // Most propositions hold for one state alone.
        for at in 1..events.len() {
            let set = events[at - 1].iter().filter(|(_, holds)| *holds && random.below(4) != 0);
            let released: Vec<_> = set.map(|(fact, _)| (fact.clone(), false)).collect();
            events[at].splice(0..0, released);
        }
        let mut monitors = [monitor(), monitor(), monitor()];
        monitors[0].max_at_rest(usize::MAX);
        monitors[1].max_at_rest(0).record(Recording::Last(3));
        monitors[2].max_at_rest(2).record(Recording::Off);
        let text = case.text();
        for monitor in &mut monitors {
            monitor.check("case", text.as_str()).expect("a template");
            run(monitor, &events);
        }
        let (expected, _) = expected(&case, &states(&events), 0);
        let [all, others @ ..] = &mut monitors;
        let (report, forever) = (all.finish(), all.finish_forever());
        for monitor in others {
            assert_eq!(found(monitor), expected, "{text}: {events:?}");
            let with_freed = monitor.finish();
            assert_eq!(with_freed.judgements[0].verdict, report.judgements[0].verdict, "{text}: {events:?}");
            // Words with past operators are judged on recorded states alone.
            if monitor.finish_forever() != forever {
                assert!(text.contains(['S', 'O', 'H']), "{text}: {events:?}");
            }
            freed += usize::from(with_freed.judgements[0].is_at_most);
        }
        violations += expected.len();
    }
    assert!(violations > count() / 4, "{violations} violations");
    assert!(freed > count() / 10, "{freed} monitors freed instances");
}

/// The case as a function of one proposition `p(x)`, or of `p(x)` and `p(y)`.
fn template(case: &Case) -> Template<Fact> {
    let value = |fact: &Fact| match (fact.name(), fact.data()) {
        ("p", [Value::Int(number)]) => Some(*number as usize),
        _ => None,
    };
    let instance = Case { atoms: case.atoms.clone(), formula: case.formula.clone(), ..*case };
    Template::new(case.variables(), move |props| {
        let values: Option<Vec<usize>> = props.iter().map(|prop| value(prop)).collect();
        match values.as_deref() {
            Some([x]) => Instantiation::Formula(instance.instance([*x, 0])),
            Some([x, y]) => Instantiation::Formula(instance.instance([*x, *y])),
            _ => Instantiation::Unsuitable,
        }
    })
}

#[test]
fn instances_of_templates_fall_as_by_naive_progression() {
    let mut random = Random(18);
    let mut violations = 0;
    for _ in 0..count() {
        let case = Case::draw(&mut random);
        let events = draw_events(&mut random);
        let is_from_now = random.below(3) == 0;
        let mut monitor = monitor();
        let template = template(&case);
        let template = if is_from_now { template.from_now() } else { template };
        monitor.check("case", template).expect("a template");
        run(&mut monitor, &events);
        let states = states(&events);
        let first = |value: usize| {
            let fact = Fact::from(("p", value));
            states.iter().position(|state| state.contains(&fact))
        };
        let mut expected = BTreeSet::new();
        for (x, y) in (0..VALUES).flat_map(|x| (0..VALUES).map(move |y| (x, y))) {
            let is_pair = case.variables() == 2;
            let made = match (first(x), first(y)) {
                (Some(x), _) if !is_pair => x,
                // A combination has different propositions.
                (Some(first), Some(second)) if x != y => first.max(second),
                _ => continue,
            };
            let since = if is_from_now { made } else { 0 };
            let formula = case.instance([x, y]);
            if let (Status::False, state) = progress(&formula, &states, since) {
                expected.insert((show(&formula), state));
            }
        }
        let found: BTreeSet<(String, u64)> = found(&monitor).into_iter().collect();
        assert_eq!(found, expected, "{}, from now: {is_from_now}, {events:?}", case.text());
        violations += expected.len();
    }
    assert!(violations > count() / 8, "{violations} violations");
}

/// The text of a formula as violations have it.
fn show(formula: &Formula<Fact>) -> String {
    struct Text(String);
    impl selvedge_ltl::syntax::AtomText for Text {
        fn write_atom(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str(&self.0)
        }
    }
    formula.map(&mut |fact| Text(fact.to_string())).to_string()
}
