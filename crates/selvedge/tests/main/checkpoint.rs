//! A stopped or killed exploration continues from its checkpoint.

#![cfg(feature = "check")]

use crate::soundness::program;

use program::Program;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{Bounds, Explorer, Keep, Limit, MemoryModel, Report, Strategy, thread};
use selvedge_explore::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The path of a checkpoint for this test alone. The file does not exist yet.
fn checkpoint_path(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.checkpoint", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// The threads increment a counter by a load and a store, so that some increments are lost.
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

/// Explores in stages of this many runs; each stage continues from the checkpoint of the stage before.
/// Returns the last report and the number of stages.
fn explore_in_stages<T>(
    path: &Path,
    runs_per_stage: u64,
    explorer: impl Fn(usize) -> Explorer,
    body: impl Fn() -> T + Send + Sync,
) -> (Report<T>, usize)
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    for stage in 1.. {
        let max_executions = stage as u64 * runs_per_stage;
        let report = explorer(stage).checkpoint(path).max_executions(max_executions).explore(&body);
        if report.limit().is_none() {
            assert!(!path.exists(), "the file is removed at the end");
            return (report, stage);
        }
        assert!(path.exists(), "{report}");
        assert_eq!((report.executions() + report.given_up()) as u64, max_executions);
    }
    unreachable!("there is no last number")
}

