//! A server that counts, and clients that take each other's answers.
//!
//! After Stolz and Huch, Runtime Verification of Concurrent Haskell Programs, §2: requests and answers go
//! through one shared variable each, so a client can take the answer to another client's request. The fix is
//! from the same paper: a request carries a variable for its answer.
//!
//! `cargo run -p selvedge --features check --example client_server`

#![allow(clippy::print_stdout)] // An example prints its findings.

use selvedge::predicate::{always_true, sometimes_true};
use selvedge::sync::{Arc, MVar};
use selvedge::{Explorer, Strategy, thread};

/// With this seed, a hundred runs of swarm scheduling find a wrong answer.
const SEED: u64 = 1;

/// How many requests each client sends.
const REQUESTS: usize = 2;

/// Requests and answers by shared variables. Returns whether every client got its own answers.
fn shared_answers() -> bool {
    let (requests, answers) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
    let clients = [0_u32, 1].map(|own| {
        let (requests, answers) = (requests.clone(), answers.clone());
        thread::spawn(move || {
            (0..REQUESTS).all(|_| {
                requests.put(own);
                let (request, _count): (u32, u32) = answers.take();
                request == own
            })
        })
    });
    serve(|| requests.take(), |request, count| answers.put((request, count)), clients)
}

/// The same with a separate variable for each answer.
fn own_answers() -> bool {
    let requests = Arc::new(MVar::empty());
    let clients = [0_u32, 1].map(|own| {
        let requests = requests.clone();
        thread::spawn(move || {
            (0..REQUESTS).all(|_| {
                let answer = Arc::new(MVar::empty());
                requests.put((own, answer.clone()));
                let (request, _count): (u32, u32) = answer.take();
                request == own
            })
        })
    });
    serve(|| requests.take(), |(request, answer), count| answer.put((request, count)), clients)
}

/// Answers all requests. Returns whether every client got its own answers.
fn serve<R: Number>(
    take: impl Fn() -> R,
    answer: impl Fn(R, u32),
    clients: [thread::JoinHandle<bool>; 2],
) -> bool {
    let mut count = 0;
    for _ in 0..2 * REQUESTS {
        let request = take();
        let number = request.number();
        answer(request, count);
        count += number;
    }
    clients.into_iter().all(|client| client.join().unwrap())
}

/// The number that a request adds to the count.
trait Number {
    fn number(&self) -> u32;
}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

impl<A> Number for (u32, A) {
    fn number(&self) -> u32 {
        self.0
    }
}

fn main() {
    let wrong = Explorer::new().strategy(Strategy::swarm(SEED, 100)).explore(shared_answers);
    print!("shared answers: {wrong}");
    wrong.assert(&sometimes_true(|all_well| !all_well));
    let right = Explorer::new().strategy(Strategy::swarm(SEED, 10_000)).explore(own_answers);
    print!("own answers: {right}");
    right.assert(&always_true(|all_well| *all_well));
}
