//! `selvedge show`: saved runs and monitored paths, from the file alone.

use crate::common::{root, selvedge, selvedge_with_input, temporary_file};
use selvedge_explore::Recording;

const SAMPLES: [&str; 4] = [
    "docs/lost-update.trace",
    "docs/exclusive.trace",
    "crates/explore/tests/data/version-1.trace",
    "crates/explore/tests/data/version-2-of-paths.trace",
];

/// The message of a failing test is made of the same parts of the same recording.
#[test]
fn a_file_is_shown_by_its_table() {
    for sample in SAMPLES {
        let bytes = std::fs::read(root().join(sample)).expect("a sample");
        let recording = Recording::from_bytes(&bytes).expect("a trace");
        let ran = selvedge(&["show", sample]);
        assert_eq!((ran.code, ran.errors.as_str()), (0, ""), "{sample}");
        assert_eq!(ran.output, recording.overview().to_string());
        assert!(ran.output.ends_with(&format!("\n\n{}", recording.table())), "{}", ran.output);
        let text = String::from_utf8(bytes).expect("text");
        assert_eq!(selvedge_with_input(&["show", "-"], &text).output, ran.output);
    }
}

#[test]
fn a_file_is_shown_as_a_page_that_loads_nothing() {
    for sample in SAMPLES {
        let out = temporary_file("show.html", b"");
        let ran = selvedge(&["show", sample, "--html", &out]);
        assert_eq!((ran.code, ran.output.as_str(), ran.errors.as_str()), (0, "", ""), "{sample}");
        let page = std::fs::read_to_string(&out).expect("the page");
        assert!(page.contains(sample) && page.contains("default-src 'none'"), "{sample}");
        for loads in ["src=\"http", "href=\"http", "@import"] {
            assert!(!page.contains(loads), "{sample}: {loads}");
        }
    }
    let ran = selvedge(&["show", SAMPLES[0], "--html", "/"]);
    assert_eq!(ran.code, 2);
    assert!(ran.errors.contains("/: "), "{}", ran.errors);
}

#[track_caller]
fn check_refused(content: &[u8], (line, text, message): (usize, &str, &str)) {
    let file = temporary_file(&format!("refused-{line}-{}.trace", content.len()), content);
    let ran = selvedge(&["show", &file]);
    assert_eq!((ran.code, ran.output.as_str()), (2, ""));
    let marks = "^".repeat(text.chars().count().max(1));
    let source = format!("{line} | {text}");
    let place = format!(" --> FILE:{line}:1\n  |\n{}\n  | {marks} {message}\n\n", source.trim_end());
    assert_eq!(
        ran.errors.replace(&file, "FILE"),
        format!("error[trace::format]: this is not a trace file\n{place}")
    );
}

#[test]
fn a_broken_file_is_refused_at_its_line() {
    check_refused(
        b"selvedge-trace 2\nthread 0 main\nstep 0 0 dance - - - x\n",
        (3, "step 0 0 dance - - - x", "`dance` is not an action"),
    );
    check_refused(b"selvedge-trace 2\nthread 0 \xff\n", (2, "thread 0 \u{fffd}", "this is not UTF-8 text"));
    check_refused(b"", (1, "", "not a trace: the first line is `selvedge-trace 2` in one"));
    check_refused(
        b"selvedge-trace 3\nwhatever\n",
        (1, "selvedge-trace 3", "a trace of version 3; this program reads versions up to 2"),
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let ran = selvedge(&["show", "docs/nothing.trace"]);
    assert_eq!(ran.code, 2);
    assert!(ran.errors.starts_with("error: docs/nothing.trace: "), "{}", ran.errors);
}
