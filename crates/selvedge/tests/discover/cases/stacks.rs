//! Two stacks of integers: a list in an `MVar`, and one that is replaced by compare-and-swap (Walker's
//! thesis, Listings 75 and 79).
//!
//! Beside the operations another thread sets the contents to those of the seed. The top is the last
//! element.

use selvedge::discover::Signature;
use selvedge::sync::{AtomicRef, MVar};

/// A stack.
pub(crate) trait Stack: Send + Sync + 'static {
    /// A stack with these elements.
    fn of(items: Vec<i64>) -> Self;
    /// Changes the list at once.
    fn modify<R>(&self, change: impl Fn(&mut Vec<i64>) -> R) -> R;
    /// The list. Waits while another thread changes it.
    fn items(&self) -> Vec<i64>;

    /// Puts an element on the top.
    fn push(&self, x: i64) {
        self.modify(|items| items.push(x));
    }

    /// Takes the top away.
    fn pop(&self) -> Option<i64> {
        self.modify(Vec::pop)
    }

    /// The top.
    fn peek(&self) -> Option<i64> {
        self.items().last().copied()
    }
}

/// A list in an `MVar`.
pub(crate) struct LockStack(MVar<Vec<i64>>);

impl Stack for LockStack {
    fn of(items: Vec<i64>) -> LockStack {
        LockStack(MVar::new(items))
    }

    fn modify<R>(&self, change: impl Fn(&mut Vec<i64>) -> R) -> R {
        self.0.with(change)
    }

    fn items(&self) -> Vec<i64> {
        self.0.read()
    }
}

/// A list that is replaced by compare-and-swap.
pub(crate) struct CasStack(AtomicRef<Vec<i64>>);

impl Stack for CasStack {
    fn of(items: Vec<i64>) -> CasStack {
        CasStack(AtomicRef::new(items))
    }

    fn modify<R>(&self, change: impl Fn(&mut Vec<i64>) -> R) -> R {
        self.0.modify_cas(|items| {
            let mut items = items.clone();
            let result = change(&mut items);
            (items, result)
        })
    }

    fn items(&self) -> Vec<i64> {
        self.0.load().to_vec()
    }
}

/// A signature of a stack.
pub(crate) type StackSignature<S, O> = Signature<S, Vec<i64>, O>;

/// `push`, `pop`, `peek`, and a push of what was popped, observed by the function.
fn operations<S: Stack, O>(observe: fn(&S) -> O) -> StackSignature<S, O>
where
    O: Ord + Clone + std::fmt::Debug + Send + Sync + 'static,
{
    Signature::new(|items: &Vec<i64>| S::of(items.clone()), move |s: &S, _seed| observe(s))
        .op("push", |s: &S, x: i64| s.push(x))
        .op("pop", |s: &S| s.pop())
        .op("peek", |s: &S| s.peek())
        .op("when_some_push", |s: &S, m: Option<i64>| {
            if let Some(x) = m {
                s.push(x);
            }
        })
        .back_to_seed(|s: &S, _seed| s.items())
        .interfere("set", |s: &S, seed: &Vec<i64>| s.modify(|items| items.clone_from(seed)))
}

/// Observed by the whole list, with `|||`.
pub(crate) fn stack<S: Stack>() -> StackSignature<S, Vec<i64>> {
    operations(S::items).parallel()
}

/// The same with a `push2` that pushes its second argument twice, which is wrong.
pub(crate) fn stack_with_wrong_push2<S: Stack>() -> StackSignature<S, Vec<i64>> {
    stack().op("push2", |s: &S, _first: i64, second: i64| s.modify(|items| items.extend([second, second])))
}

/// Observed by `peek`, with the right `push2` and without `|||` (Listing 78).
pub(crate) fn peeked_stack<S: Stack>() -> StackSignature<S, Option<i64>> {
    operations(S::peek)
        .op("push2", |s: &S, first: i64, second: i64| s.modify(|items| items.extend([first, second])))
        .op("when_some_push2", |s: &S, first: i64, m: Option<i64>| {
            if let Some(second) = m {
                s.modify(|items| items.extend([first, second]));
            }
        })
}
