//! Properties and instances are added.

use super::{Antecedent, Kind, Monitor, Watched, describe};
use crate::instances::{Instance, InstanceId, Origin};
use crate::property::{CheckError, Property};
use crate::propositions::PropId;
use crate::quantified::{Expansion, Partial, Quantified};
use crate::shapes::ShapeId;
use crate::template::Instantiator;
use rustc_hash::FxHashSet;
use selvedge_ltl::progression::{Cursor, Status};
use selvedge_ltl::{Alphabet, Formula, vacuity};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// By number in the shape, the propositions of an instance.
pub(super) type Props = Box<[Option<PropId>]>;

/// The progress of a formula along a recorded path.
pub(super) struct Replayed {
    pub(super) cursor: Cursor,
    /// The letter of the last state that was read.
    letter: u64,
    /// The state that decided the formula.
    decided: Option<u64>,
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// Checks a property from a recorded state on.
    pub(super) fn check_since(
        &mut self,
        name: &str,
        property: Property<P>,
        since: u64,
    ) -> Result<(), CheckError> {
        match property {
            Property::Formula(formula) => self.check_formula(name, formula, since)?,
            Property::Quantified(quantified) => self.check_quantified(name, quantified, since)?,
            Property::Template(template) => {
                let kind =
                    Kind::Template { instantiator: Instantiator::new(template), known: FxHashSet::default() };
                let index = self.watch(name, kind, since);
                let known: Vec<PropId> = self.propositions.known().collect();
                known.into_iter().for_each(|prop| self.offer(index, prop));
            }
        }
        self.tell();
        Ok(())
    }

    fn check_formula(&mut self, name: &str, formula: Formula<P>, since: u64) -> Result<(), CheckError> {
        let (shape, props) = self.intern(&formula)?;
        let antecedents = vacuity::antecedents(&formula);
        let index = self.watch(name, Kind::Formula(formula), since);
        for (which, part) in antecedents.into_iter().enumerate() {
            let text = describe::formula_text(&part.antecedent);
            // An antecedent that counts states is not looked for: it passes for one that happened.
            let never = self.intern(&part.never).ok();
            let has_happened = if never.is_some() { None } else { Some(true) };
            self.properties[index as usize].antecedents.push(Antecedent { text, has_happened });
            if let Some((shape, props)) = never {
                self.begin(shape, props, Origin::Vacuity(index, which as u32), since);
            }
        }
        self.begin(shape, props, Origin::Property(index), since);
        Ok(())
    }

    fn check_quantified(
        &mut self,
        name: &str,
        quantified: Quantified<P>,
        since: u64,
    ) -> Result<(), CheckError> {
        let shape = self
            .shapes
            .intern(&quantified.formula)
            .map_err(|refusal| describe::refusal(refusal, &quantified.text, &quantified.atoms))?;
        let count = quantified.variables.len();
        let quantified = Arc::new(quantified);
        let expansion = Expansion::new(count);
        let kind = Kind::Quantified { quantified: quantified.clone(), shape, expansion };
        let index = self.watch(name, kind, since);
        let values: Box<[_]> = vec![None; count].into();
        let props = self.instantiate(&quantified, &values);
        if let Some(instance) = self.begin(shape, props, Origin::Partial(index), since)
            && let Kind::Quantified { expansion, .. } = &mut self.properties[index as usize].kind
        {
            expansion.partials.push(Partial { values, instance });
        }
        let known: Vec<PropId> = self.propositions.known().collect();
        known.into_iter().for_each(|prop| self.expand(index, prop, false));
        self.add_deferred();
        Ok(())
    }

    fn watch(&mut self, name: &str, kind: Kind<P>, began: u64) -> u32 {
        if let Some(state) = self.freeing.last
            && !matches!(kind, Kind::Formula(_))
        {
            self.notes.push(format!(
                "`{name}`: some propositions that no state after state {state} shows are forgotten; they make no instances"
            ));
        }
        self.properties.push(Watched {
            name: name.into(),
            began,
            kind,
            proven: 0,
            violated: 0,
            example: None,
            antecedents: Vec::new(),
            is_limit_told: false,
            dropped: None,
            freed: None,
        });
        u32::try_from(self.properties.len() - 1).expect("fewer than 2^32 properties")
    }

    /// The shape of a formula, and its propositions in the order of the shape's numbers.
    pub(super) fn intern(&mut self, formula: &Formula<P>) -> Result<(ShapeId, Props), CheckError> {
        let mut alphabet = Alphabet::default();
        let text = || describe::formula_text(formula);
        let numbered =
            alphabet.number(formula).map_err(|_| CheckError::TooManyPropositions { formula: text() })?;
        let shape = self
            .shapes
            .intern(&numbered)
            .map_err(|refusal| describe::refusal(refusal, &text(), &describe::texts(alphabet.names())))?;
        let props = alphabet.names().iter().map(|prop| Some(self.propositions.intern(prop))).collect();
        Ok((shape, props))
    }

    /// Adds an instance that begins in a recorded state; `None` if the recorded states decide it.
    pub(super) fn begin(
        &mut self,
        shape: ShapeId,
        props: Props,
        origin: Origin,
        since: u64,
    ) -> Option<InstanceId> {
        let instance = self.replayed(shape, props, origin, since);
        self.add(instance)
    }

    /// An instance that begins in a recorded state.
    pub(super) fn replayed(&mut self, shape: ShapeId, props: Props, origin: Origin, since: u64) -> Instance {
        let Replayed { cursor, letter, decided } = self.replay(shape, &props, since);
        Instance { shape, cursor, letter, props, began: since, decided, origin, values: None }
    }

    /// Adds an instance; `None` if it is decided, and not partial.
    pub(super) fn add(&mut self, instance: Instance) -> Option<InstanceId> {
        let status = self.shapes.status(instance.shape, instance.cursor);
        let is_partial = matches!(instance.origin, Origin::Partial(_));
        if status != Status::Open && !is_partial {
            let state = instance.decided.unwrap_or(self.path.state());
            self.decide(&instance, status, state);
            return None;
        }
        let props = instance.props.clone();
        let id = self.instances.add(instance);
        for (bit, prop) in props.iter().enumerate() {
            if let Some(prop) = prop {
                self.propositions.mention(*prop, id, bit as u8);
            }
        }
        Some(id)
    }

    /// Progresses a formula from a recorded state to the present one, or to the one that decides it.
    fn replay(&mut self, shape: ShapeId, props: &[Option<PropId>], since: u64) -> Replayed {
        let cursor = self.shapes.get(shape).start();
        let mut replayed = Replayed { cursor, letter: 0, decided: None };
        for (state, letter) in self.path.letters_since(&self.propositions, props, since) {
            replayed.cursor = self.shapes.step(shape, replayed.cursor, letter);
            replayed.letter = letter;
            let is_open = self.shapes.status(shape, replayed.cursor) == Status::Open;
            if !is_open && replayed.decided.is_none() {
                replayed.decided = Some(state);
            }
        }
        replayed
    }
}
