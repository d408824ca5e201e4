//! For a profiler: one program, many runs.

#[path = "../src/programs.rs"]
#[allow(dead_code)]
mod programs;

fn main() {
    let index: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let (name, program) = programs::with_selvedge::ALL[index];
    let strategy = selvedge::Strategy::random(1, 20_000);
    let report = selvedge::Explorer::new().strategy(strategy).explore(program);
    println!("{name}: {} runs", report.executions());
}
