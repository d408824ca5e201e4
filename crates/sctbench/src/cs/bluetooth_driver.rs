//! bluetooth_driver: a driver is stopped while a request begins (Qadeer and Wu, KISS, PLDI 2004; ESBMC's
//! examples).
//!
//! A count of pending requests keeps the driver alive. The bug: main tests the flag of the stopper before
//! it increments the count, so the stopper can run between the two. Without it, main increments first.
//! Nothing is left out.

use crate::parts::{Racy, join_one, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const BLUETOOTH_DRIVER: Program = Program {
    name: "bluetooth_driver",
    suite: Suite::Cs,
    threads: 2,
    steps: 13,
    failure: Failure::Assertion,
    buggy: || driver(false),
    correct: || driver(true),
};

struct Device {
    pending: Mutex<i64>,
    is_stopping: Racy,
    stop_event: Racy,
    is_stopped: Racy,
}

impl Device {
    fn decrement(&self) {
        let left = {
            let mut pending = lock(&self.pending);
            *pending -= 1;
            *pending
        };
        if left == 0 {
            self.stop_event.set(1);
        }
    }

    fn stop(&self) {
        self.is_stopping.set(1);
        self.decrement();
        if self.stop_event.get() == 1 {
            self.is_stopped.set(1);
        }
    }

    fn add(&self, increments_first: bool) {
        if increments_first {
            *lock(&self.pending) += 1;
        }
        let is_stopping = self.is_stopping.get() == 1;
        if !is_stopping {
            if !increments_first {
                *lock(&self.pending) += 1;
            }
            assert_eq!(self.is_stopped.get(), 0, "the driver is stopped during a request");
        }
        if increments_first || !is_stopping {
            self.decrement();
        }
    }
}

fn driver(increments_first: bool) {
    let device = Arc::new(Device {
        pending: Mutex::new(1),
        is_stopping: Racy::new(0),
        stop_event: Racy::new(0),
        is_stopped: Racy::new(0),
    });
    let stopper = spawn(&device, Device::stop);
    device.add(increments_first);
    join_one(stopper);
}
