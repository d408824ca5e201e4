//! Events of a run per second beside other monitors: the same events, in one process.
//!
//! `cargo run --release -p selvedge-bench-watch` in `bench/`. The contestants take turns in each round, and
//! the median of the rounds counts. Time is the CPU time of the thread: see [`clock`].
//!
//! `G (a -> F b)`: beside `r2u2_core`, whose operators are bounded ([`r2u2`]), and `rtlola-interpreter`,
//! with a stream that says whether a request is open ([`rtlola`]). A contestant gets the values of `a` and
//! `b` in each state, changed or not. By id: `forall r: G (request(r) -> F answer(r))` beside a stream for
//! each id.
//!
//! Locks: `selvedge::sync::Mutex` with the feature `watch` beside `tracing-mutex` and `deloxide`: what a
//! lock whose order is checked costs ([`locks`]), and which programs are told to be able to deadlock
//! ([`told`]).
//!
//! The output is the text of `RESULTS-watch.md`, with the goals and whether this run reaches them.
//!
//! `cargo run --release -p selvedge-bench-watch ours` makes one round of `selvedge-monitor` alone, for
//! `valgrind --tool=callgrind`: every contestant is called twice.

mod clock;
mod events;
mod locks;
mod memory;
mod mutexes;
mod ours;
mod r2u2;
mod rtlola;
mod scenarios;
mod told;

use events::State;
use mutexes::{Lock, Ours, Plain, TracingMutex};
use selvedge_monitor::Recording;

/// The number of rounds.
const ROUNDS: usize = 15;
/// The number of states in a round of the first comparison.
const STATES: usize = 100_000;
/// The number of acquisitions in a round.
const ACQUISITIONS: usize = 100_000;
/// The number of events in a round by id.
const EVENTS: usize = 100_000;
/// The same for a stream of rtlola for each id, which takes a thousand times as long.
const RTLOLA_EVENTS: usize = 500;
/// The numbers of ids.
const FEW: u32 = 1_000;
const MANY: u32 = 100_000;
/// The steps that a monitor records unless it is told otherwise.
const RECORDED: Recording = Recording::Last(10_000);

/// A contestant, with the number of events that one call reads.
struct Contestant<'a> {
    name: &'static str,
    count: usize,
    work: Box<dyn FnMut() -> usize + 'a>,
}

fn contestant<'a>(name: &'static str, count: usize, work: impl FnMut() -> usize + 'a) -> Contestant<'a> {
    Contestant { name, count, work: Box::new(work) }
}

/// A goal, the figure of this run, and whether it is reached.
struct Goal {
    text: String,
    figure: String,
    is_reached: bool,
}

/// The text before the figures.
const HEAD: &str = "\
# Events of a run per second, beside other monitors

`cd bench && cargo run --release -p selvedge-bench-watch`, printed by one run. Time is the CPU time of the thread, on a machine
that is shared with other work. Each figure is the median of 15 rounds in which the contestants take turns, in one process.
r2u2_core 4.2.4, rtlola-interpreter 0.11.0, tracing-mutex 0.3.3, deloxide 1.1.0; all are built with thin LTO and one codegen unit.
";

fn main() {
    if std::env::args().nth(1).as_deref() == Some(told::DELOXIDE) {
        return told::print_deloxide();
    }
    let is_alone = std::env::args().nth(1).as_deref() == Some("ours");
    let traces = [
        ("requests and answers", events::requests_and_answers(STATES)),
        ("coin flips", events::coin_flips(STATES)),
    ];
    println!("{HEAD}");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores, load {}.\n", load.split(' ').next().unwrap_or("unknown"));
    println!("```text");
    let mut goals = Vec::new();
    for (title, states) in &traces {
        response(title, states, is_alone, &mut goals);
    }
    by_id(is_alone, &mut goals);
    println!("one load from 16 megabytes {:>25.1}", memory::load_time());
    if !is_alone {
        acquisitions(&mut goals);
    }
    println!("```\n\n| goal | this run | |\n|---|---|---|");
    for Goal { text, figure, is_reached } in goals {
        println!("| {text} | {figure} | {} |", if is_reached { "reached" } else { "not reached" });
    }
    if !is_alone {
        println!("\n{}", told::table());
    }
    print!("{}", include_str!("notes.md"));
}

/// What a lock and its unlock cost, alone and inside of another one.
fn acquisitions(goals: &mut Vec<Goal>) {
    // Nothing is asked of our locks before the first call of `findings`.
    let unasked = measure(
        &mut [
            contestant("", ACQUISITIONS, locks::single::<Ours>(ACQUISITIONS)),
            contestant("", ACQUISITIONS, locks::nested::<Ours>(ACQUISITIONS)),
        ],
        ROUNDS,
    );
    Ours::findings();
    let mut contestants = [
        contestant("", ACQUISITIONS, locks::single::<Plain>(ACQUISITIONS)),
        contestant("", ACQUISITIONS, locks::nested::<Plain>(ACQUISITIONS)),
        contestant("", ACQUISITIONS, locks::single::<Ours>(ACQUISITIONS)),
        contestant("", ACQUISITIONS, locks::nested::<Ours>(ACQUISITIONS)),
        contestant("", ACQUISITIONS, locks::single::<TracingMutex>(ACQUISITIONS)),
        contestant("", ACQUISITIONS, locks::nested::<TracingMutex>(ACQUISITIONS)),
    ];
    let times = measure(&mut contestants, ROUNDS);
    println!("\n{:<42}{:>10}{:>12}", "lock and unlock, ns", "one", "two nested");
    let rows = [
        ("std", &times[0..2]),
        ("selvedge, orders not asked for", &unasked[..]),
        ("selvedge, orders checked", &times[2..4]),
        ("tracing-mutex", &times[4..6]),
    ];
    for (name, times) in rows {
        println!("{name:<42}{:>10.1}{:>12.1}", times[0], times[1]);
    }
    for (at, name, most) in [(2, "one lock and unlock", 0.6), (3, "two nested locks and unlocks", 0.4)] {
        let ratio = times[at] / times[at + 2];
        goals.push(Goal {
            text: format!("{name} with checked orders: at most {most} of `tracing-mutex`'s time"),
            figure: format!("{ratio:.2}"),
            is_reached: ratio <= most,
        });
    }
}

