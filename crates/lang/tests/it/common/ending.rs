//! Random programs that end: a few statements a process, without loops other than busy waits, on few
//! variables, so that most steps are dependent and many have to wait.

use super::generate::Random;

/// Declarations and two or three processes.
pub(crate) fn ending_program(random: &mut Random) -> String {
    let mut text = "memory x = 0, y = 0;\nchannel c[1];\nstatement u;\n".to_owned();
    let processes = 2 + random.below(2);
    for process in 1..=processes {
        let body = block(random, 2, 6 - processes);
        text += &format!("process {process}: local l = 0; {body}\n");
    }
    text
}

/// At most so many statements, nested at most so deep.
fn block(random: &mut Random, depth: u64, most: u64) -> String {
    let count = 1 + random.below(most);
    let parts: Vec<String> = (0..count).map(|_| statement(random, depth)).collect();
    parts.join("; ")
}

fn statement(random: &mut Random, depth: u64) -> String {
    if depth > 0 && random.below(4) == 0 {
        return nested(random, depth - 1);
    }
    let (one, other) = (variable(random), variable(random));
    match random.below(14) {
        0..=2 => format!("{one} := {}", random.below(3)),
        3 => format!("{one} := ({other} + 1) % 3"),
        4 => format!("l := {one}"),
        5 => format!("{one} := l"),
        6 => "l := (l + 1) % 3".to_owned(),
        7 => format!("await {}", test(random)),
        8 => format!("send c, {one}"),
        9 => format!("receive c, {one}"),
        10 => format!("while {} do skip od", test(random)),
        11 if random.below(2) == 0 => format!("assert {one} < 2"),
        12 => format!("await 2 / {one} > {other}"),
        _ => "u".to_owned(),
    }
}

fn nested(random: &mut Random, depth: u64) -> String {
    let mut inner = || block(random, depth, 2);
    let (one, other) = (inner(), inner());
    match random.below(6) {
        0 => format!("if {} then {one} else {other} fi", test(random)),
        1 => format!("choose {one} | {other} end"),
        2 => format!("choose await {}; {one} | {other} end", test(random)),
        3 => format!("choose await {}; {one} | await {}; {other} end", test(random), test(random)),
        4 => format!("atomic await {}; {} := 1 end", test(random), variable(random)),
        _ => {
            let (one, other) = (variable(random), variable(random));
            format!(
                "atomic {one} := {}; choose {other} := 1 | await {} end end",
                random.below(3),
                test(random)
            )
        }
    }
}

fn variable(random: &mut Random) -> &'static str {
    ["x", "y"][random.index(2)]
}

fn test(random: &mut Random) -> String {
    let (one, other) = (random.below(3), random.below(3));
    match random.below(6) {
        0 => format!("x = {one} or y = {other}"),
        1 => format!("x = {one} and y = {other}"),
        2 => "x = y".to_owned(),
        3 => format!("{} != {one}", variable(random)),
        _ => format!("{} = {one}", variable(random)),
    }
}
