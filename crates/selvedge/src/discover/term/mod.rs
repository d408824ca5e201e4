//! Terms: small programs of operations, with variables in the place of some arguments.
//!
//! Walker's thesis, §7.3.1. A schema is a term in which every variable is another one: a hole. Its
//! instances identify some of them ([`partition`]). Results that later operations use are numbered from the
//! innermost outwards (de Bruijn). A sequence `(a >> b) >> c` is always written `a >> (b >> c)`, which is
//! the same program.

pub(crate) mod generate;
pub(crate) mod ground;
pub(crate) mod named;
pub(crate) mod parse;
pub(crate) mod partition;
pub(crate) mod resolve;

/// An argument of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    /// A constant of the signature, by its number.
    Constant(u16),
    /// A variable, by its number in the term.
    Variable(u8),
    /// The result of an operation before; 0 is the innermost `>>=`.
    Bound(u8),
    /// A pure function and its arguments.
    Apply(u16, Vec<Argument>),
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// An operation and its arguments.
    Call(u16, Vec<Argument>),
    /// `first >> second`.
    Then(Box<Effect>, Box<Effect>),
    /// `first >>= \x -> second`.
    Bind(Box<Effect>, Box<Effect>),
    /// `left ||| right`.
    Beside(Box<Effect>, Box<Effect>),
}

impl Argument {
    /// One for each function, constant and variable.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        match self {
            Argument::Apply(_, arguments) => 1 + arguments.iter().map(Argument::size).sum::<usize>(),
            _ => 1,
        }
    }

    /// Calls the function with each leaf, from left to right, and puts its result there.
    fn map_leaves(&self, change: &mut impl FnMut(&Argument) -> Argument) -> Argument {
        match self {
            Argument::Apply(function, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.map_leaves(change)).collect();
                Argument::Apply(*function, arguments)
            }
            leaf => change(leaf),
        }
    }
}

