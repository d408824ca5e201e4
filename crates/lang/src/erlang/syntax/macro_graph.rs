//! How large macros become, before they are expanded.
//!
//! Sixty macros that each use the one before twice have more tokens than any memory. `erl_pp` looks for
//! cycles along every path through the definitions, so even the search would not end. This graph of
//! definitions counts tokens without expanding anything.

use erl_pp::MacroDefinition;
use erl_tokenize::{Symbol, TokenKind, TokenValue};
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest chain of macros that use each other.
const MAX_CHAIN: usize = 1_000;

/// A macro: its name, and the number of its parameters.
type Key = (String, Option<usize>);

/// Which macros use which.
#[derive(Default)]
pub(super) struct MacroGraph {
    definitions: FxHashMap<Key, Body>,
    /// The numbers of parameters with which a name is defined.
    arities: FxHashMap<String, Vec<Option<usize>>>,
    /// All names that a body uses.
    used: FxHashSet<String>,
}

struct Body {
    token_count: usize,
    uses: Vec<String>,
}

impl MacroGraph {
    /// Adds a definition; says whether some macro has now at least `limit` tokens, or too long a chain.
    pub(super) fn define(&mut self, definition: &MacroDefinition, limit: usize) -> bool {
        let body = Body { token_count: definition.replacement.len(), uses: names_used(definition) };
        let matters = !body.uses.is_empty() || self.used.contains(&definition.name);
        self.used.extend(body.uses.iter().cloned());
        let arities = self.arities.entry(definition.name.clone()).or_default();
        if !arities.contains(&definition.arity) {
            arities.push(definition.arity);
        }
        self.definitions.insert((definition.name.clone(), definition.arity), body);
        matters && self.has_large(limit)
    }

    /// Removes all definitions of a name.
    pub(super) fn undefine(&mut self, name: &str) {
        for arity in self.arities.remove(name).unwrap_or_default() {
            self.definitions.remove(&(name.to_owned(), arity));
        }
    }

    fn has_large(&self, limit: usize) -> bool {
        let mut sizes: FxHashMap<&Key, usize> = FxHashMap::default();
        let mut users = self.definitions.iter().filter(|(_, body)| !body.uses.is_empty());
        users.any(|(key, _)| self.size(key, &mut sizes, 0) >= limit)
    }

    /// The number of tokens after expansion; huge for a chain that is too long.
    fn size<'a>(&'a self, key: &'a Key, sizes: &mut FxHashMap<&'a Key, usize>, depth: usize) -> usize {
        if let Some(size) = sizes.get(key) {
            return *size;
        }
        let Some(body) = self.definitions.get(key) else { return 0 };
        if depth > MAX_CHAIN {
            return usize::MAX;
        }
        // On a cycle, which is an error of its own, the macro counts once.
        sizes.insert(key, 0);
        let mut size = body.token_count;
        for name in &body.uses {
            for arity in self.arities.get(name).into_iter().flatten() {
                if let Some((used, _)) = self.definitions.get_key_value(&(name.clone(), *arity)) {
                    size = size.saturating_add(self.size(used, sizes, depth + 1));
                }
            }
        }
        sizes.insert(key, size);
        size
    }
}

/// The names after `?` in a body.
fn names_used(definition: &MacroDefinition) -> Vec<String> {
    let mut tokens = definition.replacement.iter().filter(|token| token.token().kind().is_lexical());
    let mut names = Vec::new();
    while let Some(token) = tokens.next() {
        if token.token().kind() == TokenKind::Symbol(Symbol::Question)
            && let Some(name) = tokens.next()
            && let TokenValue::Atom(_) | TokenValue::Variable(_) | TokenValue::Keyword(_) = name.value()
        {
            names.push(name.text().to_owned());
        }
    }
    names
}
