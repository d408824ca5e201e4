//! `elif`, `for`, `break` and `choose x in a..b`: the steps of one process, compared with those of a naive
//! interpreter.

use crate::common::generate::Random;
use crate::common::{outcomes, search, system};
use selvedge_model::{States, Steps, System};

/// The most steps that are compared.
const MAX_STEPS: usize = 200;

/// A statement over `x` and `y`, whose values are below 5.
enum Statement {
    /// `x := (x + k) % 5`; inside a `for`, its variable is added too.
    Add(char, i64),
    /// Tests `x < k` with their branches, and the `else`.
    If(Vec<(i64, Vec<Statement>)>, Vec<Statement>),
    /// `while y < k do .. od`
    While(i64, Vec<Statement>),
    Repeat(Vec<Statement>),
    /// `for i in 0..k do .. od`
    For(i64, Vec<Statement>),
    Break,
}

/// Values of `x` and `y`.
type Values = [i64; 2];

/// How statements end.
enum Flow {
    Next,
    Break,
}

/// The naive interpreter: recursive, with the values after every step.
struct Interpreter {
    values: Values,
    loop_variable: i64,
    taken: Vec<Values>,
}

impl Interpreter {
    /// A step; an error once enough are taken.
    fn step(&mut self) -> Result<(), ()> {
        self.taken.push(self.values);
        if self.taken.len() > MAX_STEPS { Err(()) } else { Ok(()) }
    }

