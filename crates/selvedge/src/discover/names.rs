//! Names for the variables of terms: `x`, `x1`, … by their types.

use super::signature::{TypeIndex, Vocabulary};
use super::term::named::{NamedArgument, Term};
use super::term::{Argument, Effect};
use std::collections::BTreeSet;

/// The names of the variables of a law.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// By the number of the variable.
    pub(crate) names: Vec<String>,
}

impl Names {
    /// Names for the variables of these terms, which have these types, in the order of their appearance.
    pub(crate) fn of_variables(vocabulary: &Vocabulary, terms: &[Effect], types: &[TypeIndex]) -> Names {
        let mut order: Vec<u8> = Vec::new();
        for term in terms {
            term.map_leaves(&mut |leaf, _| {
                if let Argument::Variable(variable) = leaf
                    && !order.contains(variable)
                {
                    order.push(*variable);
                }
                leaf.clone()
            });
        }
        let (mut names, mut taken) = (vec![String::new(); types.len()], reserved(vocabulary));
        for variable in order {
            let variable = usize::from(variable);
            names[variable] = fresh(vocabulary, types[variable], &mut taken);
        }
        Names { names }
    }

    /// The term with these names.
    pub(crate) fn term(&self, vocabulary: &Vocabulary, term: &Effect) -> Term {
        let mut taken = reserved(vocabulary);
        taken.extend(self.names.iter().cloned());
        self.named(vocabulary, term, &mut Vec::new(), &taken)
    }

    fn named(
        &self,
        vocabulary: &Vocabulary,
        term: &Effect,
        bound: &mut Vec<String>,
        taken: &BTreeSet<String>,
    ) -> Term {
        match term {
            Effect::Call(op, arguments) => {
                let arguments =
                    arguments.iter().map(|argument| self.argument(vocabulary, argument, bound)).collect();
                Term::Call(vocabulary.ops[usize::from(*op)].name.clone(), arguments)
            }
            Effect::Then(first, second) => {
                let first = self.named(vocabulary, first, bound, taken);
                Term::Then(first.into(), self.named(vocabulary, second, bound, taken).into())
            }
            Effect::Bind(first, second) => {
                let named = self.named(vocabulary, first, bound, taken);
                let result = first.last_op().and_then(|op| vocabulary.ops[usize::from(op)].result);
                let mut taken = taken.clone();
                let name = fresh(vocabulary, result.expect("a bound result has a type"), &mut taken);
                bound.push(name.clone());
                let second = self.named(vocabulary, second, bound, &taken);
                bound.pop();
                Term::Bind(named.into(), name, second.into())
            }
            Effect::Beside(left, right) => {
                let left = self.named(vocabulary, left, bound, taken);
                Term::Beside(left.into(), self.named(vocabulary, right, bound, taken).into())
            }
        }
    }

    fn argument(&self, vocabulary: &Vocabulary, argument: &Argument, bound: &[String]) -> NamedArgument {
        match argument {
            Argument::Constant(number) => {
                NamedArgument::Name(vocabulary.constants[usize::from(*number)].name.clone())
            }
            Argument::Variable(variable) => NamedArgument::Name(self.names[usize::from(*variable)].clone()),
            Argument::Bound(index) => {
                NamedArgument::Name(bound[bound.len() - 1 - usize::from(*index)].clone())
            }
            Argument::Apply(function, arguments) => {
                let arguments =
                    arguments.iter().map(|argument| self.argument(vocabulary, argument, bound)).collect();
                NamedArgument::Apply(vocabulary.pures[usize::from(*function)].name.clone(), arguments)
            }
        }
    }
}

/// Names that variables cannot have.
fn reserved(vocabulary: &Vocabulary) -> BTreeSet<String> {
    let constants = vocabulary.constants.iter().map(|constant| constant.name.clone());
    constants.chain(vocabulary.pures.iter().map(|pure| pure.name.clone())).collect()
}

fn fresh(vocabulary: &Vocabulary, of: TypeIndex, taken: &mut BTreeSet<String>) -> String {
    let stem = vocabulary.types[usize::from(of)].variable;
    let numbered = |number: usize| if number == 0 { stem.to_owned() } else { format!("{stem}{number}") };
    let name = (0..).map(numbered).find(|name| !taken.contains(name)).expect("numbers do not end");
    taken.insert(name.clone());
    name
}
