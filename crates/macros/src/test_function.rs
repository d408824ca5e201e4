//! The function below the attribute.

use crate::SyntaxError;
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A function without parameters.
pub(crate) struct TestFunction {
    /// Attributes and visibility.
    pub(crate) before: TokenStream,
    pub(crate) name: Ident,
    /// The empty parentheses and the return type.
    pub(crate) signature: TokenStream,
    pub(crate) body: Group,
}

impl TestFunction {
    pub(crate) fn parse(item: TokenStream) -> Result<TestFunction, SyntaxError> {
        let tokens: Vec<TokenTree> = item.into_iter().collect();
        let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident.to_string() == word);
        let Some(keyword) = tokens.iter().position(|token| is(token, "fn")) else {
            return Err(SyntaxError::new("#[selvedge::test] is for functions", Span::call_site()));
        };
        if let Some(bad) = tokens[..keyword]
            .iter()
            .find(|token| ["async", "unsafe", "extern"].iter().any(|word| is(token, word)))
        {
            let help = "; `selvedge::future::block_on` runs a future inside of one";
            let help = if is(bad, "async") { help } else { "" };
            return Err(SyntaxError::new(format!("a test is a plain function{help}"), bad.span()));
        }
        let Some(TokenTree::Ident(name)) = tokens.get(keyword + 1) else {
            return Err(SyntaxError::new("a function has a name", tokens[keyword].span()));
        };
        match tokens.get(keyword + 2) {
            Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis && group.stream().is_empty() => {}
            Some(token) => {
                return Err(SyntaxError::new(
                    "a test has no parameters, neither types nor values",
                    token.span(),
                ));
            }
            None => return Err(SyntaxError::new("a function has parentheses", name.span())),
        }
        let Some(TokenTree::Group(body)) = tokens.last() else {
            return Err(SyntaxError::new("a test has a body", name.span()));
        };
        Ok(TestFunction {
            before: tokens[..keyword].iter().cloned().collect(),
            name: name.clone(),
            signature: tokens[keyword + 2..tokens.len() - 1].iter().cloned().collect(),
            body: body.clone(),
        })
    }
}
