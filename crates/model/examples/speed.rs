//! The speed of storage and search on cyclic counters, a synthetic system of any size.
//!
//! `cargo run --release -p selvedge-model --example speed -- 7 8` has 8 to the power of 7 states.

#![allow(clippy::print_stdout)]

use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::{
    Budget, Fairness, Options, Order, ProcessId, States, Stats, Steps, System, Word, check, explore,
};
use std::time::Instant;

/// Each process counts modulo `modulus`; all counters are packed in one word.
struct Rounds {
    processes: u32,
    modulus: u64,
}

const BITS: u32 = 8;

impl System for Rounds {
    type Action = u32;

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        self.processes as usize
    }

    fn initial(&self, out: &mut States) {
        out.push(&[0]);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<u32>) {
        for process in 0..self.processes {
            let count = state[0] >> (BITS * process) & 0xFF;
            let next = if count + 1 == self.modulus { 0 } else { count + 1 };
            out.push(process, state)[0] += next.wrapping_sub(count) << (BITS * process);
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        Letter::exactly(u64::from(state[0] & 0xFF == 0))
    }

    fn process(&self, action: u32) -> Option<ProcessId> {
        Some(ProcessId(action))
    }

    fn describe(&self, action: u32) -> String {
        format!("counter {action} goes on")
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let count = |process| state[0] >> (BITS * process) & 0xFF;
        (0..self.processes).map(|process| (format!("c{process}"), count(process).to_string())).collect()
    }
}

fn report(what: &str, stats: &Stats) {
    let seconds = stats.time.as_secs_f64();
    println!(
        "{what:<28} {:>9} states  {:>6.2} M states/s  {:>6.2} M steps/s  {:>6.1} bytes a state",
        stats.states,
        stats.states as f64 / seconds / 1e6,
        stats.transitions as f64 / seconds / 1e6,
        stats.bytes as f64 / stats.states as f64,
    );
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u32>().ok());
    let processes = numbers.next().unwrap_or(7).clamp(1, 8);
    let modulus = u64::from(numbers.next().unwrap_or(8)).clamp(1, 256);
    let system = Rounds { processes, modulus };
    let start = Instant::now();
    let clock = || start.elapsed();
    let budget = Budget { clock: &clock, ..Budget::default() };
    for order in [Order::BreadthFirst, Order::DepthFirst, Order::Random(1)] {
        report(&format!("{order:?}"), &explore(&system, order, budget, &mut ()).stats);
    }
    let again_and_again = Formula::prop(Prop(0)).eventually().always();
    let true_always = (Formula::prop(Prop(1)).implies(Formula::prop(Prop(1)).next())).always();
    for (formula, fairness) in [
        (&true_always, Fairness::None),
        (&again_and_again, Fairness::Weak),
        (&again_and_again, Fairness::Strong),
    ] {
        let options = Options { fairness, budget, ..Options::default() };
        let checked = check(&system, formula, options).expect("few processes");
        report(&format!("LTL, {fairness:?} fairness"), &checked.stats);
    }
}
