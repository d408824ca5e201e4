//! Random formulas and logs: the verdict on each slice, and the line at which it falls, are those of
//! progressing the formula by every state of the slice, which are written out here by definition.

use selvedge_ltl::progression::{Progression, Status, Verdict};
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_monitor::{Clock, Slices, TooManySlices};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeMap;

/// The propositions 0 and 1 are tests of lines; the others are clocks.
const TESTS: usize = 2;
/// Keys are below this.
const KEYS: usize = 5;

/// A line: its key, its time, and which tests hold.
#[derive(Clone, Copy, Debug)]
struct LogLine {
    key: u8,
    time: i64,
    letter: u64,
}

/// A formula and a log.
#[derive(Debug)]
struct Case {
    formula: Formula<Prop>,
    clocks: Vec<Clock>,
    /// By clock, the tests of which one starts it.
    triggers: Vec<u64>,
    lines: Vec<LogLine>,
}

fn draw_formula(random: &mut Random, size: usize, props: usize, has_next: bool) -> Formula<Prop> {
    if size <= 1 {
        return Formula::Prop(Prop(random.below(props) as u8));
    }
    let unary = |random: &mut Random| draw_formula(random, size - 1, props, has_next);
    let split = 1 + random.below(size.saturating_sub(2).max(1));
    let binary = |random: &mut Random| {
        let left = draw_formula(random, split, props, has_next);
        (left, draw_formula(random, (size - 1).saturating_sub(split).max(1), props, has_next))
    };
    match random.below(if has_next { 16 } else { 13 }) {
        0 | 1 => !unary(random),
        2 => unary(random).eventually(),
        3 | 4 => unary(random).always(),
        5 => unary(random).once(),
        6 => unary(random).historically(),
        13 => unary(random).next(),
        14 => unary(random).weak_next(),
        15 => unary(random).previous(),
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
        let clock_count = random.below(3);
        let keys = 1 + random.below(KEYS);
        let (mut clocks, mut triggers) = (Vec::new(), Vec::new());
        for index in 0..clock_count {
            let trigger = 1 + random.below(3) as u64;
            // A clock that one test starts may say so; then slices are freed earlier.
            let named = match trigger {
                1 | 2 if random.below(3) > 0 => Some(Prop(trigger as u8 - 1)),
                _ => None,
            };
            let prop = Prop((TESTS + index) as u8);
            clocks.push(Clock { prop, trigger: named, duration: 1 + random.below(4) as i64 });
            triggers.push(trigger);
        }
        let has_next = clock_count == 0 && keys == 1;
        let size = 1 + random.below(9);
        let drawn = draw_formula(random, size, TESTS + clock_count, has_next);
        let formula = if random.below(2) == 0 { drawn.always() } else { drawn };
        let mut time = 0;
        let mut line = |random: &mut Random| {
            time += random.below(4) as i64;
            LogLine { key: random.below(keys) as u8, time, letter: random.below(1 << TESTS) as u64 }
        };
        let lines = (0..random.below(24)).map(|_| line(random)).collect();
        Case { formula, clocks, triggers, lines }
    }

    /// The states of a slice: the line at which each is known, and its letter.
    fn states(&self, key: u8) -> Vec<(u64, u64)> {
        let own: Vec<(usize, LogLine)> =
            self.lines.iter().copied().enumerate().filter(|(_, line)| line.key == key).collect();
        let mut states = Vec::new();
        for (position, (index, line)) in own.iter().enumerate() {
            let since = |clock: usize| {
                let started = own[..=position].iter().rev().map(|(_, line)| line);
                started.filter(|line| line.letter & self.triggers[clock] != 0).map(|line| line.time).next()
            };
            let holds_at = |time: i64, is_line: bool| {
                let holds = |clock: &usize| {
                    let starts_now = is_line && line.letter & self.triggers[*clock] != 0;
                    !starts_now && since(*clock).is_some_and(|s| time - s >= self.clocks[*clock].duration)
                };
                let held = (0..self.clocks.len()).filter(holds);
                held.fold(line.letter, |letter, clock| letter | self.clocks[clock].prop.bit())
            };
            states.push((*index as u64 + 1, holds_at(line.time, true)));
            let until =
                own.get(position + 1).map_or(self.lines[self.lines.len() - 1].time, |next| next.1.time);
            let mut moments: Vec<i64> = (0..self.clocks.len())
                .filter_map(|clock| Some(since(clock)? + self.clocks[clock].duration))
                .filter(|moment| (line.time + 1..until).contains(moment))
                .collect();
            moments.sort_unstable();
            moments.dedup();
            for moment in moments {
                let shown = self.lines.iter().position(|line| line.time > moment).expect("a later line");
                states.push((shown as u64 + 1, holds_at(moment, false)));
            }
        }
        states
    }

    /// The verdict on a slice, and the line at which it falls, if it is violated.
    fn expected(&self, key: u8) -> Option<(Verdict, Option<u64>)> {
        let states = self.states(key);
        let mut run = Progression::new(&self.formula);
        for (line, letter) in &states {
            match run.step(Letter::exactly(*letter)) {
                Status::Open => {}
                Status::True => return Some((Verdict::True, None)),
                Status::False => return Some((Verdict::False, Some(*line))),
            }
        }
        let by_end = if run.holds_at_end() { Verdict::PresumablyTrue } else { Verdict::PresumablyFalse };
        (!states.is_empty()).then(|| (run.verdict().unwrap_or(by_end), None))
    }
}

