//! The laws of `MVar` (Walker's thesis, Listings 68 to 71).

use selvedge::discover::{Limits, Signature};
use selvedge::sync::MVar;

type M = MVar<i64>;

fn mvar() -> Signature<M, Option<i64>, Option<i64>> {
    Signature::new(|x: &Option<i64>| x.map_or_else(M::empty, M::new), |m: &M, _seed| m.try_read())
        .op("put", |m: &M, x: i64| m.put(x))
        .op("take", |m: &M| m.take())
        .op("read", |m: &M| m.read())
        .helper("try_put", |m: &M, x: i64| m.try_put(x).is_ok())
        .back_to_seed(|m: &M, _seed| m.try_read())
        .interfere("put 42", |m: &M, _seed| m.put(42))
}

#[test]
fn the_laws_of_listings_70_and_71_are_found() {
    let laws = mvar().discover(Limits::size(7));
    let expected = [
        "read === read >> read",
        r"read ->- take >>= \x -> put x",
        "take === read >> take",
        "put x === put x >> read",
        "read === read >> try_put x",
        r"read === read >>= \x -> try_put x",
        r"read ->- take >>= \x -> try_put x",
        "put x === put x >> try_put x1",
    ];
    for law in expected {
        assert!(laws.has(law), "{law}\n{laws}");
    }
}
