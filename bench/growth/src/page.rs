//! The tables and the plots of `RESULTS-growth.md`.

use crate::series::{Point, Series};
use selvedge_bench_harness::fit::fit;
use selvedge_bench_harness::plot::{Plot, Scale, side_by_side};
use selvedge_bench_harness::{Run, Table, number};

/// Points below these say little: the start of a process, and the memory of an empty one.
const FLOOR_S: f64 = 0.1;
const FLOOR_MIB: f64 = 24.0;
const FLOOR_COUNT: f64 = 2.0;

/// What is counted (executions or states), the program, and its series.
type Measured = (&'static str, &'static str, Vec<Series>);

type Figure = fn(&Point) -> f64;

const SECONDS: Figure = |point| point.seconds;
const MEBIBYTES: Figure = |point| point.mebibytes;
const COUNT: Figure = |point| point.count;

pub(crate) fn write(run: &mut Run, every: &[Measured]) {
    let mut laws = Table::new(
        "laws",
        &[
            "program",
            "tool",
            "runs or states",
            "time",
            "memory",
            "largest n",
            "runs or states there",
            "s there",
            "MiB there",
            "ended by",
        ],
    );
    let mut points = Table::new("points", &["program", "tool", "n", "runs or states", "s", "MiB"]);
    for (_, program, all) in every {
        for series in all {
            laws.row(law_row(program, series));
            for point in &series.points {
                let cells = [point.n.to_string(), point.count.to_string(), number(point.seconds)];
                let name = [(*program).to_owned(), series.tool.to_owned()];
                points.row(name.into_iter().chain(cells).chain([number(point.mebibytes)]).collect());
            }
        }
    }
    run.table(&laws);
    run.table(&points);
    let mut links = Vec::new();
    for (unit, program, all) in every {
        let name = format!("RESULTS-growth-{}.svg", program.replace(' ', "-"));
        links.push(format!("![{program}]({name})"));
        run.write(&name, &plots(unit, program, all));
    }
    run.fill("plots", &links.join("\n\n"));
}

fn law_row(program: &str, series: &Series) -> Vec<String> {
    let law = |figure: Figure, floor: f64| {
        let points: Vec<(f64, f64)> =
            series.points.iter().map(|point| (point.n as f64, figure(point))).collect();
        fit(&points, floor).map_or("-".to_owned(), |fit| {
            format!("{} (R² {:.2}, {} points)", fit.law, fit.r_squared, fit.points)
        })
    };
    let mut cells = vec![program.to_owned(), series.tool.to_owned()];
    cells.extend([law(COUNT, FLOOR_COUNT), law(SECONDS, FLOOR_S), law(MEBIBYTES, FLOOR_MIB)]);
    let last = series.points.last();
    let show = |figure: Figure| last.map_or("-".to_owned(), |point| number(figure(point)));
    cells.push(last.map_or("-".to_owned(), |point| point.n.to_string()));
    cells.push(last.map_or("-".to_owned(), |point| point.count.to_string()));
    cells.extend([show(SECONDS), show(MEBIBYTES), series.end.clone()]);
    cells
}

/// Three plots side by side: the number, the time, the memory.
fn plots(unit: &str, program: &str, all: &[Series]) -> String {
    let plot = |title: &'static str, figure: Figure| {
        let line = |series: &'static str, points: &[Point]| {
            (series, points.iter().map(|point| (point.n as f64, figure(point))).collect())
        };
        let lines = all.iter().map(|series| line(series.tool, &series.points)).collect();
        (title, lines)
    };
    let count = if unit == "states" { "states" } else { "executions" };
    let figures = [plot(count, COUNT), plot("seconds of computing", SECONDS), plot("MiB, peak", MEBIBYTES)];
    let plots = figures.map(|(title, lines)| Plot {
        title: program,
        x: ("n", Scale::Linear),
        y: (title, Scale::Logarithmic),
        lines,
    });
    side_by_side(&plots)
}
