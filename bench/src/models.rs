//! The models that are measured: each in PARALLEL and in Promela, with a safety property and a liveness
//! property.

/// An algorithm in both languages.
pub struct Model {
    pub name: &'static str,
    pub parallel: &'static str,
    pub promela: &'static str,
    /// The sizes that are measured, one row each.
    pub sizes: &'static [Size],
    /// An invariant, which is an assertion in the Promela text.
    pub safety: &'static str,
    /// The same formula in both languages.
    pub ltl: (&'static str, &'static str),
}

/// Values of a model's constants.
#[derive(Clone, Copy)]
pub struct Size {
    pub constants: &'static [(&'static str, i64)],
    /// The measurement takes minutes or gigabytes: only with `--large`.
    pub is_large: bool,
    /// The same of the LTL property alone.
    pub is_large_for_ltl: bool,
}

const fn size(constants: &'static [(&'static str, i64)], is_large: bool) -> Size {
    Size { constants, is_large, is_large_for_ltl: is_large }
}

pub const MODELS: &[Model] = &[
    Model {
        name: "peterson",
        parallel: include_str!("../../models/peterson.par"),
        promela: include_str!("../models/peterson.pml"),
        sizes: &[
            size(&[("N", 3)], false),
            Size { constants: &[("N", 4)], is_large: false, is_large_for_ltl: true },
        ],
        safety: "[] (inside <= 1)",
        ltl: ("[]<> (inside = 1)", "[]<> (inside == 1)"),
    },
    Model {
        name: "philosophers",
        parallel: include_str!("../../models/philosophers.par"),
        promela: include_str!("../models/philosophers.pml"),
        sizes: &[
            size(&[("N", 6)], false),
            size(&[("N", 8)], false),
            size(&[("N", 9)], false),
            size(&[("N", 10)], true),
        ],
        safety: "[] (eating <= N / 2)",
        ltl: ("[] (eating = N / 2 -> <> (eating < N / 2))", "[] (eating == N / 2 -> <> (eating < N / 2))"),
    },
    Model {
        name: "sliding window",
        parallel: include_str!("../../models/sliding-window.par"),
        promela: include_str!("../models/sliding-window.pml"),
        sizes: &[
            size(&[("WINDOW", 2), ("NUMBERS", 3), ("CAPACITY", 2)], false),
            size(&[("WINDOW", 3), ("NUMBERS", 4), ("CAPACITY", 3)], false),
            size(&[("WINDOW", 4), ("NUMBERS", 5), ("CAPACITY", 4)], true),
        ],
        safety: "[] (wrong = 0)",
        ltl: ("[]<> (wrong = 0)", "[]<> (wrong == 0)"),
    },
    Model {
        name: "leader election",
        parallel: include_str!("../../models/leader-election.par"),
        promela: include_str!("../models/leader-election.pml"),
        sizes: &[size(&[("N", 5)], false), size(&[("N", 6)], false), size(&[("N", 7)], true)],
        safety: "[] (leaders <= 1)",
        ltl: ("<>[] (informed = N)", "<>[] (informed == N)"),
    },
    Model {
        name: "szymanski",
        parallel: include_str!("../../models/szymanski.par"),
        promela: include_str!("../models/szymanski.pml"),
        sizes: &[size(&[("N", 3)], false), size(&[("N", 4)], true)],
        safety: "[] (inside <= 1)",
        ltl: ("[] (inside = 1 -> <> (inside = 0))", "[] (inside == 1 -> <> (inside == 0))"),
    },
];

/// A ring of processes in several languages: a process enters while its neighbour does not want to enter.
pub struct Ring {
    /// The plain PARALLEL of the lecture, without declarations.
    pub parallel: String,
    /// The same in the Maude text of the lecture.
    pub maude: String,
    /// PARALLEL with declared variables, which are 0 from the start.
    pub declared: String,
    /// Not all processes are inside: holds.
    pub property: String,
    pub promela: String,
}

/// A ring of so many processes.
pub fn ring(processes: usize) -> Ring {
    let (mut parallel, mut texts) = ("statement u0;\n".to_owned(), Vec::new());
    for process in 1..=processes {
        let next = process % processes + 1;
        parallel.push_str(&format!(
            "process {process}: repeat x{process} := 1; while x{next} = 1 do x{process} := 0; x{process} := 1 od; u0; x{process} := 0 forever\n"
        ));
        texts.push(format!(
            "< {process} : repeat 'x{process} := 1 ; while 'x{next} === 1 do 'x{process} := 0 ; 'x{process} := 1 od ; u0 ; 'x{process} := 0 forever >"
        ));
    }
    let variables: Vec<String> = (1..=processes).map(|process| format!("x{process} = 0")).collect();
    let declared = format!("memory {};\n{parallel}", variables.join(", "));
    let inside: Vec<String> = (1..=processes).map(|process| format!("at({process}, u0)")).collect();
    let property = format!("[] ~ ({})", inside.join(" /\\ "));
    let maude = format!("{{ {}, none, 0 }}", texts.join(" "));
    let promela = format!("#define N {processes}\n{}", include_str!("../models/ring.pml"));
    Ring { parallel, maude, declared, property, promela }
}

/// Dining philosophers in Maude: a module, and the search for a state in which too many eat.
pub fn philosophers_in_maude(philosophers: usize) -> String {
    let module = include_str!("../models/philosophers.maude");
    let most = philosophers / 2;
    format!(
        "{module}search [1] in PHILOSOPHERS : table({philosophers}) =>* C such that eating(C) > {most} .\n"
    )
}
