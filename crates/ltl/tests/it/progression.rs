//! Progression over long words: the tables stay small, and dropping old remainders changes no answer.

use selvedge_ltl::progression::{Progression, Status};
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::parse_letters;

#[test]
fn nested_fixed_points_stay_small_over_a_million_letters() {
    let mut random = Random(9);
    for text in
        ["G F a", "G (a -> F b)", "F G a | G F b", "G (a -> (b U c))", "G F (a & O b)", "(G F a) U (F G b)"]
    {
        let mut run = Progression::new(&parse_letters(text));
        for _ in 0..1_000_000 {
            run.step(Letter::exactly(random.next() & 7));
        }
        assert!(run.remainder_count() <= 40, "{text}: {} remainders", run.remainder_count());
    }
}

#[test]
fn dropping_old_remainders_changes_no_answer() {
    const DELAY: usize = 17;
    let (p, q) = (Formula::Prop(Prop(0)), Formula::Prop(Prop(1)));
    let delayed = (0..DELAY).fold(q, |formula, _| formula.next());
    // The remainder records which of the last states had p: there are more remainders than the tables hold.
    let formula = (p & delayed).eventually();
    let mut random = Random(10);
    let letters: Vec<Letter> = (0..150_000).map(|_| Letter::exactly(random.next() & 1)).collect();
    let mut run = Progression::new(&formula);
    let mut forgot = false;
    let mut before = 0;
    for letter in &letters {
        assert_eq!(run.step(*letter), Status::Open);
        forgot |= run.remainder_count() < before;
        before = run.remainder_count();
    }
    assert!(forgot, "{before} remainders were remembered, and none forgotten");
    let mut late = Progression::new(&formula);
    for letter in &letters[letters.len() - 2 * DELAY..] {
        late.step(*letter);
    }
    let [left, left_late] = [&mut run, &mut late].map(|run| {
        let (remainder, arena) = run.remainder();
        arena.to_formula(remainder).map(&mut |prop| ["p", "q"][prop.0 as usize]).to_string()
    });
    let sorted = |text: &str| {
        let mut parts: Vec<String> =
            text.split(['&', '|', '(', ')']).map(|part| part.trim().to_owned()).collect();
        parts.sort();
        parts
    };
    assert_eq!(sorted(&left), sorted(&left_late));
}
