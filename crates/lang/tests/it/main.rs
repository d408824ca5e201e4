//! Tests of the languages through their public interface, in one binary.

mod common;
mod dekker;
mod diagnostics;
mod erlang;
mod erlang_declarations;
mod erlang_domains;
mod erlang_formula_messages;
mod erlang_formulas;
mod erlang_formulas_generated;
mod erlang_library;
mod erlang_programs;
mod flow_language;
mod forgetting;
mod language;
mod loops;
mod maude;
mod printing;
mod quantifiers;
mod reduction;
mod simulated;
mod systematic;
mod verdicts_maude;
mod verdicts_spin;
mod walked;
mod workers;
