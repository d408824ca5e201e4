//! The modules that are part of the program: those of OTP as far as they are supported, written in Erlang.

use selvedge_ltl::source::Source;

/// Each module with its text.
const MODULES: &[(&str, &str)] = &[
    ("gen_server", include_str!("library/gen_server.erl")),
    ("io", include_str!("library/io.erl")),
    ("lists", include_str!("library/lists.erl")),
    ("logger", include_str!("library/logger.erl")),
    ("maps", include_str!("library/maps.erl")),
    ("proplists", include_str!("library/proplists.erl")),
    ("rand", include_str!("library/rand.erl")),
    ("selvedge", include_str!("library/selvedge.erl")),
    ("supervisor", include_str!("library/supervisor.erl")),
    ("timer", include_str!("library/timer.erl")),
];

/// The text of a module of this name.
pub(crate) fn find(name: &str) -> Option<Source> {
    let module = MODULES.iter().find(|module| module.0 == name);
    module.map(|(name, text)| Source::new(format!("<{name}.erl>"), *text))
}
