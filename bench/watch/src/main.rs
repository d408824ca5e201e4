//! Events of a run per second beside other monitors: the same events, in one process.
//!
//! `cargo run --release -p selvedge-bench-watch` in `bench/` fills the tables of `RESULTS-watch.md`, with
//! the goals and whether this run reaches them. The contestants take turns; time is the computing time of
//! the thread.
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
//! `cargo run --release -p selvedge-bench-watch ours` makes one round of `selvedge-monitor` alone and writes
//! nothing, for `valgrind --tool=callgrind`: every contestant is called twice.

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
use selvedge_bench_harness::machine::crate_version;
use selvedge_bench_harness::{Clock, Plan, Run, Samples, Table, number};
use selvedge_monitor::Recording;
use std::process::ExitCode;

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

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some(told::DELOXIDE) {
        told::print_deloxide();
        return ExitCode::SUCCESS;
    }
    let is_alone = argument.as_deref() == Some("ours");
    let traces = [
        ("requests", "requests and answers", events::requests_and_answers(STATES)),
        ("flips", "coin flips", events::coin_flips(STATES)),
    ];
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-watch.md");
    let peers = ["r2u2_core", "rtlola-interpreter", "tracing-mutex", "deloxide"];
    run.head("run", &peers.map(crate_version));
    let mut goals = Vec::new();
    let rounds = if is_alone { 1 } else { run.plan.repetitions };
    for (name, title, states) in &traces {
        run.table(&response((name, title), states, (is_alone, rounds), &mut goals));
    }
    run.table(&by_id(is_alone, rounds, &mut goals));
    if is_alone {
        return ExitCode::SUCCESS;
    }
    run.fill("load", &format!("One load from 16 megabytes: {} ns.", number(memory::load_time())));
    run.table(&acquisitions(rounds, &mut goals));
    let mut table = Table::new("goals", &["goal", "this run", "reached"]);
    for Goal { text, figure, is_reached } in goals {
        table.row(vec![text, figure, if is_reached { "yes" } else { "no" }.to_owned()]);
    }
    run.table(&table);
    let (table, wrong) = told::table();
    run.table(&table);
    wrong.iter().for_each(|program| run.complain(&format!("a wrong answer on: {program}")));
    run.finish()
}

