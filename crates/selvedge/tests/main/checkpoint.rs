//! An exploration that was stopped, or killed, goes on from where it was.

#![cfg(feature = "check")]

use crate::soundness::program;

use program::Program;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{Bounds, Explorer, Keep, Limit, MemoryModel, Report, Strategy, thread};
use selvedge_explore::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A file for this test alone, which is not there yet.
fn file(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.checkpoint", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Threads that read and write back what they read plus one: some are lost.
fn increments(threads: usize, times: usize) -> usize {
    let x = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..times {
                    let read = x.load(Ordering::SeqCst);
                    x.store(read + 1, Ordering::SeqCst);
                }
            });
        }
    });
    x.load(Ordering::SeqCst)
}

/// Explores in steps of so many runs, each from the checkpoint of the one before.
fn in_steps<T>(
    path: &Path,
    by: u64,
    explorer: impl Fn(usize) -> Explorer,
    body: impl Fn() -> T + Send + Sync,
) -> (Report<T>, usize)
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    for step in 1.. {
        let report = explorer(step).checkpoint(path).max_executions(step as u64 * by).explore(&body);
        if report.limit().is_none() {
            assert!(!path.exists(), "the file is removed at the end");
            return (report, step);
        }
        assert!(path.exists(), "{report}");
        assert_eq!((report.executions() + report.given_up()) as u64, step as u64 * by);
    }
    unreachable!("steps have no end")
}

#[test]
fn steps_make_the_whole() {
    let path = file("steps");
    let bounds = Bounds { preemptions: Some(2), ..Bounds::NONE };
    let strategies: [fn(Bounds) -> Strategy; 7] = [
        |_| Strategy::systematic(),
        |_| Strategy::exhaustive(),
        |bounds| Strategy::systematic().bounded(bounds),
        |bounds| Strategy::systematic().deepening(bounds),
        |_| Strategy::random(3, 100),
        |_| Strategy::pct(3, 3, 100),
        |_| Strategy::swarm(3, 100),
    ];
    for strategy in strategies {
        let explorer = || Explorer::new().memory(MemoryModel::Sc).strategy(strategy(bounds));
        let whole = explorer().explore(|| increments(2, 2));
        let (report, steps) = in_steps(&path, 10, |_| explorer(), || increments(2, 2));
        assert!(steps > 1);
        assert_eq!(report.outcomes(), whole.outcomes(), "{report}");
        assert_eq!(
            (report.executions(), report.given_up()),
            (whole.executions(), whole.given_up()),
            "{report}"
        );
        assert_eq!(
            (report.is_complete(), report.figures()),
            (whole.is_complete(), whole.figures()),
            "{report}"
        );
    }
}

#[test]
fn steps_of_random_programs_make_the_whole_with_any_number_of_workers() {
    let path = file("programs");
    let mut random = Random(31);
    let mut compared = 0;
    while compared < 150 {
        let program = Program::draw(&mut random, [4, 3, 2]);
        let memory = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso][compared % 3];
        let explorer = || Explorer::new().memory(memory).simplify(false);
        let whole = explorer().max_executions(300).explore(|| program.run());
        if whole.limit().is_some() || whole.executions() < 10 || !program.joins || whole.given_up() > 0 {
            continue;
        }
        compared += 1;
        let (one, _) = in_steps(&path, 7, |_| explorer(), || program.run());
        assert!(one.outcomes().keys().eq(whole.outcomes().keys()), "{program:#?}\n{one}\n{whole}");
        assert_eq!(one.executions(), whole.executions(), "{program:#?}\n{one}\n{whole}");
        let (many, _) = in_steps(&path, 7, |step| explorer().workers(step % 3 + 1), || program.run());
        assert!(many.outcomes().keys().eq(whole.outcomes().keys()), "{program:#?}\n{many}\n{whole}");
        assert_eq!(many.executions(), whole.executions(), "{program:#?}\n{many}\n{whole}");
    }
}

#[test]
fn outcomes_without_their_runs_are_had_again() {
    let path = file("keeping");
    let explore = |most| {
        let explorer = Explorer::new().memory(MemoryModel::Sc).checkpoint(&path).max_executions(most);
        explorer.explore_keeping(|| increments(2, 2), |_| Keep::Outcome)
    };
    assert_eq!(explore(20).limit(), Some(Limit::Executions));
    let report = explore(100);
    assert_eq!((report.executions(), report.values().copied().collect()), (34, vec![2, 3, 4]));
    assert!(report.outcomes().values().all(|trace| trace.is_empty()));
}

