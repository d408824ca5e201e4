//! The function that a test is written as.

use crate::Mistake;
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A function without parameters.
pub(crate) struct Item {
    /// Attributes and visibility.
    pub(crate) before: TokenStream,
    pub(crate) name: Ident,
    /// The empty parentheses and what is returned.
    pub(crate) signature: TokenStream,
    pub(crate) body: Group,
}

impl Item {
    pub(crate) fn read(item: TokenStream) -> Result<Item, Mistake> {
        let all: Vec<TokenTree> = item.into_iter().collect();
        let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident.to_string() == word);
        let Some(keyword) = all.iter().position(|token| is(token, "fn")) else {
            return Err(Mistake::new("#[selvedge::test] is for functions", Span::call_site()));
        };
        if let Some(bad) = all[..keyword]
            .iter()
            .find(|token| ["async", "unsafe", "extern"].iter().any(|word| is(token, word)))
        {
            let help = "; `selvedge::future::block_on` runs a future inside of one";
            let help = if is(bad, "async") { help } else { "" };
            return Err(Mistake::new(format!("a test is a plain function{help}"), bad.span()));
        }
        let Some(TokenTree::Ident(name)) = all.get(keyword + 1) else {
            return Err(Mistake::new("a function has a name", all[keyword].span()));
        };
        match all.get(keyword + 2) {
            Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis && group.stream().is_empty() => {}
            Some(token) => {
                return Err(Mistake::new("a test has no parameters, neither types nor values", token.span()));
            }
            None => return Err(Mistake::new("a function has parentheses", name.span())),
        }
        let Some(TokenTree::Group(body)) = all.last() else {
            return Err(Mistake::new("a test has a body", name.span()));
        };
        Ok(Item {
            before: all[..keyword].iter().cloned().collect(),
            name: name.clone(),
            signature: all[keyword + 2..all.len() - 1].iter().cloned().collect(),
            body: body.clone(),
        })
    }
}
