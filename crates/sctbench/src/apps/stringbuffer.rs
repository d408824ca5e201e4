//! stringbuffer: an append that is atomic in parts (after `StringBuffer` of Java 1.4; Flanagan and Qadeer,
//! A Type and Effect System for Atomicity, PLDI 2003).
//!
//! Main appends a buffer to another: it asks for the length, then copies that many characters. Each call
//! takes the lock. The bug: another thread erases the buffer between the two calls. Without it, the lock is
//! kept. Nothing is left out.

use crate::parts::{join_one, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const STRINGBUFFER: Program = Program {
    name: "stringbuffer",
    suite: Suite::ConVul,
    threads: 2,
    steps: 10,
    failure: Failure::Assertion,
    buggy: || append(false),
    correct: || append(true),
};

fn append(keeps_lock: bool) {
    let buffer = Arc::new(Mutex::new("abc".to_owned()));
    let eraser = spawn(&buffer, |buffer| {
        lock(buffer).clear();
        lock(buffer).push_str("xyz");
    });
    let mut own = String::new();
    {
        let first = lock(&buffer);
        let length = first.len();
        let kept = if keeps_lock {
            first
        } else {
            drop(first);
            lock(&buffer)
        };
        assert!(length <= kept.len(), "{length} characters of {}", kept.len());
        own.push_str(&kept[..length]);
    }
    join_one(eraser);
}
