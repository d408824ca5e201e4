//! Progression over long words: the tables stay small, and dropping old remainders changes no answer.

use crate::generators::{Operators, formula};
use selvedge_ltl::progression::{Cursor, Progression, SharedProgression, Status};
use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::{parse_letters, show_letters};

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

#[test]
fn words_that_share_their_tables_move_as_they_do_alone() {
    const WORDS: usize = 5;
    let mut random = Random(11);
    for _ in 0..2_000 {
        let size = 1 + random.below(12);
        let formula = formula(&mut random, size, 3, Operators::All);
        let mut shared = SharedProgression::new(&formula);
        let mut words: Vec<(Progression, Cursor)> = Vec::new();
        for _ in 0..40 {
            match random.below(20) {
                0 => {
                    // The number of the start is a new one: words that begin later use it.
                    shared.forget_all_but(words.iter_mut().map(|(_, cursor)| cursor));
                }
                1..4 if words.len() < WORDS => words.push((Progression::new(&formula), shared.start())),
                _ if !words.is_empty() => {
                    let index = random.below(words.len());
                    let (alone, cursor) = &mut words[index];
                    let letter = Letter::exactly(random.next() & 7);
                    alone.step(letter);
                    *cursor = shared.step(*cursor, letter);
                }
                _ => {}
            }
            for (alone, cursor) in &words {
                let expected = (alone.status(), alone.holds_at_end());
                let actual = (shared.status(*cursor), shared.holds_at_end(*cursor));
                assert_eq!(actual, expected, "{}", show_letters(&formula));
            }
        }
    }
}

#[test]
fn ten_thousand_words_of_one_formula_have_a_handful_of_remainders() {
    let mut shared = SharedProgression::new(&parse_letters("G (a -> (b U c))"));
    let mut random = Random(12);
    let mut words = vec![shared.start(); 10_000];
    for _ in 0..20 {
        for cursor in &mut words {
            *cursor = shared.step(*cursor, Letter::exactly(random.next() & 7));
        }
    }
    assert!(shared.remainder_count() <= 4, "{} remainders", shared.remainder_count());
}
