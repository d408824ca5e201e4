//! The page `RESULTS-schedulers.md`: every figure in it is computed from the counts.

use crate::PLAN;
use crate::data::{Cell, Data};
use crate::measure::MARKS;
use crate::summary::{self, bugs_after, executions_per_failure, found, median_first};
use crate::variants::{self, MIXED, OF_THESIS, PCT, RANDOM, SWARM, Tool};
use sctbench::{Program, held_out};
use std::fmt::Write;

const HEAD: &str = "\
# Schedulers on SCTBench

The experiment of Walker's thesis, chapter 6, on the programs of `crates/sctbench`, under sequential consistency;
made and written by

```sh
cargo run --release --manifest-path bench/Cargo.toml -p selvedge-bench-schedulers
```

With `--check` it makes the measurements again and compares the counts (`schedulers/counts.tsv`), which depend on the
seeds alone. A *bug* is a program whose failure is found, of whatever kind. *First* is the number of the first failing
execution, or the number of all executions if none fails. `pct` has d = 3 and SCTBench's k, `pct, own k` the length of
the longest run so far; `systematic` is bounded by two pre-emptions, deepening, without chance; `shuttle …` are
shuttle's schedulers on the same sources, which end at the first failure, so that their share of failing executions is
not known. Threads of ferret and auto_update stay behind when the first one ends the process: shuttle takes that for a
deadlock, with and without the bug, so its means are a little lower than they should be.
";

/// The whole page.
pub(crate) fn page(data: &Data) -> String {
    let mut page = HEAD.to_owned();
    let _ = writeln!(page, "\n{}\n", extent(data));
    let _ = writeln!(
        page,
        "## Executions to the first failure\n\nGeometric means over programs and seeds.\n\n{}\n{}",
        summary::text(data),
        judgement(data)
    );
    let _ = writeln!(page, "## Beside the thesis\n\n{}", beside_thesis(data));
    let _ = writeln!(page, "## Overlap of the bugs found (Figure 15)\n\n{}", overlaps(data));
    let _ = writeln!(
        page,
        "## Bugs by executions of every program (Figures 16 and 17, Table 8)\n\n{}",
        curves(data)
    );
    page.push_str("![bugs found](RESULTS-schedulers-bugs.svg)\n\n![any bug](RESULTS-schedulers-any.svg)\n\n");
    let _ = writeln!(
        page,
        "## Every program\n\nThe median of the first failing executions, and the share of failing ones; – if none \
         fails in half of the seeds.\n\n{}",
        programs(data)
    );
    page.trim_end().to_owned() + "\n"
}

/// How much was measured, and what is missing.
fn extent(data: &Data) -> String {
    let all = || sctbench::ALL.iter().chain(&held_out::ALL);
    let is_missing = |name: &str| all().any(|program| data.cell(program.name, name).is_none());
    let missing: Vec<&str> =
        variants::ALL.iter().map(|variant| variant.name).filter(|name| is_missing(name)).collect();
    let missing = match &missing[..] {
        [] => "Nothing is missing.".to_owned(),
        names => format!("Not measured, or not for every program: {}.", names.join(", ")),
    };
    let plan = if (data.executions, data.seeds) == PLAN {
        ""
    } else {
        " These are fewer than the experiment has by default (10,000 executions, 10 seeds)."
    };
    format!("{} executions, {} seeds (0 and up).{plan} {missing}", data.executions, data.seeds)
}

/// The mixture beside the best variant of the thesis.
fn judgement(data: &Data) -> String {
    let mut ratios: Vec<(f64, &str, &str)> = sctbench::ALL
        .iter()
        .filter_map(|program| summary::behind(data, program).map(|(ratio, best)| (ratio, program.name, best)))
        .collect();
    ratios.sort_by(|one, other| other.0.total_cmp(&one.0));
    let worst: Vec<String> = ratios
        .iter()
        .take(3)
        .map(|(ratio, program, best)| format!("{program} {ratio:.1} times those of `{best}`"))
        .collect();
    let missed = summary::missed(data);
    let missed = if missed.is_empty() { "none".to_owned() } else { missed.join(", ") };
    format!(
        "Where `mixed` is furthest behind the best of the thesis's nine variants: {}. Programs that one of these \
         finds in half of the seeds, and `mixed` in fewer than nine tenths: {missed}.\n",
        worst.join("; ")
    )
}

/// In how many seeds a variant finds a program.
fn seeds_of(data: &Data, program: &str, variant: &str) -> String {
    data.cell(program, variant)
        .map_or("–".to_owned(), |cell| format!("{} of {}", found(cell).0, found(cell).1))
}

/// Is the bug found in half of the seeds?
fn is_found(data: &Data, program: &str, variant: &str) -> bool {
    data.cell(program, variant).is_some_and(|cell| 2 * found(cell).0 >= found(cell).1.max(1))
}

/// Is a failed assertion found in half of the seeds?
fn is_assertion_found(data: &Data, program: &str, variant: &str) -> bool {
    let count = |cell: &Cell| cell.iter().filter(|counts| counts.first_assertion > 0).count();
    data.cell(program, variant).is_some_and(|cell| 2 * count(cell) >= cell.len().max(1))
}

/// The programs that tell the schedulers apart in the thesis.
const TELLING: [(&str, &str); 5] = [
    ("reorder_10", "PCT, swarm"),
    ("reorder_20", "PCT"),
    ("twostage_100", "PCT"),
    ("din_phil4", "random, PCT"),
    ("SWSQ", "random, swarm"),
];