fn response(trace: &str, states: &[State], is_alone: bool, goals: &mut Vec<Goal>) {
    let mut contestants = vec![
        contestant("selvedge-monitor", STATES, ours::response(states, RECORDED)),
        contestant("  by number", STATES, ours::response_by_number(states, RECORDED)),
        contestant("  by number, no path", STATES, ours::response_by_number(states, Recording::Off)),
        contestant("  over facts", STATES, ours::response_of_facts(states)),
    ];
    let ours = contestants.len();
    if !is_alone {
        contestants.push(contestant("r2u2_core, F[0,15]", STATES, r2u2::response(states)));
        contestants.push(contestant("rtlola-interpreter", STATES, rtlola::response(states)));
    }
    let times = measure(&mut contestants, if is_alone { 1 } else { ROUNDS });
    let title = format!("G (a -> F b), {trace}");
    println!("{title:<42}{:>10}{:>12}{:>12}{:>12}", "ns/event", "events/s", "of r2u2's", "of rtlola's");
    for (at, (contestant, time)) in contestants.iter().zip(&times).enumerate() {
        let beside = |peer: usize| match times.get(peer) {
            Some(peer) if at < ours => format!("{:.1} x", peer / time),
            _ => String::new(),
        };
        let (r2u2, rtlola) = (beside(ours), beside(ours + 1));
        println!("{:<42}{time:>10.1}{:>12.0}{r2u2:>12}{rtlola:>12}", contestant.name, 1e9 / time);
    }
    println!();
    for (peer, name) in times[ours..].iter().zip(["`r2u2_core`", "`rtlola-interpreter`"]) {
        let ratio = peer / times[0];
        goals.push(Goal {
            text: format!("5 times the events per second of {name}, {trace}"),
            figure: format!("{ratio:.1} times"),
            is_reached: ratio >= 5.0,
        });
    }
}

fn by_id(is_alone: bool, goals: &mut Vec<Goal>) {
    let (first, few) = events::by_id(FEW, EVENTS);
    let (first_of_many, many) = events::by_id(MANY, EVENTS);
    let mut contestants = vec![
        contestant("1,000 ids", EVENTS, ours::by_id(&first, &few)),
        contestant("100,000 ids", EVENTS, ours::by_id(&first_of_many, &many)),
        contestant("1,000 ids, at once", EVENTS, ours::by_id_at_once(&first, &few)),
        contestant("100,000 ids, at once", EVENTS, ours::by_id_at_once(&first_of_many, &many)),
        contestant("1,000 ids, by number", EVENTS, ours::by_id_by_number(FEW, &first, &few)),
        contestant("100,000 ids, by number", EVENTS, ours::by_id_by_number(MANY, &first_of_many, &many)),
    ];
    let rtlola_events = &few[..RTLOLA_EVENTS];
    if !is_alone {
        contestants.push(contestant(
            "1,000 ids, rtlola",
            RTLOLA_EVENTS,
            rtlola::by_id(&first, rtlola_events),
        ));
    }
    let times = measure(&mut contestants, if is_alone { 1 } else { ROUNDS });
    let title = "forall r: G (request(r) -> F answer(r))";
    println!("{title:<42}{:>10}{:>12}{:>12}{:>12}", "ns/event", "events/s", "of 1,000", "of rtlola's");
    for (at, (contestant, time)) in contestants.iter().zip(&times).enumerate() {
        let growth =
            if matches!(at, 1 | 3 | 5) { format!("{:.1} x", time / times[at - 1]) } else { String::new() };
        let rtlola = match times.get(6) {
            Some(rtlola) if matches!(at, 0 | 2 | 4) => format!("1/{:.0}", rtlola / time),
            _ => String::new(),
        };
        println!("{:<42}{time:>10.1}{:>12.0}{growth:>12}{rtlola:>12}", contestant.name, 1e9 / time);
    }
    for (at, how) in [(2, "at once (`pulse_all`)"), (0, "one by one (`pulse`)")] {
        let growth = times[at + 1] / times[at];
        goals.push(Goal {
            text: format!("an event of 100,000 ids takes at most 3 times as long as one of 1,000, {how}"),
            figure: format!("{growth:.1} times"),
            is_reached: growth <= 3.0,
        });
    }
    if let Some(rtlola) = times.get(6) {
        let ratio = rtlola / times[0];
        goals.push(Goal {
            text: "an event of 1,000 ids takes a hundredth of `rtlola-interpreter`'s time".to_owned(),
            figure: format!("1/{ratio:.0}"),
            is_reached: ratio >= 100.0,
        });
    }
}

/// The median of the nanoseconds for one event, for each contestant.
fn measure(contestants: &mut [Contestant<'_>], rounds: usize) -> Vec<f64> {
    // One round before the others: tables are filled in it.
    for contestant in &mut *contestants {
        std::hint::black_box((contestant.work)());
    }
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        for (times, contestant) in times.iter_mut().zip(contestants.iter_mut()) {
            let start = clock::now();
            std::hint::black_box((contestant.work)());
            times.push(clock::since(start).as_nanos() as f64 / contestant.count as f64);
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.iter().map(|times| times[rounds / 2]).collect()
}