impl Effect {
    /// One for each operation, state, argument, `>>`, `>>=` and `|||`: the definition, which generation
    /// follows.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        match self {
            Effect::Call(_, arguments) => 2 + arguments.iter().map(Argument::size).sum::<usize>(),
            Effect::Then(first, second) | Effect::Bind(first, second) | Effect::Beside(first, second) => {
                1 + first.size() + second.size()
            }
        }
    }

    /// Whether it is `first >> second` or `first >>= \x -> second`.
    pub(crate) fn is_sequence(&self) -> bool {
        matches!(self, Effect::Then(..) | Effect::Bind(..))
    }

    /// The same with other leaves of arguments. The function is given each leaf, from left to right, with
    /// the number of `>>=` around it.
    pub(crate) fn map_leaves(&self, change: &mut impl FnMut(&Argument, u8) -> Argument) -> Effect {
        self.map_leaves_at(0, change)
    }

    fn map_leaves_at(&self, depth: u8, change: &mut impl FnMut(&Argument, u8) -> Argument) -> Effect {
        match self {
            Effect::Call(op, arguments) => {
                let leaf = &mut |leaf: &Argument| change(leaf, depth);
                Effect::Call(*op, arguments.iter().map(|argument| argument.map_leaves(leaf)).collect())
            }
            Effect::Then(first, second) => {
                let first = first.map_leaves_at(depth, change);
                Effect::Then(first.into(), second.map_leaves_at(depth, change).into())
            }
            Effect::Bind(first, second) => {
                let first = first.map_leaves_at(depth, change);
                Effect::Bind(first.into(), second.map_leaves_at(depth + 1, change).into())
            }
            Effect::Beside(left, right) => {
                let left = left.map_leaves_at(depth, change);
                Effect::Beside(left.into(), right.map_leaves_at(depth, change).into())
            }
        }
    }

    /// The same with other numbers of variables.
    pub(crate) fn rename(&self, names: &[u8]) -> Effect {
        self.map_leaves(&mut |leaf, _| match leaf {
            Argument::Variable(variable) => Argument::Variable(names[usize::from(*variable)]),
            leaf => leaf.clone(),
        })
    }

    /// The operations, from left to right.
    pub(crate) fn ops(&self) -> Vec<u16> {
        match self {
            Effect::Call(op, _) => vec![*op],
            Effect::Then(first, second) | Effect::Bind(first, second) | Effect::Beside(first, second) => {
                [first.ops(), second.ops()].concat()
            }
        }
    }

    /// The last operation, whose result is that of the term; `None` if that is `|||`.
    pub(crate) fn last_op(&self) -> Option<u16> {
        match self {
            Effect::Call(op, _) => Some(*op),
            Effect::Then(_, second) | Effect::Bind(_, second) => second.last_op(),
            Effect::Beside(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::generate::{Arguments, Part, PartUse, compounds};
    use super::*;
    use crate::discover::signature::{Signature, Vocabulary};
    use resolve::Resolver;

    fn vocabulary() -> Vocabulary {
        let signature = Signature::new(|(): &()| (), |(): &(), ()| ())
            .op("put", |(): &(), _: i64| ())
            .op("take", |(): &()| 0_i64)
            .helper("try_put", |(): &(), _: i64| true)
            .pure("+", |a: i64, b: i64| a + b)
            .commutative("+")
            .pure("-", |a: i64, b: i64| a - b)
            .value("0", 0_i64)
            .value("1", 1_i64)
            .parallel();
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(&signature);
        vocabulary
    }

    #[track_caller]
    fn size(term: &str) -> usize {
        let vocabulary = vocabulary();
        let effect = Resolver::new(&vocabulary, 0).term(&term.parse().expect("a term"));
        effect.expect("a term of the vocabulary").size()
    }

    #[test]
    fn sizes_are_those_of_coco() {
        assert_eq!(size("take"), 2);
        assert_eq!(size(r"take >>= \x -> put x"), 6);
        assert_eq!(size("put x >> try_put x1"), 7);
        assert_eq!(size("put (1 + 1)"), 5);
        assert_eq!(size("put (0 - (1 + 1))"), 7);
        assert_eq!(size("take ||| put x"), 6);
    }

    /// All schemas of each size, without pruning.
    fn schemas(most: usize) -> Vec<Vec<generate::Holed<Effect>>> {
        let (vocabulary, mut arguments) = (vocabulary(), Arguments::default());
        let mut all: Vec<Vec<generate::Holed<Effect>>> = vec![Vec::new()];
        for size in 1..=most {
            arguments.extend(&vocabulary, 0, &mut |_, _| true);
            let mut made = arguments.calls(&vocabulary, 0, size);
            let part = |schema| Part { number: 0, schema, place: PartUse::Anywhere };
            let parts: Vec<Vec<Part<'_>>> = all.iter().map(|all| all.iter().map(part).collect()).collect();
            made.extend(compounds(&vocabulary, 0, &parts, size).into_iter().map(|(schema, _)| schema));
            all.push(made);
        }
        all
    }

    #[test]
    fn schemas_are_made_once_and_have_their_size() {
        let mut seen = std::collections::HashSet::new();
        for (size, schemas) in schemas(8).into_iter().enumerate() {
            for schema in schemas {
                assert_eq!(schema.term.size(), size, "{schema:?}");
                assert!(seen.insert(schema.term.clone()), "{schema:?} is made twice");
            }
        }
    }

    #[test]
    fn results_are_bound_to_each_choice_of_holes() {
        let schemas = schemas(8);
        let binds = |schema: &&generate::Holed<Effect>| matches!(schema.term, Effect::Bind(..));
        // `take >>= \x -> put x` and the same with `try_put`.
        assert_eq!(schemas[6].iter().filter(binds).count(), 2);
        // `take >>= \x -> put a`, where `a` is `x + ?`, `? + x`, `x + x`, or the same with `-`; or has a
        // constant.
        let binary = 2 * (3 + 3);
        let with_constants = 2 * (2 + 2 * 2);
        assert_eq!(schemas[8].iter().filter(binds).count(), binary + with_constants);
    }
}
