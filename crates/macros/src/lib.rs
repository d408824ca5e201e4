//! `#[selvedge::test]`: a `#[test]` whose body is explored.
//!
//! A thin skin over a function of `selvedge`. A test is `fn name() { .. }` or `fn name() -> Result<(), E> { .. }`; that much
//! syntax is read by hand, so that no parser of all of Rust has to be built for it.

mod item;
mod options;

use item::Item;
use proc_macro::{Ident, Span, TokenStream, TokenTree};

/// A test that fails on any outcome but a return, under whatever schedule.
///
/// Options, all of them optional: `strategy = "systematic"` (or `"random"`, `"pct"`, `"swarm"`, `"pos"`, `"round-robin"`), `runs = 10_000`,
/// `seed = 7`, `depth = 3` (of PCT), `steps = 100_000` (of one run), `stack_size = 1_048_576` (bytes of each thread's), `seconds = 10`, `workers = 4` (side by side; 0: as many as there are
/// cores), `memory = "tso"` (or `"sc"`, `"pso"`), `preemptions = 2` (only runs in which threads are interrupted so often at most),
/// `yields = 2` (only runs in which no thread yields, sleeps, or goes on because its time is up, so many times more often than another),
/// `spurious = true` (wake-ups for no reason),
/// `unwind = false` (threads that are left at the end of a run are forgotten),
/// `child_process = true` (on Unix: runs are made in a child process first, so that an abort is an outcome).
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
        Err(mistake) => {
            // The function stays, so that nothing else is reported as missing.
            let mut all = mistake.compile_error();
            all.extend(item);
            all
        }
    }
}

/// What is wrong, and where.
struct Mistake {
    message: String,
    span: Span,
}

impl Mistake {
    fn new(message: impl Into<String>, span: Span) -> Mistake {
        Mistake { message: message.into(), span }
    }

    fn compile_error(&self) -> TokenStream {
        let text = format!("::core::compile_error!{{ {:?} }}", self.message);
        let error: TokenStream = text.parse().expect("an invocation of a macro");
        let at = |mut token: TokenTree| {
            token.set_span(self.span);
            token
        };
        error.into_iter().map(at).collect()
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream, Mistake> {
    let options = options::read(arguments)?;
    let item = Item::read(item)?;
    let name = item.name.to_string();
    let inner = Ident::new("explored", item.name.span());
    let mut out: TokenStream = "#[::core::prelude::v1::test]".parse().expect("an attribute");
    out.extend(item.before);
    out.extend(format!("fn {name}()").parse::<TokenStream>().expect("a signature"));
    let mut body: TokenStream = "fn".parse().expect("a keyword");
    body.extend([TokenTree::from(inner)]);
    body.extend(item.signature);
    body.extend([TokenTree::from(item.body)]);
    let call = format!(
        "::selvedge::private::run_test(::core::concat!(::core::module_path!(), \"::\", \"{name}\"), \
         ::selvedge::private::TestOptions {{ {options} ..::core::default::Default::default() }}, explored);"
    );
    body.extend(call.parse::<TokenStream>().expect("a call"));
    out.extend([TokenTree::from(proc_macro::Group::new(proc_macro::Delimiter::Brace, body))]);
    Ok(out)
}
