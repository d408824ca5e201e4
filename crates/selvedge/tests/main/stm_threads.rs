//! Production transactions on real threads, under load: no update is lost, no intermediate state is visible,
//! no thread waits for ever.

use crate::transactions;

use selvedge::interrupt::{self, Killed, Thrown};
use selvedge::stm::{TVar, atomically, guard, or_else, retry, throw};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use transactions::{Op, Program, Result, run_thread, serially};

/// A random number generator for tests: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

#[test]
fn transfers_keep_the_sum() {
    const ACCOUNTS: usize = 8;
    let accounts: Vec<TVar<i64>> = (0..ACCOUNTS).map(|_| TVar::new(100)).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let movers: Vec<_> = (0..3)
            .map(|seed| {
                let accounts = &accounts;
                scope.spawn(move || {
                    let mut random = Random(seed);
                    for _ in 0..20_000 {
                        let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
                        atomically(|tx| {
                            accounts[from].modify(tx, |balance| balance - 1)?;
                            accounts[to].modify(tx, |balance| balance + 1)
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                let sum = atomically(|tx| {
                    let balances: Vec<i64> = accounts
                        .iter()
                        .map(|account| account.read(tx))
                        .collect::<std::result::Result<_, _>>()?;
                    Ok(balances.iter().sum::<i64>())
                });
                assert_eq!(sum, 100 * ACCOUNTS as i64);
            }
        });
        movers.into_iter().for_each(|mover| mover.join().unwrap());
        is_over.store(true, Relaxed);
    });
    assert_eq!(accounts.iter().map(TVar::load).sum::<i64>(), 100 * ACCOUNTS as i64);
}

#[test]
fn no_transaction_sees_an_inconsistent_state_even_if_its_attempt_fails() {
    let (one, other) = (TVar::new(0_u64), TVar::new(0_u64));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    atomically(|tx| {
                        one.modify(tx, |value| value + 1)?;
                        other.modify(tx, |value| value + 1)
                    });
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    atomically(|tx| {
                        let seen = one.read(tx)?;
                        // Checked inside the transaction, so that attempts that fail later are checked too.
                        assert_eq!(other.read(tx)?, seen);
                        assert_eq!(one.read(tx)?, seen);
                        Ok(())
                    });
                }
            });
        }
    });
    assert_eq!((one.load(), other.load()), (40_000, 40_000));
}

/// Runs the function while two threads commit short transactions to all variables without end.
fn during_commits(variables: &[TVar<u64>], function: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..2 {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut random = Random(seed);
                while !is_over.load(Relaxed) {
                    let number = random.below(variables.len());
                    atomically(|tx| variables[number].modify(tx, |value| value + 1));
                }
            });
        }
        function();
        is_over.store(true, Relaxed);
    });
}

#[test]
fn long_transactions_end_beside_many_short_ones() {
    let variables: Vec<TVar<u64>> = (0..400).map(|_| TVar::new(0)).collect();
    during_commits(&variables, || {
        for _ in 0..20 {
            let read = atomically(|tx| {
                let mut sum = 0;
                for variable in &variables {
                    sum += variable.read(tx)?;
                }
                Ok(sum)
            });
            let written = atomically(|tx| {
                let mut sum = 0;
                for variable in &variables {
                    sum += variable.read(tx)?;
                    variable.modify(tx, |value| value + 1)?;
                }
                Ok(sum)
            });
            assert!(read <= written);
        }
    });
}

#[test]
fn two_threads_that_wait_for_each_other_in_turn_are_woken() {
    let ball = TVar::new(0_u32);
    let rounds = 5_000;
    thread::scope(|scope| {
        for player in 0..2 {
            let ball = &ball;
            scope.spawn(move || {
                for _ in 0..rounds {
                    atomically(|tx| {
                        guard(ball.read(tx)? % 2 == player)?;
                        ball.modify(tx, |ball| ball + 1)
                    });
                }
            });
        }
    });
    assert_eq!(ball.load(), 2 * rounds);
}

#[test]
fn every_value_of_two_slots_is_taken_once() {
    let slots = [TVar::new(None), TVar::new(None)];
    let count = 4_000;
    let taken = AtomicUsize::new(0);
    thread::scope(|scope| {
        for slot in &slots {
            scope.spawn(move || {
                for number in 0..count {
                    atomically(|tx| {
                        guard(slot.read(tx)?.is_none())?;
                        slot.write(tx, Some(number))
                    });
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..count {
                    atomically(|tx| {
                        let take = |tx: &mut _, slot: &TVar<Option<usize>>| match slot.replace(tx, None)? {
                            Some(number) => Ok(number),
                            None => retry(),
                        };
                        or_else(tx, |tx| take(tx, &slots[0]), |tx| take(tx, &slots[1]))
                    });
                    taken.fetch_add(1, Relaxed);
                }
            });
        }
    });
    assert_eq!(taken.into_inner(), 2 * count);
    assert!(slots.iter().all(|slot| slot.load().is_none()));
}

#[test]
fn a_panic_leaves_no_effects_and_no_locks() {
    let variables = [TVar::new(1), TVar::new(1)];
    let payload = catch_unwind(AssertUnwindSafe(|| {
        atomically::<()>(|tx| {
            variables[0].write(tx, 2)?;
            variables[1].read(tx)?;
            panic!("oh")
        });
    }));
    assert_eq!(*payload.unwrap_err().downcast::<&str>().unwrap(), "oh");
    let other = variables.clone();
    let seen = thread::spawn(move || {
        atomically(|tx| {
            other[1].modify(tx, |value| value + 1)?;
            Ok((other[0].read(tx)?, other[1].read(tx)?))
        })
    });
    assert_eq!(seen.join().unwrap(), (1, 2));
    assert_eq!(atomically(|tx| variables[1].read(tx)), 2);
}

#[test]
fn a_transaction_inside_of_a_transaction_panics_and_says_so() {
    let variable = TVar::new(1);
    let payload = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| {
            variable.write(tx, 2)?;
            Ok(atomically(|tx| variable.read(tx)))
        })
    }));
    let message = *payload.unwrap_err().downcast::<&str>().unwrap();
    assert!(message.starts_with("`atomically` inside of a transaction"), "{message}");
    assert_eq!((variable.load(), atomically(|tx| variable.read(tx))), (1, 1));
}

