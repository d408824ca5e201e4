//! The curves of Figures 16 and 17 as SVG: bugs found, and executions for a failing one, by executions of
//! every program.

use crate::data::Data;
use crate::measure::MARKS;
use crate::summary::{bugs_after, executions_per_failure};
use crate::variants::{MIXED, PCT, RANDOM, SWARM};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 380.0;
const MARGIN: f64 = 48.0;

/// The variants of the plots, with their colours.
const LINES: [(&str, &str); 4] =
    [(RANDOM, "#7a7a7a"), (PCT, "#c0392b"), (SWARM, "#2471a3"), (MIXED, "#1e8449")];

/// The plots by file name.
pub(crate) fn plots(data: &Data) -> Vec<(&'static str, String)> {
    let bugs = |variant: &str| {
        let at = |step: u32| 10_f64.powf(f64::from(step) / 6.0).round() as u64;
        let points = (0..=24).map(at).filter(|executions| *executions <= data.executions);
        points.filter_map(|n| bugs_after(data, variant, n).map(|bugs| (n as f64, bugs))).collect()
    };
    let rate = |variant: &str| {
        let points = MARKS.into_iter().enumerate().filter(|(_, mark)| *mark <= data.executions);
        points
            .filter_map(|(at, mark)| {
                executions_per_failure(data, variant, at).map(|rate| (mark as f64, rate))
            })
            .collect()
    };
    vec![
        ("RESULTS-schedulers-bugs.svg", plot("programs whose bug is found", &bugs)),
        ("RESULTS-schedulers-any.svg", plot("executions of every program for each failing one", &rate)),
    ]
}

type Points = Vec<(f64, f64)>;

/// A plot with executions on a logarithmic axis.
fn plot(title: &str, points_of: &dyn Fn(&str) -> Points) -> String {
    let lines: Vec<(&str, &str, Points)> =
        LINES.into_iter().map(|(variant, colour)| (variant, colour, points_of(variant))).collect();
    let top =
        lines.iter().flat_map(|line| &line.2).map(|point| point.1).fold(f64::MIN_POSITIVE, f64::max) * 1.05;
    let x = |executions: f64| MARGIN + executions.log10() / 4.0 * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| HEIGHT - MARGIN - value / top * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\">{title}</text>\n"
    );
    for mark in MARKS {
        let at = x(mark as f64);
        let (low, high) = (y(0.0), y(top));
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {low:.1}V{high:.1}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{mark}</text>",
            low + 18.0
        );
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (value, at) = (share * top, y(share * top));
        let digits = if top < 10.0 { 3 } else { 0 };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.digits$}</text>",
            MARGIN - 6.0,
            at + 4.0
        );
    }
    for (number, (variant, colour, points)) in lines.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|(n, value)| format!("{:.1},{:.1}", x(*n), y(*value))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{variant}</text>",
            path.join(" "),
            WIDTH - MARGIN - 60.0,
            HEIGHT - MARGIN - 20.0 - 16.0 * number as f64
        );
    }
    svg + "</svg>\n"
}
