//! The rules. If a rule speaks of the read set (R), the test waits for a change of it by another thread; if
//! it speaks of the write set (W) and of the heap (H), the test checks the values.

use selvedge::interrupt::Thrown;
use selvedge::stm::{Stm, TVar, Transaction, atomically, catch, guard, or_else, retry, throw};
use selvedge::thread;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Debug, PartialEq, Eq)]
struct Oh(u8);

#[derive(Debug, PartialEq, Eq)]
struct Another;

/// The exception that the function throws.
fn thrown<T>(function: impl FnOnce() -> T) -> Thrown {
    let Err(payload) = catch_unwind(AssertUnwindSafe(function)) else { panic!("nothing was thrown") };
    *payload.downcast::<Thrown>().expect("an exception")
}

/// A transaction that writes and then retries.
fn writes_and_retries<T>(variable: &TVar<u8>) -> impl Fn(&mut Transaction) -> Stm<T> {
    let variable = variable.clone();
    move |tx| {
        variable.write(tx, 9)?;
        retry()
    }
}

/// A transaction that writes and then throws.
fn writes_and_throws<T>(variable: &TVar<u8>) -> impl Fn(&mut Transaction) -> Stm<T> {
    let variable = variable.clone();
    move |tx| {
        variable.write(tx, 9)?;
        throw(Oh(7))
    }
}

/// Runs a transaction that retries until the variable is not 0, while another thread changes the variable.
/// It never ends if the transaction is not woken.
fn waits_for<T: Send + 'static>(
    variable: &TVar<u8>,
    body: impl Fn(&mut Transaction) -> Stm<T> + Send + 'static,
) -> T {
    let waiter = thread::spawn(move || atomically(body));
    // The waiting thread must see this write whether it sleeps already or not.
    thread::yield_now();
    atomically(|tx| variable.write(tx, 1));
    waiter.join().unwrap()
}

// Figure 8.

pub(crate) fn a_atom_success_writes_the_heap_and_wakes() {
    let (here, there) = (TVar::new(0), TVar::new(0));
    let (mine, yours) = (here.clone(), there.clone());
    let other = thread::spawn(move || {
        atomically(|tx| {
            guard(mine.read(tx)? == 1)?;
            yours.write(tx, 2)
        });
    });
    assert_eq!(atomically(|tx| here.write(tx, 1).map(|()| 'x')), 'x');
    assert_eq!(here.load(), 1);
    atomically(|tx| guard(there.read(tx)? == 2));
    other.join().unwrap();
}

pub(crate) fn a_atom_aborted_waits_for_its_read_set() {
    let (read, written) = (TVar::new(0), TVar::new(0));
    let (mine, yours) = (read.clone(), written.clone());
    let seen = waits_for(&read, move |tx| {
        let before = yours.replace(tx, 9)?;
        guard(mine.read(tx)? > 0)?;
        Ok(before)
    });
    // If the attempt that retried had left an effect, the next attempt would have seen it.
    assert_eq!((seen, written.load()), (0, 9));
}

pub(crate) fn a_atom_exception_throws_and_changes_nothing() {
    let variable = TVar::new(1);
    let body = writes_and_throws::<()>(&variable);
    assert_eq!(thrown(|| atomically(&body)).downcast::<Oh>().unwrap(), Oh(7));
    assert_eq!(variable.load(), 1);
    // The thread can run transactions as before.
    assert_eq!(atomically(|tx| variable.read(tx)), 1);
}

// Figure 9.

pub(crate) fn s_new_makes_a_variable_that_can_be_used_at_once() {
    let (variable, seen) = atomically(|tx| {
        let variable = TVar::new(1);
        variable.modify(tx, |value| value + 1)?;
        let seen = variable.read(tx)?;
        Ok((variable, seen))
    });
    assert_eq!((variable.load(), seen), (2, 2));
}