fn beside_thesis(data: &Data) -> String {
    let mut text = "Seeds in which the bug is found.\n\n| program | thesis (one seed) | random | pct | swarm | mixed |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for (program, thesis) in TELLING {
        let columns = [RANDOM, PCT, SWARM, MIXED].map(|variant| seeds_of(data, program, variant));
        let _ = writeln!(text, "| {program} | {thesis} | {} |", columns.join(" | "));
    }
    text.push_str("\nBugs found in half of the seeds, of any kind, and by failed assertions alone as the thesis counts:\n\n");
    text.push_str("| variant | programs | by assertions | lines of the thesis | programs of the thesis |\n|---|---|---|---|---|\n");
    let of_thesis =
        [(32, 31), (37, 33), (37, 31), (37, 31), (36, 31), (35, 31), (39, 32), (35, 31), (33, 31)];
    for (variant, (lines, programs)) in variants::ALL[..OF_THESIS].iter().zip(of_thesis) {
        let count = |is_found: fn(&Data, &str, &str) -> bool| {
            let all = sctbench::ALL.iter();
            all.filter(|program| is_found(data, program.name, variant.name)).count()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {lines} | {programs} |",
            variant.name,
            count(is_found),
            count(is_assertion_found)
        );
    }
    text + NOTES
}

/// What the comparison has to be read with; no figures.
const NOTES: &str = "
The thesis counts lines of logs that contain \"assert\", of one seed: deadlocks and crashes do not count, and two lines
of one program count twice. The programs here fail by themselves in fewer kinds of ways, and all kinds count. The
skeletons of large programs have fewer steps than SCTBench's k says, so change points that are drawn with that k are
often beyond the end of the run: compare `pct` with `pct, own k`.
";

fn overlaps(data: &Data) -> String {
    let mut text = String::new();
    for (figure, names) in [
        ("15a", [RANDOM, PCT, SWARM]),
        ("15b", [SWARM, "swarm x=10", "swarm x=100"]),
        ("15c", ["swarm d=1", "swarm d=2", "swarm d=3"]),
    ] {
        let _ = writeln!(
            text,
            "Figure {figure}, `{}`, programs found in half of the seeds:\n",
            names.join("`, `")
        );
        text.push_str("| found by | programs | |\n|---|---|---|\n");
        for set in (1..8_usize).rev() {
            let is_exactly = |program: &&Program| {
                (0..3).all(|at| is_found(data, program.name, names[at]) == (set >> at & 1 == 1))
            };
            let programs: Vec<&str> =
                sctbench::ALL.iter().filter(is_exactly).map(|program| program.name).collect();
            let members: Vec<&str> = (0..3).filter(|at| set >> at & 1 == 1).map(|at| names[at]).collect();
            let shown = if members.len() == 3 { String::new() } else { programs.join(", ") };
            if !programs.is_empty() {
                let _ = writeln!(text, "| {} | {} | {shown} |", members.join(", "), programs.len());
            }
        }
        text.push('\n');
    }
    text
}

fn curves(data: &Data) -> String {
    let mut text = "Bugs after so many executions (means over seeds); executions for any bug, and for a bug of its own, \
                    fewer is better.\n\n| variant |"
        .to_owned();
    MARKS.iter().for_each(|mark| _ = write!(text, " {} |", mark.min(&data.executions)));
    text.push_str(" any bug | a unique bug |\n|---|---|---|---|---|---|---|---|\n");
    for variant in &variants::ALL {
        let Some(all) = bugs_after(data, variant.name, data.executions) else { continue };
        let _ = write!(text, "| {} |", variant.name);
        for mark in MARKS {
            let bugs =
                bugs_after(data, variant.name, mark).map_or(String::new(), |bugs| format!("{bugs:.1}"));
            let _ = write!(text, " {bugs} |");
        }
        let is_counted = !matches!(variant.tool, Tool::Shuttle(_));
        let any = executions_per_failure(data, variant.name, MARKS.len() - 1).filter(|_| is_counted);
        let any = any.map_or("–".to_owned(), |any| format!("{any:.3}"));
        let _ = writeln!(text, " {any} | {:.1} |", data.executions as f64 / all);
    }
    text
}

fn programs(data: &Data) -> String {
    let mut text = "| program | fails by |".to_owned();
    variants::ALL.iter().for_each(|variant| _ = write!(text, " {} |", variant.name));
    let _ = writeln!(text, "\n|---|---|{}", "---|".repeat(variants::ALL.len()));
    for program in sctbench::ALL.iter().chain(&held_out::ALL) {
        let _ = write!(text, "| {} | {} |", program.name, program.failure);
        for variant in &variants::ALL {
            let cell = data.cell(program.name, variant.name).map(|cell| shown(data, variant.tool, cell));
            let _ = write!(text, " {} |", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// The median and the share, as `12 (3.4%)`.
fn shown(data: &Data, tool: Tool, cell: &Cell) -> String {
    if 2 * found(cell).0 < found(cell).1 {
        return "–".to_owned();
    }
    let median = median_first(cell, data.executions);
    if matches!(tool, Tool::Shuttle(_)) {
        return format!("{median}");
    }
    let executions: u64 = cell.iter().map(|counts| counts.executions).sum();
    let failing: u64 = cell.iter().map(|counts| counts.failing[MARKS.len() - 1]).sum();
    format!("{median} ({:.2}%)", 100.0 * failing as f64 / executions.max(1) as f64)
}
