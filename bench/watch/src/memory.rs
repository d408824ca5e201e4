//! The time that a load from memory takes which no cache serves, as far as this machine shows it.

use crate::events::Random;
use selvedge_bench_harness::Clock;

/// The size of a line of a cache, in numbers of 4 bytes.
const LINE: usize = 16;
/// The number of lines: 16 megabytes.
const LINES: usize = 1 << 18;
/// The number of loads.
const LOADS: usize = 200_000;

/// The nanoseconds of a load whose address is the value of the load before it.
pub(crate) fn load_time() -> f64 {
    let mut random = Random::new();
    // Sattolo's algorithm: one cycle through all lines.
    let mut order: Vec<u32> = (0..LINES as u32).collect();
    for at in (1..LINES).rev() {
        order.swap(at, (random.next() % at as u64) as usize);
    }
    let mut lines = vec![0_u32; LINES * LINE];
    for (from, to) in order.iter().enumerate() {
        lines[from * LINE] = *to;
    }
    let mut at = 0;
    for _ in 0..LINES {
        at = lines[at as usize * LINE];
    }
    let start = Clock::Thread.now();
    for _ in 0..LOADS {
        at = lines[at as usize * LINE];
    }
    std::hint::black_box(at);
    Clock::Thread.since(start).as_nanos() as f64 / LOADS as f64
}