/// What going on from a checkpoint is refused with.
fn refusal(explorer: Explorer, body: impl Fn() -> usize + Send + Sync) -> String {
    let refused = catch_unwind(AssertUnwindSafe(|| explorer.explore(body)));
    let payload = refused.expect_err("it is refused");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_file_that_does_not_fit_is_refused_and_kept() {
    let path = file("refused");
    let explorer = || Explorer::new().memory(MemoryModel::Sc).checkpoint(&path);
    explorer().max_executions(10).explore(|| increments(2, 2));
    let saved = std::fs::read_to_string(&path).expect("a checkpoint");
    let check = |explorer: Explorer, expected: &str| {
        let message = refusal(explorer, || increments(2, 2));
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(path.exists());
    };
    check(explorer().memory(MemoryModel::Tso), "its memory is `Sc`, and that of this exploration is `Tso`");
    check(explorer().strategy(Strategy::exhaustive()), "its strategy is `systematic`");
    check(explorer().max_steps(7), "its steps is `100000`");
    for (from, to, expected) in [
        (
            "selvedge-checkpoint 1",
            "selvedge-checkpoint 9",
            "it is of version 9; this program reads version 1",
        ),
        ("selvedge-checkpoint", "something", "it is not a checkpoint"),
        ("node", "nude", "it is damaged"),
    ] {
        std::fs::write(&path, saved.replacen(from, to, 1)).expect("a file");
        check(explorer(), expected);
    }
    std::fs::write(&path, &saved[..saved.len() / 2]).expect("a file");
    check(explorer(), "it is damaged");
    std::fs::write(&path, &saved).expect("a file");
    let message = refusal(explorer(), || increments(2, 2) + 1);
    assert!(message.contains("the program has changed"), "{message}");
    let message = refusal(explorer(), || {
        thread::yield_now();
        increments(2, 2)
    });
    assert!(message.contains("the program has changed"), "{message}");
    assert_eq!(std::fs::read_to_string(&path).expect("still there"), saved);
    assert_eq!(explorer().explore(|| increments(2, 2)).executions(), 34);
}

#[test]
fn what_cannot_be_written_down_is_refused() {
    let explorer =
        Explorer::new().strategy(Strategy::custom(selvedge_explore::schedulers::Follow::new(Vec::new())));
    let message = refusal(explorer.checkpoint(file("own")), || 0);
    assert!(message.contains("cannot be written down as a checkpoint"), "{message}");
}

/// Set in a process that is to be killed, to the file.
#[cfg(unix)]
const VICTIM: &str = "SELVEDGE_TEST_VICTIM";

/// Long enough for some checkpoints, and to be killed in between.
#[cfg(unix)]
fn explore_slowly(path: &Path, workers: usize, is_slow: bool) -> Report<usize> {
    let explorer = Explorer::new().memory(MemoryModel::Sc).workers(workers).checkpoint(path);
    let body = move || {
        if is_slow {
            std::thread::sleep(std::time::Duration::from_millis(4));
        }
        increments(3, 2)
    };
    // An exploration is known by the name of the thread that began it.
    let thread = std::thread::Builder::new().name("slow".to_owned());
    let thread = thread.spawn(move || explorer.explore(body)).expect("a thread");
    thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
}

#[cfg(unix)]
#[test]
#[ignore = "what the next test starts, to kill it"]
fn a_victim() {
    if let Some(path) = std::env::var_os(VICTIM) {
        let workers = std::env::var("SELVEDGE_TEST_WORKERS").ok().and_then(|word| word.parse().ok());
        explore_slowly(Path::new(&path), workers.unwrap_or(1), true);
    }
}

#[cfg(unix)]
#[test]
fn an_exploration_that_is_killed_loses_little_and_counts_nothing_twice() {
    for workers in [1, 2] {
        let path = file(&format!("killed-{workers}"));
        let program = std::env::current_exe().expect("this program");
        let mut last = 0;
        for _ in 0..2 {
            let mut child = std::process::Command::new(&program)
                .args(["--ignored", "--exact", "checkpoint::a_victim"])
                .env(VICTIM, &path)
                .env("SELVEDGE_TEST_WORKERS", workers.to_string())
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("another process");
            let begun = || {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let line = text.lines().find_map(|line| line.strip_prefix("executions ")).map(str::to_owned);
                line.and_then(|line| line.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
            };
            while begun() <= last && child.try_wait().expect("a child").is_none() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            child.kill().expect("SIGKILL");
            let _ = child.wait();
            assert!(begun() > last, "it went on from {last}, to {}", begun());
            last = begun();
        }
        let report = explore_slowly(&path, workers, false);
        assert!(report.is_complete() && !path.exists());
        assert_eq!((report.executions(), report.values().copied().collect()), (7134, vec![2, 3, 4, 5, 6]));
    }
}