pub(crate) fn s_read_returns_the_value_of_the_heap() {
    let variable = TVar::new("x".to_owned());
    assert_eq!(atomically(|tx| variable.read(tx)), "x");
}

pub(crate) fn s_write_changes_the_heap_for_later_reads() {
    let variable = TVar::new(1);
    let seen = atomically(|tx| {
        let before = variable.read(tx)?;
        variable.write(tx, 2)?;
        let between = variable.read(tx)?;
        variable.write(tx, 3)?;
        Ok([before, between, variable.read(tx)?])
    });
    assert_eq!((seen, variable.load()), ([1, 2, 3], 3));
}

pub(crate) fn s_retry_ends_the_transaction() {
    let variable = TVar::new(0);
    atomically(|tx| {
        or_else(
            tx,
            |tx| {
                retry::<()>()?;
                variable.write(tx, 1)
            },
            |_| Ok(()),
        )
    });
    assert_eq!(variable.load(), 0);
}

pub(crate) fn s_throw_ends_the_transaction() {
    let variable = TVar::new(0);
    let exception = thrown(|| {
        atomically(|tx| {
            throw::<()>(Oh(1))?;
            variable.write(tx, 1)
        });
    });
    assert!(exception.is::<Oh>());
    assert_eq!(variable.load(), 0);
}

pub(crate) fn s_stop_ends_the_transaction_with_its_result() {
    assert_eq!(atomically(|_| Ok(5)), 5);
}

// Figure 10.

pub(crate) fn s_or_else_success_never_runs_the_second() {
    let (first, second) = (TVar::new(0), TVar::new(0));
    let result = atomically(|tx| {
        or_else(tx, |tx| first.write(tx, 1).map(|()| 1), |tx| second.write(tx, 1).map(|()| 2))
    });
    assert_eq!((result, first.load(), second.load()), (1, 1, 0));
}

pub(crate) fn s_or_else_exception_never_runs_the_second() {
    let (first, second) = (TVar::new(0), TVar::new(0));
    let exception = thrown(|| {
        atomically(|tx| or_else(tx, writes_and_throws(&first), |tx| second.write(tx, 1)));
    });
    assert_eq!(exception.downcast::<Oh>().unwrap(), Oh(7));
    assert_eq!((first.load(), second.load()), (0, 0));
}

pub(crate) fn s_or_else_aborted_then_success_undoes_the_first() {
    let (before, first) = (TVar::new(0), TVar::new(0));
    let seen = atomically(|tx| {
        before.write(tx, 1)?;
        or_else(
            tx,
            |tx| {
                before.write(tx, 2)?;
                writes_and_retries(&first)(tx)
            },
            |tx| Ok((before.read(tx)?, first.read(tx)?)),
        )
    });
    assert_eq!((seen, before.load(), first.load()), ((1, 0), 1, 0));
}

pub(crate) fn s_or_else_aborted_then_success_keeps_reads_of_both() {
    // The transaction as a whole retries after an `or_else` that succeeded: it waits for the variable that
    // the first side read.
    for number in 0..2 {
        let variables = [TVar::new(0), TVar::new(0)];
        let [first, second] = variables.clone();
        waits_for(&variables[number], move |tx| {
            let went_second =
                or_else(tx, |tx| guard(first.read(tx)? > 0).map(|()| false), |tx| Ok(second.read(tx)? == 0))?;
            guard(!went_second)
        });
    }
}

pub(crate) fn s_or_else_aborted_twice_aborts_and_undoes_both() {
    let variables = [TVar::new(0), TVar::new(0)];
    let seen = atomically(|tx| {
        or_else(
            tx,
            |tx| or_else(tx, writes_and_retries(&variables[0]), writes_and_retries(&variables[1])),
            |tx| Ok([variables[0].read(tx)?, variables[1].read(tx)?]),
        )
    });
    assert_eq!((seen, variables.map(|variable| variable.load())), ([0, 0], [0, 0]));
}