/// What a lock and its unlock cost, alone and inside of another one.
fn acquisitions(rounds: usize, goals: &mut Vec<Goal>) -> Table {
    // Nothing is asked of our locks before the first call of `findings`.
    let unasked = measure(
        &mut [
            contestant("", ACQUISITIONS, locks::single::<Ours>(ACQUISITIONS)),
            contestant("", ACQUISITIONS, locks::nested::<Ours>(ACQUISITIONS)),
        ],
        rounds,
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
    let times = measure(&mut contestants, rounds);
    let rows = [
        ("std", &times[0..2]),
        ("selvedge, orders not asked for", &unasked[..]),
        ("selvedge, orders checked", &times[2..4]),
        ("tracing-mutex", &times[4..6]),
    ];
    let mut table = Table::new("locks", &["lock and unlock", "one, ns", "two nested, ns"]);
    for (name, times) in rows {
        table.row(vec![name.to_owned(), number(times[0].median()), number(times[1].median())]);
    }
    for (at, name, most) in [(2, "one lock and unlock", 0.6), (3, "two nested locks and unlocks", 0.4)] {
        let ratio = times[at].over(&times[at + 2]).median();
        goals.push(Goal {
            text: format!("{name} with checked orders: at most {most} of `tracing-mutex`'s time"),
            figure: number(ratio),
            is_reached: ratio <= most,
        });
    }
    table
}

fn response(
    (name, trace): (&'static str, &str),
    states: &[State],
    (is_alone, rounds): (bool, usize),
    goals: &mut Vec<Goal>,
) -> Table {
    let mut contestants = vec![
        contestant("selvedge-monitor", STATES, ours::response(states, RECORDED)),
        contestant("by number", STATES, ours::response_by_number(states, RECORDED)),
        contestant("by number, no path", STATES, ours::response_by_number(states, Recording::Off)),
        contestant("over facts", STATES, ours::response_of_facts(states)),
    ];
    let ours = contestants.len();
    if !is_alone {
        contestants.push(contestant("r2u2_core, F[0,15]", STATES, r2u2::response(states)));
        contestants.push(contestant("rtlola-interpreter", STATES, rtlola::response(states)));
    }
    let times = measure(&mut contestants, rounds);
    let columns = ["monitor", "events/s by r2u2's", "spread", "events/s by rtlola's", "rtlola spread"];
    let mut table = Table::new(name, &[&columns[..], &["ns for an event", "events/s"]].concat());
    for (at, (contestant, time)) in contestants.iter().zip(&times).enumerate() {
        let beside = |peer: usize| match times.get(peer) {
            Some(peer) if at < ours => Table::ratio(&peer.over(time)),
            _ => [String::new(), String::new()],
        };
        let mut cells = vec![contestant.name.to_owned()];
        cells.extend([beside(ours), beside(ours + 1)].into_iter().flatten());
        cells.extend([number(time.median()), number(1e9 / time.median())]);
        table.row(cells);
    }
    for (peer, name) in times[ours..].iter().zip(["`r2u2_core`", "`rtlola-interpreter`"]) {
        let ratio = peer.over(&times[0]).median();
        goals.push(Goal {
            text: format!("5 times the events per second of {name}, {trace}"),
            figure: format!("{} times", number(ratio)),
            is_reached: ratio >= 5.0,
        });
    }
    table
}

fn by_id(is_alone: bool, rounds: usize, goals: &mut Vec<Goal>) -> Table {
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
        let work = rtlola::by_id(&first, rtlola_events);
        contestants.push(contestant("1,000 ids, rtlola", RTLOLA_EVENTS, work));
    }
    let times = measure(&mut contestants, rounds);
    let columns = ["ids", "events/s by rtlola's", "spread", "time by that of 1,000", "ns for an event"];
    let mut table = Table::new("ids", &[&columns[..], &["events/s"]].concat());
    for (at, (contestant, time)) in contestants.iter().zip(&times).enumerate() {
        let is_many = matches!(at, 1 | 3 | 5);
        let growth = if is_many { number(time.over(&times[at - 1]).median()) } else { String::new() };
        let rtlola = match times.get(6) {
            Some(rtlola) if matches!(at, 0 | 2 | 4) => Table::ratio(&rtlola.over(time)),
            _ => [String::new(), String::new()],
        };
        let mut cells = vec![contestant.name.to_owned()];
        cells.extend(rtlola);
        cells.extend([growth, number(time.median()), number(1e9 / time.median())]);
        table.row(cells);
    }
    for (at, how) in [(2, "at once (`pulse_all`)"), (0, "one by one (`pulse`)")] {
        let growth = times[at + 1].over(&times[at]).median();
        goals.push(Goal {
            text: format!("an event of 100,000 ids takes at most 3 times as long as one of 1,000, {how}"),
            figure: format!("{} times", number(growth)),
            is_reached: growth <= 3.0,
        });
    }
    if let Some(rtlola) = times.get(6) {
        let ratio = rtlola.over(&times[0]).median();
        goals.push(Goal {
            text: "an event of 1,000 ids takes a hundredth of `rtlola-interpreter`'s time".to_owned(),
            figure: format!("1/{ratio:.0}"),
            is_reached: ratio >= 100.0,
        });
    }
    table
}

/// The nanoseconds for one event in each round, for each contestant.
fn measure(contestants: &mut [Contestant<'_>], rounds: usize) -> Vec<Samples> {
    // One round before the others: tables are filled in it.
    for contestant in &mut *contestants {
        std::hint::black_box((contestant.work)());
    }
    let mut times = vec![Samples::default(); contestants.len()];
    for _ in 0..rounds {
        for (times, contestant) in times.iter_mut().zip(contestants.iter_mut()) {
            let (count, seconds) = Clock::Thread.time(|| (contestant.work)());
            std::hint::black_box(count);
            times.push(seconds * 1e9 / contestant.count as f64);
        }
    }
    times
}
