//! Terms as they are written, with the names of a signature resolved and the types of variables inferred.

use super::named::{NamedArgument, Term};
use super::{Argument, Effect};
use crate::discover::signature::{PARALLEL, TypeIndex, Vocabulary};

/// The variables of a law, in the order of their appearance, with their types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    pub(crate) names: Vec<String>,
    pub(crate) types: Vec<TypeIndex>,
}

/// Resolves the terms of one signature.
pub(crate) struct Resolver<'v> {
    pub(crate) vocabulary: &'v Vocabulary,
    pub(crate) world: usize,
    pub(crate) variables: Variables,
    /// The bound variables, the innermost last.
    bound: Vec<(String, TypeIndex)>,
}

impl<'v> Resolver<'v> {
    pub(crate) fn new(vocabulary: &'v Vocabulary, world: usize) -> Resolver<'v> {
        Resolver { vocabulary, world, variables: Variables::default(), bound: Vec::new() }
    }

    /// The term with numbers for names.
    ///
    /// # Errors
    /// A sentence, if a name is unknown or an argument has another type.
    pub(crate) fn term(&mut self, term: &Term) -> Result<Effect, String> {
        match term {
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Then(first, second) => {
                let first = self.term(first)?;
                Ok(Effect::Then(first.into(), self.term(second)?.into()))
            }
            Term::Bind(first, variable, second) => {
                let resolved = self.term(first)?;
                let result = resolved.last_op().and_then(|op| self.vocabulary.ops[usize::from(op)].result);
                let Some(result) = result else {
                    return Err(format!("no operation takes the result of `{first}`"));
                };
                self.bound.push((variable.clone(), result));
                let second = self.term(second);
                self.bound.pop();
                Ok(Effect::Bind(resolved.into(), second?.into()))
            }
            Term::Beside(left, right) => {
                if !self.vocabulary.is_parallel(self.world) {
                    return Err(format!("the signature does not have `{PARALLEL}`: call `parallel()`"));
                }
                let left = self.term(left)?;
                Ok(Effect::Beside(left.into(), self.term(right)?.into()))
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[NamedArgument]) -> Result<Effect, String> {
        let vocabulary = self.vocabulary;
        let mut ops = vocabulary.ops.iter().enumerate();
        let found = ops.find(|(_, op)| op.world == self.world && op.name == name);
        let Some((number, op)) = found else {
            return Err(format!("no operation is called `{name}`"));
        };
        let arguments = self.arguments(name, &op.parameters, arguments)?;
        Ok(Effect::Call(number as u16, arguments))
    }

    fn arguments(
        &mut self,
        name: &str,
        types: &[TypeIndex],
        arguments: &[NamedArgument],
    ) -> Result<Vec<Argument>, String> {
        if types.len() != arguments.len() {
            let (wanted, given) = (types.len(), arguments.len());
            return Err(format!("`{name}` takes {wanted} arguments, and is given {given}"));
        }
        arguments.iter().zip(types).map(|(argument, of)| self.argument(argument, *of)).collect()
    }

    fn argument(&mut self, argument: &NamedArgument, of: TypeIndex) -> Result<Argument, String> {
        match argument {
            NamedArgument::Name(name) => self.name(name, of),
            NamedArgument::Apply(name, arguments) => {
                let vocabulary = self.vocabulary;
                let mut pures = vocabulary.pures.iter().enumerate();
                let found = pures.find(|(_, pure)| pure.worlds >> self.world & 1 == 1 && pure.name == *name);
                let Some((number, pure)) = found else {
                    return Err(format!("no pure function is called `{name}`"));
                };
                self.expect_type(name, pure.result, of)?;
                Ok(Argument::Apply(number as u16, self.arguments(name, &pure.parameters, arguments)?))
            }
        }
    }

    fn name(&mut self, name: &str, of: TypeIndex) -> Result<Argument, String> {
        if let Some(place) = self.bound.iter().rposition(|(bound, _)| bound == name) {
            self.expect_type(name, self.bound[place].1, of)?;
            return Ok(Argument::Bound((self.bound.len() - 1 - place) as u8));
        }
        let mut constants = self.vocabulary.constants.iter().enumerate();
        if let Some((number, constant)) = constants.find(|(_, constant)| constant.name == name) {
            self.expect_type(name, constant.of, of)?;
            return Ok(Argument::Constant(number as u16));
        }
        if let Some(known) = self.variables.names.iter().position(|known| known == name) {
            self.expect_type(name, self.variables.types[known], of)?;
            return Ok(Argument::Variable(known as u8));
        }
        if !name.starts_with(|first: char| first.is_alphabetic()) {
            return Err(format!(
                "no constant is called `{name}`: add `.value(\"{name}\", …)` to the signature"
            ));
        }
        self.variables.names.push(name.to_owned());
        self.variables.types.push(of);
        Ok(Argument::Variable(self.variables.names.len() as u8 - 1))
    }

    fn expect_type(&self, name: &str, is: TypeIndex, wanted: TypeIndex) -> Result<(), String> {
        let [is_name, wanted_name] = [is, wanted].map(|of| self.vocabulary.types[usize::from(of)].name);
        if is == wanted {
            Ok(())
        } else {
            Err(format!("`{name}` is a `{is_name}`, and a `{wanted_name}` is needed"))
        }
    }
}
