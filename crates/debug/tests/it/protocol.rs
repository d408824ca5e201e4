//! The examples of the protocol are messages.

use selvedge_debug::protocol::{Reply, Request};
use serde_json::{Value, de::StrRead};

/// The JSON objects of the example blocks in the head of `protocol.rs`.
fn examples() -> Vec<Value> {
    let head = include_str!("../../src/protocol.rs");
    let lines: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("//!")).collect();
    let text = lines.join("\n");
    let blocks =
        text.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches("json").to_owned());
    blocks
        .flat_map(|block| {
            let values = serde_json::Deserializer::new(StrRead::new(&block)).into_iter::<Value>();
            values.map(|value| value.expect("an example is JSON")).collect::<Vec<_>>()
        })
        .collect()
}

/// Every field of the example survives: `written` may have more of them.
fn assert_contains(written: &Value, example: &Value) {
    match (written, example) {
        (Value::Object(written), Value::Object(example)) => {
            for (key, value) in example {
                assert_contains(written.get(key).unwrap_or_else(|| panic!("`{key}` is lost")), value);
            }
        }
        (Value::Array(written), Value::Array(example)) => {
            assert_eq!(written.len(), example.len());
            written.iter().zip(example).for_each(|(written, example)| assert_contains(written, example));
        }
        _ => assert_eq!(written, example),
    }
}

#[test]
fn every_example_is_read_and_written_back() {
    let mut counts = (0, 0);
    for example in examples() {
        let written = if example.get("command").is_some() {
            counts.0 += 1;
            let request: Request = serde_json::from_value(example.clone()).expect("a command");
            serde_json::to_value(request)
        } else {
            counts.1 += 1;
            let reply: Reply = serde_json::from_value(example.clone()).expect("a message");
            serde_json::to_value(reply)
        };
        assert_contains(&written.expect("JSON"), &example);
    }
    assert_eq!(counts, (20, 14));
}
