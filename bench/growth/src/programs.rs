//! Rust programs: complete explorations by ours, loom and shuttle's depth-first search.
//!
//! ours explores by optimal partial-order reduction under sequential consistency; loom by its own reduction
//! under the model of C11; shuttle's `check_dfs` makes every schedule.

use crate::series::{Answer, Tool, own_process};
use selvedge::{Explorer, MemoryModel};
use selvedge_bench_explore::growing::{with_loom, with_selvedge, with_shuttle};
use selvedge_bench_harness::child::{Ended, Limits};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) const NAMES: [&str; 4] = ["readers", "lastzero", "indexer", "mutex counters"];

const OURS: &str = "selvedge";
const LOOM: &str = "loom";
const SHUTTLE: &str = "shuttle";

/// loom's limit of threads, with the main thread.
const LOOM_THREADS: usize = loom::MAX_THREADS;

/// The largest size of the programs: the table of `indexer` has 128 cells, four for each thread.
const LARGEST: usize = 30;

struct ProgramTool {
    tool: &'static str,
    program: String,
}

pub(crate) fn tools(program: &str) -> Vec<Box<dyn Tool>> {
    let tool = |tool| Box::new(ProgramTool { tool, program: program.to_owned() }) as Box<dyn Tool>;
    [OURS, LOOM, SHUTTLE].map(tool).into()
}

/// Is this one of the programs here, and a tool for them?
pub(crate) fn has(tool: &str, program: &str) -> bool {
    NAMES.contains(&program) && [OURS, LOOM, SHUTTLE].contains(&tool)
}

impl Tool for ProgramTool {
    fn name(&self) -> &'static str {
        self.tool
    }

    fn sizes(&self) -> RangeInclusive<usize> {
        // `readers` and `lastzero` have a thread more than n.
        let more = usize::from(self.program == "readers" || self.program == "lastzero");
        1..=if self.tool == LOOM { LOOM_THREADS - 1 - more } else { LARGEST }
    }

    fn last_reason(&self) -> &'static str {
        if self.tool == LOOM { "loom's limit of threads" } else { "the largest size" }
    }

    fn point(&self, n: usize, limits: Limits) -> Result<(Answer, Ended), String> {
        own_process(self.tool, &self.program, n, limits)
    }
}

/// Explores, in this process. The number of executions, and the verdict.
pub(crate) fn point(tool: &str, program: &str, n: usize) -> String {
    let executions = match tool {
        OURS => ours(program, n),
        LOOM => {
            let body = with_loom::named(program);
            let mut builder = loom::model::Builder::new();
            builder.max_branches = 1_000_000;
            counted(|count| {
                builder.check(move || {
                    count.fetch_add(1, Ordering::Relaxed);
                    body(n);
                });
            })
        }
        SHUTTLE => {
            let body = with_shuttle::named(program);
            counted(|count| {
                let body = move || {
                    count.fetch_add(1, Ordering::Relaxed);
                    body(n);
                };
                shuttle::check_dfs(body, None);
            })
        }
        other => panic!("there is no tool {other}"),
    };
    // A failing execution ends the process.
    format!("{executions} holds")
}

fn ours(program: &str, n: usize) -> usize {
    let body: fn(usize) = match program {
        // Its cells are used once before there are threads; otherwise runs are begun in vain.
        "indexer" => |n| selvedge_testkit::scaling::indexer(n, true),
        other => with_selvedge::named(other),
    };
    let report = Explorer::new().memory(MemoryModel::Sc).explore(move || body(n));
    assert!(report.is_complete(), "{report}");
    assert!(report.outcomes().keys().all(|outcome| outcome.returned().is_some()), "{report}");
    report.executions()
}

/// The number to which the work counts.
fn counted(work: impl FnOnce(&'static AtomicUsize)) -> usize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    work(&COUNT);
    COUNT.load(Ordering::Relaxed)
}
