//! Each transition rule of Walker's thesis, §5.5.2 (Figures 8 to 11), as a test named after it.
//!
//! Written against the public interface, as plain functions, so that they run on real threads and inside
//! explorations.

mod rules;

/// A test for each rule: on real threads and, with the feature `check`, under every schedule.
macro_rules! tests {
    ($($rule:ident)*) => {
        $(#[test]
        fn $rule() {
            rules::$rule();
        })*

        #[cfg(feature = "check")]
        mod explored {
            $(#[test]
            fn $rule() {
                let report = selvedge::explore(super::rules::$rule);
                assert!(report.is_complete(), "{report}");
                assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&selvedge::Outcome::Returned(())], "{report}");
            })*
        }
    };
}

tests! {
    a_atom_success_writes_the_heap_and_wakes
    a_atom_aborted_waits_for_its_read_set
    a_atom_exception_throws_and_changes_nothing
    s_new_makes_a_variable_that_can_be_used_at_once
    s_read_returns_the_value_of_the_heap
    s_write_changes_the_heap_for_later_reads
    s_retry_ends_the_transaction
    s_throw_ends_the_transaction
    s_stop_ends_the_transaction_with_its_result
    s_or_else_success_never_runs_the_second
    s_or_else_exception_never_runs_the_second
    s_or_else_aborted_then_success_undoes_the_first
    s_or_else_aborted_then_success_keeps_reads_of_both
    s_or_else_aborted_twice_aborts_and_undoes_both
    s_or_else_aborted_twice_waits_for_reads_of_the_first
    s_or_else_aborted_twice_waits_for_reads_of_the_second
    s_or_else_aborted_then_exception_throws
    s_catch_success_never_runs_the_handler
    s_catch_aborted_aborts_and_undoes
    s_catch_aborted_waits_for_its_read_set
    s_catch_exception_that_is_handled_undoes_the_body
    s_catch_exception_that_is_handled_keeps_the_reads
    s_catch_exception_that_is_not_handled_propagates
}
