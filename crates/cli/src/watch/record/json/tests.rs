//! The scanner against `serde_json`, on generated lines and on mutations of them.

use super::*;
use crate::watch::record::{FieldId, FieldPath, Value};
use selvedge_testkit::Random;
use serde_json::Value as Json;

const PATHS: [&[&str]; 6] = [&["a"], &["b"], &["a", "b"], &["a", "b", "c"], &["é"], &["b", "a"]];

fn fields() -> (Fields, Vec<FieldId>) {
    let mut fields = Fields::default();
    let path = |path: &&[&str]| FieldPath(path.iter().map(|name| (*name).to_owned()).collect());
    let ids = PATHS.iter().map(|names| fields.intern(&path(names))).collect();
    (fields, ids)
}

/// Does the scanner find this value?
fn is_same(found: &Value<'_>, expected: Option<&Json>) -> bool {
    match (found, expected) {
        (Value::Missing, None) | (Value::Null, Some(Json::Null)) => true,
        (Value::Composite, Some(Json::Array(_) | Json::Object(_))) => true,
        (Value::Bool(found), Some(Json::Bool(expected))) => found == expected,
        (Value::Text(found), Some(Json::String(expected))) => **found == *expected.as_bytes(),
        (Value::Number(found), Some(expected @ Json::Number(_))) => {
            serde_json::from_slice::<Json>(found).is_ok_and(|found| found == *expected)
        }
        _ => false,
    }
}

/// Compares the scanner with `serde_json`; returns whether both accept the line.
fn compare(line: &[u8], fields: &Fields, ids: &[FieldId], record: &mut Record) -> bool {
    let shown = String::from_utf8_lossy(line);
    let scanned = JsonScanner::read(line, fields, record);
    match serde_json::from_slice::<Json>(line) {
        Ok(object @ Json::Object(_)) => {
            assert_eq!(scanned, Ok(()), "{shown}");
            for (id, path) in ids.iter().zip(PATHS) {
                let expected = path.iter().try_fold(&object, |object, name| object.as_object()?.get(*name));
                let found = record.value(*id, line);
                assert!(is_same(&found, expected), "{path:?} in {shown}: {found:?}, {expected:?}");
            }
            true
        }
        Err(error) if error.to_string().starts_with("number out of range") => false,
        _ => {
            assert!(scanned.is_err(), "{shown}");
            false
        }
    }
}

fn draw_space(random: &mut Random, out: &mut String) {
    if random.below(6) == 0 {
        out.push_str(random.pick(&[" ", "\t", "  ", "\r", " \n "]));
    }
}

fn draw_text(random: &mut Random, out: &mut String) {
    out.push('"');
    for _ in 0..random.below(12) {
        let part = random.pick(&[
            "x",
            "yz",
            "long plain text",
            "é",
            "漢",
            "😀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\/",
            "{",
            ",",
        ]);
        out.push_str(part);
    }
    out.push('"');
}

fn draw_value(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(if depth > 3 { 6 } else { 9 }) {
        0 | 1 => draw_text(random, out),
        2 => out.push_str(random.pick(&["0", "-0", "17", "-3", "123456789012345678901", "9007199254740993"])),
        3 => out.push_str(random.pick(&["1.5", "1e3", "-2.5E-2", "0.25e+2", "1.0"])),
        4 => out.push_str(random.pick(&["true", "false"])),
        5 => out.push_str("null"),
        6 => {
            out.push('[');
            for index in 0..random.below(4) {
                if index > 0 {
                    out.push(',');
                }
                draw_space(random, out);
                draw_value(random, depth + 1, out);
            }
            out.push(']');
        }
        _ => draw_object(random, depth + 1, out),
    }
}

fn draw_object(random: &mut Random, depth: usize, out: &mut String) {
    out.push('{');
    draw_space(random, out);
    for index in 0..random.below(5) {
        if index > 0 {
            out.push(',');
            draw_space(random, out);
        }
        out.push_str(random.pick(&[
            "\"a\"",
            "\"b\"",
            "\"c\"",
            "\"é\"",
            "\"\\u0061\"",
            "\"\\u00E9\"",
            "\"other\"",
            "\"\"",
        ]));
        draw_space(random, out);
        out.push(':');
        draw_space(random, out);
        draw_value(random, depth, out);
        draw_space(random, out);
    }
    out.push('}');
}

/// Another line, different in a byte or two.
fn mutate(random: &mut Random, line: &mut Vec<u8>) {
    const BYTES: &[u8] = b"{}[]\",:\\ut0123456789.-+eEfalsnr \t\n\x00\x1f\x7f\x80\xc3\xa9\xff/'";
    for _ in 0..1 + random.below(2) {
        let at = random.below(line.len().max(1)).min(line.len());
        match random.below(4) {
            0 if at < line.len() => line[at] = random.pick(BYTES),
            1 if at < line.len() => {
                line.remove(at);
            }
            2 => line.truncate(at),
            _ => line.insert(at, random.pick(BYTES)),
        }
    }
}

#[test]
fn the_scanner_accepts_the_lines_of_serde_json_and_finds_the_same_values() {
    let (fields, ids) = fields();
    let mut record = Record::new(fields.len());
    let mut random = Random(9);
    let mut accepted = 0;
    for _ in 0..50_000 {
        let mut text = String::new();
        draw_space(&mut random, &mut text);
        draw_object(&mut random, 0, &mut text);
        draw_space(&mut random, &mut text);
        let mut line = text.into_bytes();
        assert!(compare(&line, &fields, &ids, &mut record));
        mutate(&mut random, &mut line);
        accepted += usize::from(compare(&line, &fields, &ids, &mut record));
    }
    assert!((5_000..45_000).contains(&accepted), "{accepted} mutations are valid");
}

#[test]
fn corners_of_the_grammar_are_as_in_serde_json() {
    let (fields, ids) = fields();
    let mut record = Record::new(fields.len());
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let (deep, too_deep) = (nested(126), nested(127));
    for (line, is_accepted) in [
        ("{}", true),
        ("", false),
        ("[]", false),
        ("3", false),
        ("{\"a\":01}", false),
        ("{\"a\":1.}", false),
        ("{\"a\":.5}", false),
        ("{\"a\":+1}", false),
        ("{\"a\":\"\\ud800\"}", false),
        ("{\"a\":\"\\ud800\\u0041\"}", false),
        ("{\"a\":\"\\udc00\"}", false),
        ("{\"a\":\"\\x41\"}", false),
        ("{\"a\":1,}", false),
        ("{\"a\":1}}", false),
        ("{\"a\":{\"b\":1},\"a\":{}}", true),
        ("{\"a\":1,\"a\":{\"b\":{\"c\":2}}}", true),
        (deep.as_str(), true),
        (too_deep.as_str(), false),
    ] {
        assert_eq!(compare(line.as_bytes(), &fields, &ids, &mut record), is_accepted, "{line}");
    }
}
