//! A counting semaphore of quantities (Walker's thesis, Listings 81 to 86), after Haskell's `QSemN`.
//!
//! A variable holds the quantity and the waiting threads, first come first; each waits on a variable of
//! its own. Seed n: the quantity |n|. Beside the operations another thread waits for half of the seed
//! and signals it.

use selvedge::discover::Signature;
use selvedge::sync::MVar;
use std::collections::VecDeque;
use std::sync::Arc;

/// A waiting thread: how much it waits for, and the variable that wakes it.
type Waiting = (i64, Arc<MVar<()>>);

/// A semaphore.
pub(crate) struct Semaphore(MVar<(i64, VecDeque<Waiting>)>);

impl Semaphore {
    /// A semaphore of this quantity.
    pub(crate) fn of(quantity: i64) -> Semaphore {
        Semaphore(MVar::new((quantity, VecDeque::new())))
    }

    /// Waits for this quantity. Nothing keeps it from being negative.
    pub(crate) fn wait(&self, wanted: i64) {
        let (quantity, mut waiting) = self.0.take();
        let rest = quantity - wanted;
        if rest < 0 {
            let woken = Arc::new(MVar::empty());
            waiting.push_back((wanted, woken.clone()));
            self.0.put((quantity, waiting));
            woken.take();
        } else {
            self.0.put((rest, waiting));
        }
    }

    /// Adds this quantity, and wakes threads as far as it reaches.
    pub(crate) fn signal(&self, more: i64) {
        let (quantity, mut waiting) = self.0.take();
        let mut rest = quantity + more;
        while rest != 0 && waiting.front().is_some_and(|(wanted, _)| *wanted <= rest) {
            if let Some((wanted, woken)) = waiting.pop_front() {
                let _ = woken.try_put(());
                rest -= wanted;
            }
        }
        self.0.put((rest, waiting));
    }

    /// The quantity.
    pub(crate) fn remaining(&self) -> i64 {
        self.0.read().0
    }

    /// The quantity, and what each thread waits for.
    fn state(&self) -> (i64, Vec<i64>) {
        let (quantity, waiting) = self.0.read();
        (quantity, waiting.iter().map(|(wanted, _)| *wanted).collect())
    }
}

/// A signature of the semaphore.
pub(crate) type SemaphoreSignature = Signature<Semaphore, i64, i64>;

fn operations() -> SemaphoreSignature {
    type Q = Semaphore;
    Signature::new(|n: &i64| Q::of(n.abs()), |q: &Q, _seed| q.remaining())
        .named("semaphore")
        .op("wait", |q: &Q, x: i64| q.wait(x))
        .op("signal", |q: &Q, x: i64| q.signal(x))
        .back_to_seed(|q: &Q, _seed| q.state())
        .interfere("half", |q: &Q, n: &i64| {
            let half = n.div_euclid(2);
            q.wait(half);
            q.signal(half);
        })
}

/// Listing 81: with `|||`, `+`, `-`, 0 and 1.
pub(crate) fn semaphore() -> SemaphoreSignature {
    operations()
        .parallel()
        .pure("+", |a: i64, b: i64| a + b)
        .commutative("+")
        .pure("-", |a: i64, b: i64| a - b)
        .value("0", 0_i64)
        .value("1", 1_i64)
}

/// With `abs` and `negate`, for law (15).
pub(crate) fn semaphore_with_abs() -> SemaphoreSignature {
    operations().pure("abs", |x: i64| x.abs()).pure("negate", |x: i64| -x)
}

/// Without 1, and with conditions: the laws of Listing 86 and what (13) to (15) are instances of.
pub(crate) fn semaphore_with_conditions() -> SemaphoreSignature {
    operations()
        .parallel()
        .pure("-", |a: i64, b: i64| a - b)
        .value("0", 0_i64)
        .when("x >= 0", |x: &i64| *x >= 0)
        .when("x == 0", |x: &i64| *x == 0)
}

/// Without any constant, and with conditions (Listing 86).
pub(crate) fn semaphore_without_constants() -> SemaphoreSignature {
    operations().when("x >= 0", |x: &i64| *x >= 0).when("x == 0", |x: &i64| *x == 0)
}

/// Quantities are naturals (Listing 84).
pub(crate) fn natural_semaphore() -> SemaphoreSignature {
    type Q = Semaphore;
    let whole = |n: u32| i64::from(n);
    Signature::new(|n: &i64| Q::of(n.abs()), |q: &Q, _seed| q.remaining())
        .named("semaphore of naturals")
        .op("wait", move |q: &Q, n: u32| q.wait(whole(n)))
        .op("signal", move |q: &Q, n: u32| q.signal(whole(n)))
        .parallel()
        .pure("+", |a: u32, b: u32| a + b)
        .commutative("+")
        .value("0", 0_u32)
        .back_to_seed(|q: &Q, _seed| q.state())
        .interfere("half", |q: &Q, n: &i64| {
            let half = n.div_euclid(2);
            q.wait(half);
            q.signal(half);
        })
}
