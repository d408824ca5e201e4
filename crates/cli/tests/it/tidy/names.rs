//! Names that were given up for the literature's do not come back.

use super::{SourceFile, check, contains_phrase, rust_files};

/// Each with the name to use instead.
const GIVEN_UP: &[(&str, &str)] = &[
    ("deed", "executed action"),
    ("Deed", "ExecutedAction"),
    ("Manner", "ActionSpec"),
    ("held_back", "blocked by the unroll bound"),
    ("relist", "enabled::incremental"),
    ("Picks", "ThreadScheduler"),
    ("Sketch", "LightRun"),
    ("BriefTurn", "LightHandoff"),
    ("FullTurn", "FullHandoff"),
    ("last_words", "crash_report"),
    ("LastWords", "CrashReport"),
    ("mod nowhere", "mod unsupported"),
    ("mod scout", "mod child_process"),
    ("mod kept", "mod recycle"),
    ("mod turn", "mod handoff"),
    ("mod listed", "mod candidates"),
    ("mod quick", "mod fast_path"),
    ("mod late", "mod unroll_bound"),
    ("mod beyond", "mod livelock"),
    ("mod foreign", "mod uncontrolled"),
    ("mod brief", "mod light"),
    ("Brief", "LightEvent"),
    ("run_in_brief", "run_light"),
    ("Crew", "WorkerContext"),
    ("Around", "RunContext"),
    ("Desk", "WorkerSlot"),
    ("Paper", "Job"),
    ("only_looked", "read_only"),
    ("Looks", "Read"),
    ("Hop", "ProductEdge"),
    ("Duty", "FairnessDebt"),
    ("foresee", "degeneralise_ahead"),
    ("Frozen", "SearchAutomaton"),
    ("Lens", "duality"),
    ("lens", "duality"),
    ("mod definition", "mod semantics"),
    ("mod survey", "mod deadlocks"),
    ("Survey", "Failures"),
    ("Wanted", "FailureGoal"),
    ("Aim", "Preserve"),
    ("mod story", "mod trace_table"),
    ("Story", "RenderedRun"),
    ("Chooser", "SchedulerName"),
    ("chooser", "scheduler_name"),
    ("Place", "a name that says what the place is of"),
    ("Found", "a name that says what was found"),
];

fn given_up_names(file: &SourceFile) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in file.lines() {
        let code = code_of(line);
        for (old, new) in GIVEN_UP.iter().filter(|(old, _)| contains_phrase(&code, old)) {
            complaints.push(file.complaint(number, &format!("`{old}` was given up for `{new}`")));
        }
    }
    complaints
}

/// The line without its comment and without the texts between its quotation marks.
fn code_of(line: &str) -> String {
    let mut code = String::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            code.push(' ');
            continue;
        }
        match part.split_once("//") {
            Some((before, _)) => return code + before,
            None => code.push_str(part),
        }
    }
    code
}

#[test]
fn given_up_names_do_not_come_back() {
    // This file has them all.
    let files = rust_files().into_iter().filter(|file| !file.path.ends_with("tidy/names.rs"));
    check(&files.collect::<Vec<_>>(), given_up_names);
}

#[test]
fn the_search_for_names_finds_them() {
    let text =
        "let deed = 1; // Hop\nlet x = \"Hop\" + Hop::new();\n// Hop\nuse a::{indeed, Hops};\nmod nowhere;\n";
    let expected = [
        "a.rs:1: `deed` was given up for `executed action`",
        "a.rs:2: `Hop` was given up for `ProductEdge`",
        "a.rs:5: `mod nowhere` was given up for `mod unsupported`",
    ];
    assert_eq!(given_up_names(&SourceFile::new("a.rs", text)), expected);
}