fn rank(verdict: Verdict) -> usize {
    let order = [Verdict::True, Verdict::PresumablyTrue, Verdict::PresumablyFalse, Verdict::False];
    order.iter().position(|known| *known == verdict).expect("one of four")
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("p{index}")).collect()
}

#[test]
fn slices_fall_as_by_naive_progression() {
    let mut random = Random(27);
    let cases = if is_long_run() { 200_000 } else { 20_000 };
    let (mut violations, mut freed) = (0, 0);
    for _ in 0..cases {
        let case = Case::draw(&mut random);
        let mut slices = Slices::new(&case.formula, names(TESTS + case.clocks.len()), case.clocks.clone());
        slices.max_at_rest(random.below(4));
        let mut found = BTreeMap::new();
        for (index, line) in case.lines.iter().enumerate() {
            let number = index as u64 + 1;
            let clocks = case.clocks.iter().zip(&case.triggers);
            let started = clocks.filter(|(_, trigger)| line.letter & **trigger != 0);
            let letter = started.fold(line.letter, |letter, (clock, _)| letter | clock.prop.bit());
            slices.advance(line.time, number);
            slices.step(&[line.key], number, letter, line.time).expect("few slices");
            while let Some(violation) = slices.next_violation() {
                assert!(!violation.steps.is_empty() && violation.names.len() == violation.steps.len());
                assert!(found.insert(violation.key[0], violation.line).is_none(), "told twice: {case:?}");
            }
        }
        let expected: Vec<(u8, (Verdict, Option<u64>))> =
            (0..KEYS as u8).filter_map(|key| Some((key, case.expected(key)?))).collect();
        let falls: BTreeMap<u8, u64> =
            expected.iter().filter_map(|(key, (_, line))| Some((*key, (*line)?))).collect();
        assert_eq!(found, falls, "{case:?}");
        let worst = expected.iter().map(|(_, (verdict, _))| *verdict).max_by_key(|verdict| rank(*verdict));
        let report = slices.report();
        assert_eq!(report.verdict, worst, "{case:?}");
        violations += falls.len();
        freed += usize::from(report.slices > expected.len() as u64);
    }
    assert!(violations > cases / 4, "{violations} violations");
    assert!(freed > cases / 100, "a freed slice came back in {freed} cases");
}

/// `G (ask -> !late U answer)`, where `late` is 10 after the last `ask`.
fn deadline() -> Slices {
    let formula = selvedge_ltl::Alphabet::default()
        .number(&"G (ask -> !late U answer)".parse().expect("a formula"))
        .expect("few propositions");
    let clock = Clock { prop: Prop(1), trigger: Some(Prop(0)), duration: 10 };
    let names = ["ask", "late", "answer"].map(str::to_owned).to_vec();
    Slices::new(&formula, names, vec![clock])
}

const ASK: u64 = 0b011;
const ANSWER: u64 = 0b100;

#[test]
fn answered_requests_are_freed() {
    let mut slices = deadline();
    slices.max_slices(3);
    for request in 0..1000_u32 {
        let time = i64::from(request) * 20;
        slices.advance(time, u64::from(request));
        slices.step(&request.to_le_bytes(), u64::from(request), ASK, time).expect("the others are freed");
        slices.step(&request.to_le_bytes(), u64::from(request), ANSWER, time + 9).expect("it is open");
    }
    let report = slices.report();
    assert_eq!((report.verdict, report.slices, report.count), (Some(Verdict::PresumablyTrue), 1000, 1000));
    assert!(report.is_at_most);
}

#[test]
fn a_late_answer_is_a_violation_at_the_first_line_behind_the_deadline() {
    let mut slices = deadline();
    for (line, (key, letter, time)) in
        [(b"a", ASK, 0), (b"b", ASK, 5), (b"a", ANSWER, 10), (b"c", 0, 15), (b"b", ANSWER, 16)]
            .into_iter()
            .enumerate()
    {
        slices.advance(time, line as u64 + 1);
        slices.step(key, line as u64 + 1, letter, time).expect("few slices");
    }
    let violation = slices.next_violation().expect("b is late");
    assert_eq!((&*violation.key, violation.line), (&b"b"[..], 5));
    assert_eq!(slices.next_violation(), None);
    assert_eq!(slices.report().count, 1);
}

#[test]
fn too_many_slices_are_told() {
    let mut slices = deadline();
    slices.max_slices(2);
    assert_eq!(slices.step(b"a", 1, ASK, 0), Ok(()));
    assert_eq!(slices.step(b"b", 2, ASK, 0), Ok(()));
    assert_eq!(slices.step(b"c", 3, ASK, 0), Err(TooManySlices(2)));
    assert_eq!(slices.step(b"a", 4, ANSWER, 0), Ok(()));
}
