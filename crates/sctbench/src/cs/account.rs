//! account: a bank account under one lock (ESBMC's examples).
//!
//! One thread deposits, one withdraws, one checks the balance once both are done. The bug is in the check:
//! it subtracts the deposit. Main waits for none of them. Nothing is left out.

use crate::parts::{lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const ACCOUNT: Program = Program {
    name: "account",
    suite: Suite::Cs,
    threads: 4,
    steps: 8,
    failure: Failure::Assertion,
    buggy: || account(-1),
    correct: || account(1),
};

struct Account {
    balance: i64,
    is_deposited: bool,
    is_withdrawn: bool,
}

const START: i64 = 1;
const DEPOSIT: i64 = 2;
const WITHDRAWAL: i64 = 4;

/// The check adds the deposit times `sign`.
fn account(sign: i64) {
    let account = Account { balance: START, is_deposited: false, is_withdrawn: false };
    let shared = Arc::new(Mutex::new(account));
    spawn(&shared, |account| {
        let mut account = lock(account);
        account.balance += DEPOSIT;
        account.is_deposited = true;
    });
    spawn(&shared, |account| {
        let mut account = lock(account);
        account.balance -= WITHDRAWAL;
        account.is_withdrawn = true;
    });
    spawn(&shared, move |account| {
        let account = lock(account);
        if account.is_deposited && account.is_withdrawn {
            assert_eq!(account.balance, START + sign * DEPOSIT - WITHDRAWAL);
        }
    });
}
