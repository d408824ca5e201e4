//! `#[selvedge::test]`: a `#[test]` whose body is explored.
//!
//! The attribute is a thin skin over a function of `selvedge`. A test is `fn name() { .. }` or `fn name() ->
//! Result<(), E> { .. }`; this little syntax is parsed by hand, so that users need not build a parser of all
//! of Rust.

mod options;
mod test_function;

use proc_macro::{Ident, Span, TokenStream, TokenTree};
use test_function::TestFunction;

/// A test that explores its body, and fails on every outcome but a return.
///
/// Options, all of them optional:
///
/// - `strategy = "systematic"`, or `"mixed"`, `"random"`, `"pct"`, `"swarm"`, `"pos"`, `"round-robin"`;
/// - `runs = 10_000`, `seconds = 10`, `steps = 100_000` (of one run), `seed = 7` (of a random strategy);
/// - `depth = 3`, `expected_steps = 200`: parameters of PCT;
/// - `reuse = 20`, `weights = (1, 50)`, `change_points = 2`, `expected_steps = 200`: parameters of swarm;
/// - `workers = 4`: so many threads explore side by side; 0 stands for the number of cores;
/// - `stack_size = 1_048_576`: bytes of each thread's stack;
/// - `memory = "tso"`, or `"sc"`, `"pso"`;
/// - `preemptions = 2`: only runs with at most so many pre-emptions;
/// - `yields = 2`: only runs in which no thread yields so many times more often than another; a sleep and a
///   timed-out wait count as yields;
/// - `length = 100`: only runs with at most so many steps;
/// - `spurious = true`: condition variables wake up spuriously;
/// - `unwind = false`: threads that are left at the end of a run are forgotten, not unwound;
/// - `child_process = true`: on Unix, a child process makes each run first, so that an abort is an outcome.
///
/// `#[should_panic]` and `#[ignore]` work as with `#[test]`; the body may return a `Result`.
///
/// ```ignore
/// #[selvedge::test(strategy = "swarm", runs = 10_000)]
/// fn messages_arrive() { /* .. */ }
/// ```
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match expand(arguments, item.clone()) {
        Ok(expanded) => expanded,
        Err(error) => {
            // The function stays, so that the compiler does not report it as missing.
            let mut tokens = error.compile_error();
            tokens.extend(item);
            tokens
        }
    }
}

/// An error in the attribute or its function, with its place.
struct SyntaxError {
    message: String,
    span: Span,
}

impl SyntaxError {
    fn new(message: impl Into<String>, span: Span) -> SyntaxError {
        SyntaxError { message: message.into(), span }
    }

    fn compile_error(&self) -> TokenStream {
        let text = format!("::core::compile_error!{{ {:?} }}", self.message);
        let invocation: TokenStream = text.parse().expect("an invocation of a macro");
        let at_span = |mut token: TokenTree| {
            token.set_span(self.span);
            token
        };
        invocation.into_iter().map(at_span).collect()
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream, SyntaxError> {
    let options = options::parse(arguments)?;
    let function = TestFunction::parse(item)?;
    let name = function.name.to_string();
    let inner = Ident::new("explored", function.name.span());
    let mut out: TokenStream = "#[::core::prelude::v1::test]".parse().expect("an attribute");
    out.extend(function.before);
    out.extend(format!("fn {name}()").parse::<TokenStream>().expect("a signature"));
    let mut body: TokenStream = "fn".parse().expect("a keyword");
    body.extend([TokenTree::from(inner)]);
    body.extend(function.signature);
    body.extend([TokenTree::from(function.body)]);
    let call = format!(
        "::selvedge::private::run_test(::core::concat!(::core::module_path!(), \"::\", \"{name}\"), \
         ::selvedge::private::TestOptions {{ {options} ..::core::default::Default::default() }}, explored);"
    );
    body.extend(call.parse::<TokenStream>().expect("a call"));
    out.extend([TokenTree::from(proc_macro::Group::new(proc_macro::Delimiter::Brace, body))]);
    Ok(out)
}