#[test]
fn an_exploration_in_stages_equals_an_uninterrupted_exploration() {
    let path = checkpoint_path("steps");
    let bounds = Bounds { preemptions: Some(2), ..Bounds::NONE };
    let strategies: [fn(Bounds) -> Strategy; 8] = [
        |_| Strategy::mixed(3, 100),
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
        let (report, stages) = explore_in_stages(&path, 10, |_| explorer(), || increments(2, 2));
        assert!(stages > 1);
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
fn stages_with_any_number_of_workers_equal_an_uninterrupted_exploration_of_random_programs() {
    let path = checkpoint_path("programs");
    let mut random = Random(31);
    let mut compared = 0;
    while compared < 150 {
        let program = Program::draw(&mut random, [4, 3, 2]);
        let memory = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso][compared % 3];
        let explorer = || Explorer::new().memory(memory).simplify(false).deadlines(program.reads_clock());
        let whole = explorer().max_executions(300).explore(|| program.run());
        if whole.limit().is_some() || whole.executions() < 10 || !program.joins || whole.given_up() > 0 {
            continue;
        }
        compared += 1;
        let (one, _) = explore_in_stages(&path, 7, |_| explorer(), || program.run());
        assert!(one.outcomes().keys().eq(whole.outcomes().keys()), "{program:#?}\n{one}\n{whole}");
        assert_eq!(one.executions(), whole.executions(), "{program:#?}\n{one}\n{whole}");
        let (many, _) =
            explore_in_stages(&path, 7, |stage| explorer().workers(stage % 3 + 1), || program.run());
        assert!(many.outcomes().keys().eq(whole.outcomes().keys()), "{program:#?}\n{many}\n{whole}");
        assert_eq!(many.executions(), whole.executions(), "{program:#?}\n{many}\n{whole}");
    }
}

#[test]
fn verdicts_on_formulas_are_restored() {
    let path = checkpoint_path("verdicts");
    let name = "a \\ of\ntwo lines";
    let body = || {
        selvedge::check(name, "!b U a");
        let other = selvedge::thread::spawn(|| (0..3).for_each(|_| selvedge::prop::pulse("b")));
        (0..3).for_each(|_| selvedge::prop::pulse("a"));
        other.join().unwrap();
    };
    let explorer = || Explorer::new().memory(MemoryModel::Sc);
    let whole = explorer().explore(body);
    let (report, stages) = explore_in_stages(&path, 7, |_| explorer(), body);
    assert_eq!((report.executions(), stages), (20, 3));
    assert_eq!(report.formulas(), whole.formulas());
    let runs = report.formulas()[name];
    assert_eq!((runs.held, runs.violated, runs.undecided), (10, 10, 0));
}

#[test]
fn outcomes_kept_without_their_runs_are_restored() {
    let path = checkpoint_path("keeping");
    let explore = |max_executions| {
        let explorer =
            Explorer::new().memory(MemoryModel::Sc).checkpoint(&path).max_executions(max_executions);
        explorer.explore_keeping(|| increments(2, 2), |_| Keep::Outcome)
    };
    assert_eq!(explore(20).limit(), Some(Limit::Executions));
    let report = explore(100);
    assert_eq!((report.executions(), report.values().copied().collect()), (34, vec![2, 3, 4]));
    assert!(report.outcomes().values().all(|trace| trace.is_empty()));
}

/// The message with which an exploration refuses its checkpoint.
fn refusal(explorer: Explorer, body: impl Fn() -> usize + Send + Sync) -> String {
    let refused = catch_unwind(AssertUnwindSafe(|| explorer.explore(body)));
    let payload = refused.expect_err("it is refused");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_checkpoint_that_does_not_match_is_refused_and_not_deleted() {
    let path = checkpoint_path("refused");
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
            "selvedge-checkpoint 4",
            "selvedge-checkpoint 9",
            "it is of version 9; this program reads version 4",
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
fn a_strategy_without_a_written_form_refuses_checkpoints() {
    let explorer =
        Explorer::new().strategy(Strategy::custom(selvedge_explore::schedulers::Follow::new(Vec::new())));
    let message = refusal(explorer.checkpoint(checkpoint_path("own")), || 0);
    assert!(message.contains("cannot be written down as a checkpoint"), "{message}");
}

/// Set in the child process that a test kills: the path of its checkpoint.
#[cfg(unix)]
const VICTIM: &str = "SELVEDGE_TEST_VICTIM";

/// With `is_slow`, takes long enough to write several checkpoints and to be killed between them.
#[cfg(unix)]
fn explore_slowly(path: &Path, workers: usize, is_slow: bool) -> Report<usize> {
    let explorer = Explorer::new().memory(MemoryModel::Sc).workers(workers).checkpoint(path);
    let body = move || {
        if is_slow {
            std::thread::sleep(std::time::Duration::from_millis(4));
        }
        increments(3, 2)
    };
    // A checkpoint identifies its exploration by the name of the thread that began it.
    let thread = std::thread::Builder::new().name("slow".to_owned());
    let thread = thread.spawn(move || explorer.explore(body)).expect("a thread");
    thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
}

#[cfg(unix)]
#[test]
#[ignore = "the next test starts it as a child process and kills it"]
fn a_child_process_to_be_killed() {
    if let Some(path) = std::env::var_os(VICTIM) {
        let workers = std::env::var("SELVEDGE_TEST_WORKERS").ok().and_then(|word| word.parse().ok());
        explore_slowly(Path::new(&path), workers.unwrap_or(1), true);
    }
}

#[cfg(unix)]
#[test]
fn a_killed_exploration_loses_few_runs_and_counts_no_run_twice() {
    for workers in [1, 2] {
        let path = checkpoint_path(&format!("killed-{workers}"));
        let program = std::env::current_exe().expect("this program");
        let mut last = 0;
        for _ in 0..2 {
            let mut child = std::process::Command::new(&program)
                .args(["--ignored", "--exact", "checkpoint::a_child_process_to_be_killed"])
                .env(VICTIM, &path)
                .env("SELVEDGE_TEST_WORKERS", workers.to_string())
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("another process");
            let saved_runs = || {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let line = text.lines().find_map(|line| line.strip_prefix("executions ")).map(str::to_owned);
                line.and_then(|line| line.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
            };
            while saved_runs() <= last && child.try_wait().expect("a child").is_none() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            child.kill().expect("SIGKILL");
            let _ = child.wait();
            assert!(saved_runs() > last, "the child continued from {last} to {}", saved_runs());
            last = saved_runs();
        }
        let report = explore_slowly(&path, workers, false);
        assert!(report.is_complete() && !path.exists());
        assert_eq!((report.executions(), report.values().copied().collect()), (7134, vec![2, 3, 4, 5, 6]));
    }
}