/// Both sides wait, each for a variable of its own.
fn both_wait_and_one_changes(number: usize) {
    let variables = [TVar::new(0), TVar::new(0)];
    let [first, second] = variables.clone();
    let side = waits_for(&variables[number], move |tx| {
        or_else(tx, |tx| guard(first.read(tx)? > 0).map(|()| 0), |tx| guard(second.read(tx)? > 0).map(|()| 1))
    });
    assert_eq!(side, number);
}

pub(crate) fn s_or_else_aborted_twice_waits_for_reads_of_the_first() {
    both_wait_and_one_changes(0);
}

pub(crate) fn s_or_else_aborted_twice_waits_for_reads_of_the_second() {
    both_wait_and_one_changes(1);
}

pub(crate) fn s_or_else_aborted_then_exception_throws() {
    let (first, second) = (TVar::new(0), TVar::new(0));
    let exception = thrown(|| {
        atomically(|tx| or_else(tx, writes_and_retries::<()>(&first), writes_and_throws(&second)));
    });
    assert_eq!(exception.downcast::<Oh>().unwrap(), Oh(7));
    assert_eq!((first.load(), second.load()), (0, 0));
}

// Figure 11.

pub(crate) fn s_catch_success_never_runs_the_handler() {
    let (body, handler) = (TVar::new(0), TVar::new(0));
    let result = atomically(|tx| {
        catch(tx, |tx| body.write(tx, 1).map(|()| 1), |tx, Oh(_)| handler.write(tx, 1).map(|()| 2))
    });
    assert_eq!((result, body.load(), handler.load()), (1, 1, 0));
}

pub(crate) fn s_catch_aborted_aborts_and_undoes() {
    let (body, handler) = (TVar::new(0), TVar::new(0));
    let seen = atomically(|tx| {
        or_else(
            tx,
            |tx| catch(tx, writes_and_retries(&body), |tx, Oh(_)| handler.write(tx, 1).map(|()| 5)),
            |tx| body.read(tx),
        )
    });
    assert_eq!((seen, body.load(), handler.load()), (0, 0, 0));
}

pub(crate) fn s_catch_aborted_waits_for_its_read_set() {
    let variable = TVar::new(0);
    let mine = variable.clone();
    waits_for(&variable, move |tx| catch(tx, |tx| guard(mine.read(tx)? > 0), |_, Oh(_)| Ok(())));
}

pub(crate) fn s_catch_exception_that_is_handled_undoes_the_body() {
    let (before, body) = (TVar::new(0), TVar::new(0));
    let seen = atomically(|tx| {
        before.write(tx, 1)?;
        catch(
            tx,
            |tx| {
                before.write(tx, 2)?;
                writes_and_throws(&body)(tx)
            },
            |tx, Oh(number)| Ok((number, before.read(tx)?, body.read(tx)?)),
        )
    });
    assert_eq!((seen, before.load(), body.load()), ((7, 1, 0), 1, 0));
}

pub(crate) fn s_catch_exception_that_is_handled_keeps_the_reads() {
    // Only the body that threw has read the variable, and with another value it would not have thrown.
    let variable = TVar::new(0);
    let mine = variable.clone();
    waits_for(&variable, move |tx| {
        catch(tx, |tx| if mine.read(tx)? == 0 { throw(Oh(1)) } else { Ok(()) }, |_, Oh(_)| retry())
    });
}

pub(crate) fn s_catch_exception_that_is_not_handled_propagates() {
    let (body, handler) = (TVar::new(0), TVar::new(0));
    let seen = atomically(|tx| {
        catch(
            tx,
            |tx| catch(tx, writes_and_throws(&body), |tx, Another| handler.write(tx, 1).map(|()| (0, 5))),
            |tx, Oh(number)| Ok((number, body.read(tx)?)),
        )
    });
    assert_eq!((seen, body.load(), handler.load()), ((7, 0), 0, 0));
}
