//! Does the whole process stand still?
//!
//! A thread of a run that takes a lock which is not of selvedge, and which another thread of the run holds,
//! waits for ever: all threads of a run share one thread of the operating system. That one sleeps then, in a
//! wait without a timeout. Slow is not blocked: while it computes, sleeps for a time or reads from the
//! network, or while another thread of the process does anything that could end the wait, there is no
//! standstill.
//!
//! From `/proc`, as proc(5) describes it; elsewhere than on Linux a standstill is not noticed.
//!
//! Promise: a thread that has gone on between two samples makes them different; so does a thread that has
//! begun or ended.

/// A thread of the operating system, by the number that the system gives it.
pub(super) type OsThreadId = u64;

/// What the threads of the process had done so far when they all stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standstill {
    threads: u64,
    /// How often a thread has left the processor, in total.
    switches: u64,
}

/// A sample: a standstill, if the thread waits without a timeout, and no other thread of the process but the
/// calling one runs.
#[cfg(target_os = "linux")]
pub(super) fn sample(waiting: OsThreadId) -> Option<Standstill> {
    linux::waits_without_timeout(waiting).then_some(())?;
    linux::sum_of_sleepers()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sample(_waiting: OsThreadId) -> Option<Standstill> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{OsThreadId, Standstill};
    use std::fs;

    /// Operations of the system's futex call that wait: `FUTEX_WAIT`, `FUTEX_WAIT_BITSET`, `FUTEX_LOCK_PI`,
    /// `FUTEX_LOCK_PI2`. Locks, condition variables, channels, parking and joins wait by one of these.
    const WAITS: [u64; 4] = [0, 9, 6, 13];

    /// The bits of the operation without its flags.
    const OPERATION: u64 = 0x7f;

    /// Is the thread in a wait that only another thread of the process can end?
    pub(super) fn waits_without_timeout(thread: OsThreadId) -> bool {
        let call = fs::read_to_string(format!("/proc/self/task/{thread}/syscall"));
        call.is_ok_and(|call| is_endless_wait(&call))
    }

    /// The number of a call, and its arguments in hexadecimal.
    pub(super) fn is_endless_wait(call: &str) -> bool {
        let mut words = call.split_whitespace();
        let number = words.next().and_then(|number| number.parse().ok());
        let argument = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let arguments: Vec<Option<u64>> = words.map(argument).collect();
        let [_address, Some(operation), _expected, Some(timeout), ..] = arguments[..] else { return false };
        number == Some(libc::SYS_futex) && WAITS.contains(&(operation & OPERATION)) && timeout == 0
    }

    /// What all threads but the calling one have done; nothing if one of them runs.
    pub(super) fn sum_of_sleepers() -> Option<Standstill> {
        // SAFETY: `gettid` has no preconditions.
        #[allow(unsafe_code)]
        let own = unsafe { libc::gettid() }.to_string();
        let mut sum = Standstill { threads: 0, switches: 0 };
        for entry in fs::read_dir("/proc/self/task").ok()? {
            let entry = entry.ok()?;
            if entry.file_name().to_str() != Some(&own) {
                let status = fs::read_to_string(entry.path().join("status")).ok()?;
                sum.threads += 1;
                sum.switches += switches_of_sleeper(&status)?;
            }
        }
        Some(sum)
    }

    /// How often a thread has left the processor, if it sleeps or has ended.
    pub(super) fn switches_of_sleeper(status: &str) -> Option<u64> {
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let count = |name: &str| field(name)?.parse::<u64>().ok();
        let sleeps = field("State:")?.starts_with(['S', 'Z']);
        let switches = count("voluntary_ctxt_switches:")? + count("nonvoluntary_ctxt_switches:")?;
        sleeps.then_some(switches)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::{is_endless_wait, switches_of_sleeper};

    #[test]
    fn a_futex_wait_without_a_timeout_is_endless() {
        let call = |number: i64, rest: &str| format!("{number} {rest} 0x7ffd 0x7fa4\n");
        let futex = libc::SYS_futex;
        assert!(is_endless_wait(&call(futex, "0x7f10 0x80 0x2 0x0 0x0 0x0")), "a private wait");
        assert!(is_endless_wait(&call(futex, "0x7f10 0x189 0x2 0x0 0x0 0xffffffff")), "a join");
        assert!(!is_endless_wait(&call(futex, "0x7f10 0x89 0x2 0x7ffd00 0x0 0xffffffff")), "with a timeout");
        assert!(!is_endless_wait(&call(futex, "0x7f10 0x81 0x1 0x0 0x0 0x0")), "a wake-up");
        assert!(!is_endless_wait(&call(futex + 1, "0x7f10 0x80 0x2 0x0 0x0 0x0")), "another call");
        assert!(!is_endless_wait("running\n"));
        assert!(!is_endless_wait(""));
    }

    #[test]
    fn a_running_thread_is_no_sleeper() {
        let status = |state: &str| {
            format!(
                "Name:\tx\nState:\t{state}\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n"
            )
        };
        assert_eq!(switches_of_sleeper(&status("S (sleeping)")), Some(7));
        assert_eq!(switches_of_sleeper(&status("R (running)")), None);
        assert_eq!(switches_of_sleeper(&status("D (disk sleep)")), None);
        assert_eq!(switches_of_sleeper("State:\tS (sleeping)\n"), None);
    }
}
