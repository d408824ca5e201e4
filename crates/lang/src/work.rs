//! A count of elementary steps, for tests that a text is read in linear time.
//!
//! The loops that go over a text, a graph or a list of names call [`count_step`]. Outside of this crate's
//! own tests the call is empty.

#[cfg(not(test))]
#[inline(always)]
pub(crate) fn count_step() {}

#[cfg(test)]
pub(crate) use counting::count_step;

#[cfg(test)]
mod counting {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn count_step() {
        STEPS.set(STEPS.get() + 1);
    }

    /// How many elementary steps the work takes.
    pub(super) fn steps_of(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::counting::steps_of;
    use crate::program::{Program, SystemOptions};
    use crate::{flow, parallel};
    use selvedge_ltl::source::Source;

    /// The sizes that are compared.
    const SMALL: usize = 500;
    const LARGE: usize = 8 * SMALL;

    /// Checks that a text of eight times the size takes at most nine times the steps, up to its system if it
    /// has one.
    #[track_caller]
    fn check_linear(name: &str, text: impl Fn(usize) -> String) {
        let steps = |size: usize| {
            let source = Source::new(name, text(size));
            steps_of(|| {
                let program = match name.ends_with(".flow") {
                    true => flow::parse(&source).0,
                    false => parallel::parse(&source).0,
                };
                if let Some(program) = program {
                    program.system(&[], SystemOptions::default()).expect("a system");
                }
            })
        };
        let (small, large) = (steps(SMALL), steps(LARGE));
        assert!(small >= SMALL as u64, "{name}: only {small} steps are counted");
        assert!(large <= 9 * small, "{name}: {small} steps for size {SMALL}, {large} for {LARGE}");
    }

    #[test]
    fn a_long_process_takes_linear_work() {
        check_linear("long.par", |size| {
            format!("memory x = 0; process 1: {} skip", "x := x + 1 - 1 ; ".repeat(size))
        });
        check_linear("branches.par", |size| {
            format!("memory x = 0; process 1: {} skip", "if x = 1 then x := 2 else x := 1 fi ; ".repeat(size))
        });
        check_linear("long.flow", |size| {
            format!("Process P: begin {} x := 2 end.", "x := 1; while x = 2 do x := 1; ".repeat(size))
        });
    }

    #[test]
    fn many_processes_take_linear_work() {
        check_linear("family.par", |size| {
            let body = "local y = 0; repeat y := x; atomic x := i; y := 0 end forever";
            format!("memory x = 0; process p(i) for i in 1..{size}: {body}")
        });
    }

    #[test]
    fn many_properties_and_long_formulas_take_linear_work() {
        check_linear("properties.par", |size| {
            let property = |number: usize| format!("property p{number}: [] (x = 0 -> <> x = 1)\n");
            format!("memory x = 0; process 1: x := 1\n{}", (0..size).map(property).collect::<String>())
        });
        check_linear("formula.par", |size| {
            format!("memory x = 0; process 1: x := 1\nproperty p: [] x < 2{}", " /\\ (x < 3)".repeat(size))
        });
    }

    #[test]
    fn many_unknown_names_take_linear_work() {
        let sequence = |size: usize, statement: &dyn Fn(usize) -> String| {
            (0..size).map(|number| statement(number) + ";\n").collect::<String>()
        };
        check_linear("undeclared.par", |size| {
            format!("process 1: {} skip", sequence(size, &|number| format!("y := name{number}")))
        });
        check_linear("statements.par", |size| {
            let declared: String = (0..size).map(|number| format!("statement s{number}x;\n")).collect();
            format!("{declared}process 1: {} skip", sequence(size, &|number| format!("s{number}y")))
        });
        check_linear("labels.flow", |size| {
            format!("Process P: begin {} x := 2 end. property p: P at m", "x := 1; ".repeat(size))
        });
    }

    #[test]
    fn noise_and_comments_take_linear_work() {
        check_linear("noise.par", |size| "%$ ( ] then od ".repeat(size));
        check_linear("comments.par", |size| "// nothing here\n; ".repeat(size));
        check_linear("noise.flow", |size| "Process P: end begin . ; ".repeat(size));
    }

    #[test]
    fn deep_nesting_of_quantifiers_and_arguments_is_refused_in_linear_work() {
        let head = "memory x = 0; process 1: x := 1\ndefine n(f) = ~ f;\nproperty p: ";
        check_linear("quantifiers.par", |size| format!("{head}{}x = 1", "forall i in 1..2: ".repeat(size)));
        check_linear("arguments.par", |size| format!("{head}{}x = 1{}", "n(".repeat(size), ")".repeat(size)));
    }
}
