//! A series of points: one tool, one program, n = 1, 2, 3 and so on.

use selvedge_bench_harness::Run;
use selvedge_bench_harness::child::{self, End, Ended, Limits};
use std::process::Command;

/// A tool that can search a program of size n.
pub(crate) trait Tool {
    fn name(&self) -> &'static str;

    /// The sizes that it can be asked for.
    fn sizes(&self) -> std::ops::RangeInclusive<usize>;

    /// Why there is no larger size.
    fn last_reason(&self) -> &'static str {
        "the largest size"
    }

    /// Searches the program in a process of its own: the answer and the number of executions or states, and
    /// the process.
    ///
    /// # Errors
    ///
    /// The tool is missing, or fails.
    fn point(&self, n: usize, limits: Limits) -> Result<(Answer, Ended), String>;
}

/// What a search says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// The verdict, with the number of executions or states.
    Verdict(String, f64),
    /// A limit ended it.
    Cut,
}

/// A point that was measured to its end.
pub(crate) struct Point {
    pub(crate) n: usize,
    pub(crate) verdict: String,
    pub(crate) count: f64,
    pub(crate) seconds: f64,
    pub(crate) mebibytes: f64,
}

pub(crate) struct Series {
    pub(crate) tool: &'static str,
    pub(crate) points: Vec<Point>,
    /// Why it ends where it ends.
    pub(crate) end: String,
}

impl Series {
    /// Measures until a point takes longer, or there is none.
    pub(crate) fn measure(run: &mut Run, program: &str, tool: &dyn Tool, until_s: f64) -> Series {
        let mut series = Series { tool: tool.name(), points: Vec::new(), end: tool.last_reason().to_owned() };
        for n in tool.sizes() {
            let (answer, ended) = match tool.point(n, Limits::seconds(until_s)) {
                Ok(point) => point,
                Err(message) => {
                    run.complain(&format!("{program} {n}, {}: {message}", tool.name()));
                    series.end = "failed".to_owned();
                    break;
                }
            };
            match answer {
                Answer::Verdict(verdict, count) => series.points.push(Point {
                    n,
                    verdict,
                    count,
                    seconds: ended.time.as_secs_f64(),
                    mebibytes: ended.peak_bytes as f64 / f64::from(1 << 20),
                }),
                Answer::Cut => {
                    let limit = if ended.end == End::Memory { "memory" } else { "time" };
                    series.end = format!("{limit}, at n = {n}");
                    break;
                }
            }
        }
        let last = series.points.last();
        let last = last.map_or(String::new(), |point| format!("n = {}, {:.2} s", point.n, point.seconds));
        println!("{program}, {}: {last}; {}", series.tool, series.end);
        series
    }
}

/// A complaint where a tool gives another verdict than the first one on the same size.
pub(crate) fn compare_answers(run: &mut Run, program: &str, all: &[Series]) {
    let Some((first, others)) = all.split_first() else { return };
    for series in others {
        for point in &series.points {
            let Some(ours) = first.points.iter().find(|ours| ours.n == point.n) else { continue };
            run.same(&format!("{program} {}, {}", point.n, series.tool), &ours.verdict, &point.verdict);
        }
    }
}

/// Runs this very program for one point. It prints the verdict and the number.
pub(crate) fn own_process(
    tool: &str,
    program: &str,
    n: usize,
    limits: Limits,
) -> Result<(Answer, Ended), String> {
    let path = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(path);
    let ended = child::run(command.args(["point", tool, program, &n.to_string()]), "", limits)?;
    if matches!(ended.end, End::Time | End::Memory) {
        return Ok((Answer::Cut, ended));
    }
    let line = ended.stdout.lines().last().unwrap_or_default();
    let answer = line
        .split_once(' ')
        .and_then(|(count, verdict)| Some(Answer::Verdict(verdict.to_owned(), count.parse().ok()?)));
    match answer {
        Some(answer) if ended.is_success() => Ok((answer, ended)),
        _ => Err(format!("it fails: {}", ended.stderr.lines().next().unwrap_or("without a message"))),
    }
}
