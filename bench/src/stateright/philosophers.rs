//! Dining philosophers: `models/philosophers.par`.

use stateright::{Model, Property};

#[derive(Clone)]
pub struct Philosophers {
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Thinking,
    Hungry,
    HasLeft,
    Eating,
    Full,
    HasRight,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    phases: Vec<Phase>,
    is_taken: Vec<bool>,
    eating: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    GetHungry(usize),
    TakeLeft(usize),
    TakeRight(usize),
    Eat(usize),
    ReturnLeft(usize),
    ReturnRight(usize),
}

impl Model for Philosophers {
    type State = Table;
    type Action = Action;

    fn init_states(&self) -> Vec<Table> {
        vec![Table {
            phases: vec![Phase::Thinking; self.count],
            is_taken: vec![false; self.count],
            eating: 0,
        }]
    }

    fn actions(&self, table: &Table, actions: &mut Vec<Action>) {
        for (one, phase) in table.phases.iter().enumerate() {
            match phase {
                Phase::Thinking => actions.push(Action::GetHungry(one)),
                Phase::Hungry if !table.is_taken[one] => actions.push(Action::TakeLeft(one)),
                Phase::HasLeft if !table.is_taken[(one + 1) % self.count] => {
                    actions.push(Action::TakeRight(one));
                }
                Phase::Eating => actions.push(Action::Eat(one)),
                Phase::Full => actions.push(Action::ReturnLeft(one)),
                Phase::HasRight => actions.push(Action::ReturnRight(one)),
                Phase::Hungry | Phase::HasLeft => {}
            }
        }
    }

    fn next_state(&self, table: &Table, action: Action) -> Option<Table> {
        let mut next = table.clone();
        match action {
            Action::GetHungry(one) => next.phases[one] = Phase::Hungry,
            Action::TakeLeft(one) => {
                next.is_taken[one] = true;
                next.phases[one] = Phase::HasLeft;
            }
            Action::TakeRight(one) => {
                next.is_taken[(one + 1) % self.count] = true;
                next.eating += 1;
                next.phases[one] = Phase::Eating;
            }
            Action::Eat(one) => next.phases[one] = Phase::Full,
            Action::ReturnLeft(one) => {
                next.is_taken[one] = false;
                next.eating -= 1;
                next.phases[one] = Phase::HasRight;
            }
            Action::ReturnRight(one) => {
                next.is_taken[(one + 1) % self.count] = false;
                next.phases[one] = Phase::Thinking;
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("neighbours do not eat together", |model: &Philosophers, table: &Table| {
            usize::from(table.eating) <= model.count / 2
        })]
    }
}
