//! `MVar` of integers (Walker's thesis, Listings 68 to 71).

use selvedge::discover::Signature;
use selvedge::sync::MVar;

/// A variable that is full or empty.
pub(crate) type M = MVar<i64>;

/// The operations of Listing 69, without interference.
fn operations() -> Signature<M, Option<i64>, Option<i64>> {
    Signature::new(|x: &Option<i64>| x.map_or_else(M::empty, M::new), |m: &M, _seed| m.try_read())
        .named("mvar")
        .op("put", |m: &M, x: i64| m.put(x))
        .op("take", |m: &M| m.take())
        .op("read", |m: &M| m.read())
        .helper("try_put", |m: &M, x: i64| m.try_put(x).is_ok())
        .back_to_seed(|m: &M, _seed| m.try_read())
}

/// Listing 69: another thread puts 42.
pub(crate) fn mvar() -> Signature<M, Option<i64>, Option<i64>> {
    operations().interfere("put 42", |m: &M, _seed| m.put(42))
}

/// Another thread empties the variable, and puts the seed back.
pub(crate) fn refilled_mvar() -> Signature<M, Option<i64>, Option<i64>> {
    operations().interfere("refill", |m: &M, seed: &Option<i64>| {
        m.try_take();
        if let Some(x) = seed {
            let _ = m.try_put(*x);
        }
    })
}
