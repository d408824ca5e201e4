//! Templates: formulas for propositions that occur only while the program runs.
//!
//! Stolz and Huch, §5 and §5.1: a template is a function of propositions. It refuses them, returns a formula
//! over them, or returns a template that wants more of them. When a proposition is set for the first time,
//! every template is offered all combinations with it: sequences of different propositions, as long as the
//! template wants. Propositions that a template was made of are not offered to it again.
//!
//! Promise: no combination is offered twice; each formula of a template is added once.

use crate::propositions::PropId;
use selvedge_ltl::Formula;
use std::fmt;
use std::sync::Arc;

/// A function from propositions to formulas.
pub struct Template<P> {
    /// The number of propositions that it wants.
    pub(crate) arity: usize,
    pub(crate) function: Arc<Function<P>>,
    pub(crate) is_from_now: bool,
}

type Function<P> = dyn Fn(&[&P]) -> Instantiation<P> + Send + Sync;

/// What a template makes of propositions.
#[derive(Clone, Debug)]
pub enum Instantiation<P> {
    /// The template is not about them.
    Unsuitable,
    /// A template that wants further propositions.
    Template(Template<P>),
    /// A formula to check.
    Formula(Formula<P>),
}

impl<P> Template<P> {
    /// A template that wants this number of propositions.
    ///
    /// # Panics
    /// If it wants none: then it is a formula.
    pub fn new(
        arity: usize,
        function: impl Fn(&[&P]) -> Instantiation<P> + Send + Sync + 'static,
    ) -> Template<P> {
        assert!(arity > 0, "a template wants at least one proposition");
        Template { arity, function: Arc::new(function), is_from_now: false }
    }

    /// The same template, whose instances are checked from the state on in which they are made. Otherwise
    /// they are checked as if they had been there since the template was.
    #[must_use]
    pub fn from_now(mut self) -> Template<P> {
        self.is_from_now = true;
        self
    }
}

impl<P> Clone for Template<P> {
    fn clone(&self) -> Self {
        let Template { arity, function, is_from_now } = self;
        Template { arity: *arity, function: function.clone(), is_from_now: *is_from_now }
    }
}

impl<P> fmt::Debug for Template<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({} propositions)", self.arity)
    }
}

/// A template with all its partial instantiations.
#[derive(Debug)]
pub(crate) struct Instantiator<P> {
    pub(crate) is_from_now: bool,
    pending: Vec<Pending<P>>,
    known: Vec<PropId>,
    /// The number of combinations that were offered.
    pub(crate) combinations: u64,
}

/// A template that was made of these propositions.
#[derive(Debug)]
struct Pending<P> {
    template: Template<P>,
    used: Vec<PropId>,
}

impl<P> Instantiator<P> {
    pub(crate) fn new(template: Template<P>) -> Instantiator<P> {
        let is_from_now = template.is_from_now;
        let pending = vec![Pending { template, used: Vec::new() }];
        Instantiator { is_from_now, pending, known: Vec::new(), combinations: 0 }
    }

    /// Offers all combinations with a new proposition; calls `add` with each formula.
    pub(crate) fn offer<'p>(
        &mut self,
        new: PropId,
        prop: &impl Fn(PropId) -> &'p P,
        add: &mut impl FnMut(Formula<P>),
    ) where
        P: 'p,
    {
        self.known.push(new);
        for index in 0..self.pending.len() {
            let Pending { template, used } = &self.pending[index];
            let (template, used) = (template.clone(), used.clone());
            self.offer_to(&template, &used, Some(new), prop, add);
        }
    }

    /// Offers all combinations of known propositions, with the new one among them if there is one.
    fn offer_to<'p>(
        &mut self,
        template: &Template<P>,
        used: &[PropId],
        new: Option<PropId>,
        prop: &impl Fn(PropId) -> &'p P,
        add: &mut impl FnMut(Formula<P>),
    ) where
        P: 'p,
    {
        let others: Vec<PropId> =
            self.known.iter().copied().filter(|known| !used.contains(known) && Some(*known) != new).collect();
        let mut made = Vec::new();
        let mut combinations = 0;
        let mut offer = |chosen: &[PropId], refs: &[&P]| {
            combinations += 1;
            match (template.function)(refs) {
                Instantiation::Unsuitable => {}
                Instantiation::Formula(formula) => add(formula),
                Instantiation::Template(partial) => made.push((partial, chosen.to_vec())),
            }
        };
        match new {
            None => permute(&others, template.arity, None, prop, &mut offer),
            Some(new) => (0..template.arity)
                .for_each(|at| permute(&others, template.arity, Some((at, new)), prop, &mut offer)),
        }
        self.combinations += combinations;
        for (partial, chosen) in made {
            let used: Vec<PropId> = used.iter().copied().chain(chosen).collect();
            self.offer_to(&partial, &used, None, prop, add);
            self.pending.push(Pending { template: partial, used });
        }
    }
}

/// All sequences of this length of different propositions; `fixed` is the place of a further one.
fn permute<'p, P: 'p>(
    props: &[PropId],
    length: usize,
    fixed: Option<(usize, PropId)>,
    prop: &impl Fn(PropId) -> &'p P,
    visit: &mut impl FnMut(&[PropId], &[&P]),
) {
    let (mut chosen, mut refs) = (Vec::with_capacity(length), Vec::with_capacity(length));
    let mut used = vec![false; props.len()];
    extend(props, length, fixed, prop, visit, &mut chosen, &mut refs, &mut used);
}

#[allow(clippy::too_many_arguments)] // the state of one recursion
fn extend<'p, P: 'p>(
    props: &[PropId],
    length: usize,
    fixed: Option<(usize, PropId)>,
    prop: &impl Fn(PropId) -> &'p P,
    visit: &mut impl FnMut(&[PropId], &[&P]),
    chosen: &mut Vec<PropId>,
    refs: &mut Vec<&'p P>,
    used: &mut [bool],
) {
    if chosen.len() == length {
        return visit(chosen, refs);
    }
    if let Some((at, new)) = fixed
        && at == chosen.len()
    {
        chosen.push(new);
        refs.push(prop(new));
        extend(props, length, fixed, prop, visit, chosen, refs, used);
        chosen.pop();
        refs.pop();
        return;
    }
    for index in 0..props.len() {
        if used[index] {
            continue;
        }
        used[index] = true;
        chosen.push(props[index]);
        refs.push(prop(props[index]));
        extend(props, length, fixed, prop, visit, chosen, refs, used);
        chosen.pop();
        refs.pop();
        used[index] = false;
    }
}
