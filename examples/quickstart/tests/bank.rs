//! The exploration finds the deadlock, and none in the fixed version.

use quickstart::Bank;
use selvedge::sync::Arc;
use selvedge::thread;

fn transfer_both_ways(transfer: fn(&Bank, usize, usize, i64)) {
    let bank = Arc::new(Bank::new(100));
    let other = bank.clone();
    let thread = thread::spawn(move || transfer(&other, 1, 0, 30));
    transfer(&bank, 0, 1, 50);
    thread.join().unwrap();
    assert_eq!(bank.total(), 200);
}

#[selvedge::test]
#[should_panic(expected = "error[run::deadlock]: every thread is blocked")]
fn transfers_in_opposite_directions() {
    transfer_both_ways(Bank::transfer);
}

#[selvedge::test]
fn transfers_in_order() {
    transfer_both_ways(Bank::transfer_in_order);
}