    fn run(&mut self, block: &[Statement]) -> Result<Flow, ()> {
        for statement in block {
            if let Flow::Break = self.statement(statement)? {
                return Ok(Flow::Break);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, ()> {
        match statement {
            Statement::Add(variable, number) => {
                let value = &mut self.values[usize::from(*variable == 'y')];
                *value = (*value + number + self.loop_variable) % 5;
                self.step()?;
            }
            Statement::If(tests, no) => {
                for (bound, yes) in tests {
                    self.step()?;
                    if self.values[0] < *bound {
                        return self.run(yes);
                    }
                }
                return self.run(no);
            }
            Statement::While(bound, body) => loop {
                self.step()?;
                if self.values[1] >= *bound || matches!(self.run(body)?, Flow::Break) {
                    break;
                }
            },
            Statement::Repeat(body) => loop {
                self.step()?;
                if let Flow::Break = self.run(body)? {
                    break;
                }
            },
            Statement::For(last, body) => {
                let outer = self.loop_variable;
                for number in 0..=*last {
                    self.loop_variable = number;
                    if let Flow::Break = self.run(body)? {
                        break;
                    }
                }
                self.loop_variable = outer;
            }
            Statement::Break => {
                self.step()?;
                return Ok(Flow::Break);
            }
        }
        Ok(Flow::Next)
    }
}

/// The statements as text; `in_for`: has a `for` around them a variable?
fn text(block: &[Statement], in_for: bool) -> String {
    let one = |statement: &Statement| match statement {
        Statement::Add(variable, number) if in_for => {
            format!("{variable} := ({variable} + {number} + i) % 5")
        }
        Statement::Add(variable, number) => format!("{variable} := ({variable} + {number}) % 5"),
        Statement::If(tests, no) => {
            let branches: Vec<String> = tests
                .iter()
                .map(|(bound, yes)| format!("if x < {bound} then {} ", text(yes, in_for)))
                .collect();
            format!("{}else {} fi", branches.join("el"), text(no, in_for))
        }
        Statement::While(bound, body) => format!("while y < {bound} do {} od", text(body, in_for)),
        Statement::Repeat(body) => format!("repeat {} forever", text(body, in_for)),
        Statement::For(last, body) => format!("for i in 0..{last} do {} od", text(body, true)),
        Statement::Break => "break".to_owned(),
    };
    if block.is_empty() {
        return "skip".to_owned();
    }
    block.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn generate(random: &mut Random, depth: u64, in_loop: bool) -> Vec<Statement> {
    let count = random.below(4);
    (0..count).map(|_| generate_one(random, depth, in_loop)).collect()
}

fn generate_one(random: &mut Random, depth: u64, in_loop: bool) -> Statement {
    let variable = ['x', 'y'][random.index(2)];
    let number = random.below(5) as i64;
    let inner = depth.saturating_sub(1);
    match random.below(if depth == 0 { 5 } else { 12 }) {
        0 | 1 if in_loop => Statement::Break,
        0..=4 => Statement::Add(variable, number),
        5..=7 => {
            let tests = (0..=random.below(2))
                .map(|_| (random.below(5) as i64, generate(random, inner, in_loop)))
                .collect();
            Statement::If(tests, generate(random, inner, in_loop))
        }
        8 => Statement::While(number, generate(random, inner, true)),
        9 => Statement::Repeat(generate(random, inner, true)),
        _ => Statement::For(number % 3, generate(random, inner, true)),
    }
}

/// The values after every step of the program's only run, and whether it ended.
fn steps_of(program: &str) -> (Vec<Values>, bool) {
    let system = system(program, true);
    let mut initial = States::new(system.words());
    system.initial(&mut initial);
    let mut state = initial.iter().next().expect("an initial state").to_vec();
    let mut steps = Steps::new(system.words());
    let mut taken = Vec::new();
    loop {
        steps.clear();
        system.successors(&state, &mut steps);
        let Some((_, next)) = steps.iter().next() else { return (taken, true) };
        assert_eq!(steps.len(), 1, "{program}");
        let next = next.to_vec();
        state = next;
        let shown = system.show(&state);
        let value = |name: &str| {
            let entry = shown.iter().find(|(shown, _)| shown == name);
            entry.and_then(|(_, value)| value.parse().ok()).expect("a number")
        };
        taken.push([value("x"), value("y")]);
        if taken.len() > MAX_STEPS {
            return (taken, false);
        }
    }
}

#[test]
fn loops_take_the_steps_of_a_naive_interpreter() {
    let mut random = Random(22);
    let mut ended = 0;
    for _ in 0..3_000 {
        let block = generate(&mut random, 3, false);
        let program = format!("memory x = 0, y = 0; process 1: {}", text(&block, false));
        let mut naive = Interpreter { values: [0, 0], loop_variable: 0, taken: Vec::new() };
        let ends = naive.run(&block).is_ok();
        assert_eq!(steps_of(&program), (naive.taken, ends), "{program}");
        ended += usize::from(ends);
    }
    assert!((500..2_900).contains(&ended), "{ended} of the programs end");
}

#[test]
fn a_number_is_chosen_in_one_step() {
    let chosen = "memory x = 0; process 1: choose x in 1..3";
    assert_eq!(outcomes(chosen, &["x"]), ["x=1", "x=2", "x=3"]);
    let spelled = "memory x = 0; process 1: choose x := 1 | x := 2 | x := 3 end";
    let [chosen, spelled] = [chosen, spelled].map(|text| search(&system(text, true), 100));
    assert_eq!((chosen.states.len(), chosen.transitions), (spelled.states.len(), spelled.transitions));
    let element = "memory a[2] = 0; process 1: local i = 1; choose a[i] in 4..5";
    assert_eq!(outcomes(element, &["a[0]", "a[1]"]), ["a[0]=0 a[1]=4", "a[0]=0 a[1]=5"]);
}

#[test]
fn a_choice_may_begin_with_a_for() {
    let text =
        "memory x = 0; process 1: choose for i in 1..2 do x := x + i od | for i in 1..2 do skip od end";
    assert_eq!(outcomes(text, &["x"]), ["x=0", "x=3"]);
}

#[test]
fn a_break_in_the_last_choice_of_a_for_leaves_that_loop() {
    // With the end of the `for` behind the choice: once there was no way to the loop that is left.
    let text = "memory x = 0; process 1: for i in 0..1 do choose break | x := x + 1 end od";
    assert_eq!(outcomes(text, &["x"]), ["x=0", "x=1", "x=2"]);
    let text = "memory x = 0, y = 0; process 1:
        for i in 0..0 do choose break | x := 1 end od;
        while y < 2 do y := y + 1; if y = 2 then break fi od";
    assert_eq!(outcomes(text, &["x", "y"]), ["x=0 y=2", "x=1 y=2"]);
    let text = "memory x = 0; process 1:
        for i in 0..0 do choose await x = 1 | break else skip end od; x := 2";
    assert_eq!(outcomes(text, &["x"]), ["x=2"]);
}

#[test]
fn a_break_behind_a_label_before_a_for_leaves_its_loop() {
    let text = "memory x = 0; process 1: end: for i in 1..2 do while x < 3 do x := x + i; break od od";
    assert_eq!(outcomes(text, &["x"]), ["x=3"]);
    let text = "memory x = 0; process 1: end: for i in 1..2 do repeat x := x + i; break forever od;
        while x < 9 do x := x + 3; if x = 6 then break fi od";
    assert_eq!(outcomes(text, &["x"]), ["x=6"]);
}

#[test]
fn labels_before_a_loop_and_in_it_do_not_pile_up() {
    let text = "memory x = 0; process 1: end: repeat end: skip forever process 2: x := 1";
    let space = search(&system(text, false), 10);
    assert_eq!((space.states.len(), space.transitions), (2, 3));
    let text = "memory x = 0; process 1: end: while x < 2 do end: choose x := x + 1 | end: skip end od";
    assert_eq!(outcomes(text, &["x"]), ["x=2"]);
    // A great many labels are one.
    let text = format!("memory x = 0; process 1: {} await x = 1", "end: ".repeat(10_000));
    assert_eq!(search(&system(&text, false), 10).states.len(), 1);
}