#[test]
fn a_replaced_value_is_dropped_after_the_transaction() {
    /// Increments the counter in a transaction of its own when it is dropped.
    struct CountsDrop(TVar<u8>);

    impl Drop for CountsDrop {
        fn drop(&mut self) {
            atomically(|tx| self.0.modify(tx, |count| count + 1));
        }
    }

    let count = TVar::new(0);
    let variable = TVar::new(Some(Arc::new(CountsDrop(count.clone()))));
    atomically(|tx| variable.write(tx, None));
    assert_eq!(count.load(), 1);
}

#[test]
fn an_ignored_abort_does_not_commit_a_failed_attempt() {
    let (one, other) = (TVar::new(0), TVar::new(0));
    let attempts = Cell::new(0);
    let seen = atomically(|tx| {
        attempts.set(attempts.get() + 1);
        let first = one.read(tx)?;
        if attempts.get() == 1 {
            let (one, other) = (one.clone(), other.clone());
            let meanwhile = move || {
                atomically(|tx| {
                    one.write(tx, 1)?;
                    other.write(tx, 1)
                });
            };
            thread::spawn(meanwhile).join().unwrap();
        }
        let second = other.read(tx).unwrap_or(99);
        Ok((first, second))
    });
    assert_eq!((seen, attempts.get()), ((1, 1), 2));
}

#[test]
fn a_transaction_can_use_many_variables() {
    let variables: Vec<TVar<usize>> = (0..200).map(TVar::new).collect();
    atomically(|tx| {
        for variable in &variables {
            variable.modify(tx, |value| value + 1)?;
        }
        or_else(
            tx,
            |tx| {
                for variable in &variables {
                    variable.write(tx, 0)?;
                }
                retry()
            },
            |_| Ok(()),
        )?;
        for (number, variable) in variables.iter().enumerate() {
            assert_eq!(variable.read(tx)?, number + 1);
        }
        Ok(())
    });
    assert!(variables.iter().enumerate().all(|(number, variable)| variable.load() == number + 1));
}

#[test]
fn an_exception_is_thrown_in_the_thread_that_runs_the_transaction() {
    #[derive(Debug)]
    struct Oh;
    let thread = thread::spawn(|| atomically(|_| throw::<()>(Oh)));
    assert!(thread.join().unwrap_err().downcast_ref::<Thrown>().unwrap().is::<Oh>());
}

#[test]
fn a_blocked_transaction_can_be_interrupted_and_leaves_no_effects() {
    let variable = TVar::new(0);
    let mine = variable.clone();
    let sleeper = interrupt::spawn(move || {
        interrupt::catch::<Killed, _>(|| {
            atomically(|tx| {
                mine.write(tx, 2)?;
                retry::<()>()
            });
        })
    });
    interrupt::kill(sleeper.thread());
    assert_eq!(sleeper.join().unwrap(), Err(Killed));
    assert_eq!(atomically(|tx| variable.replace(tx, 1)), 0);
}

/// A random transaction.
fn transaction(random: &mut Random, length: usize) -> Vec<Op> {
    let length = random.below(length) + 1;
    (0..length)
        .map(|_| {
            let variable = random.below(2);
            match random.below(12) {
                0..3 => Op::Read(variable),
                3..5 => Op::Write(variable, random.below(3) as u8),
                5..8 => Op::Add(variable),
                8 => Op::Take(variable),
                9 => Op::OrElse(transaction(random, 2), transaction(random, 2)),
                10 => Op::Catch(transaction(random, 2), transaction(random, 2)),
                _ => Op::Throw,
            }
        })
        .collect()
}

/// Runs a program that cannot deadlock on real threads.
fn run(program: &Program) -> Result {
    let variables: Vec<TVar<u8>> = program.variables.iter().map(|value| TVar::new(*value)).collect();
    let start = Barrier::new(program.threads.len());
    let reads = thread::scope(|scope| {
        let threads: Vec<_> = program
            .threads
            .iter()
            .map(|transactions| {
                scope.spawn(|| {
                    start.wait();
                    run_thread(transactions, &variables, |body| atomically(body))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (reads, variables.iter().map(TVar::load).collect())
}

#[test]
fn random_programs_give_a_result_of_a_serial_execution() {
    let mut random = Random(7);
    let mut compared = 0;
    let programs = if std::env::var_os("SELVEDGE_LONG").is_some() { 4_000 } else { 200 };
    while compared < programs {
        let threads = (0..random.below(2) + 2)
            .map(|_| (0..random.below(2) + 1).map(|_| transaction(&mut random, 3)).collect())
            .collect();
        let program = Program { variables: vec![1, 1], threads };
        let expected = serially(&program);
        if expected.contains(&None) {
            continue;
        }
        compared += 1;
        for _ in 0..10 {
            let end = run(&program);
            assert!(expected.contains(&Some(end.clone())), "{program:?} ended with {end:?}");
        }
    }
}
