//! `r2u2_core`: `a -> F[0,15] b`, judged at every state.
//!
//! Its logic has bounded operators alone. The specification holds at a state if it holds there, so the
//! stream of its verdicts says what `G` asks for. The assembly is that of its compiler C2PO 4.2.4 for
//! `FTSPEC a -> F[0,15] b;` with the signals `a` and `b` mapped to 0 and 1.

use crate::events::State;

/// An instruction of its temporal engine: two operands with their types, a queue, and the operation.
struct Instruction(u32, u32, u32, [u8; 2], u8);

/// The engines, in the second byte of an instruction.
const CONFIGURE: u8 = 2;
const TEMPORAL: u8 = 4;

/// Types of operands.
const ATOM: u8 = 0;
const CONSTANT: u8 = 1;
const QUEUE: u8 = 2;
const NONE: u8 = 3;

/// Operations.
const LOAD: u8 = 0x1d;
const NOT: u8 = 0x17;
const UNTIL: u8 = 0x19;
const OR: u8 = 0x15;
const RETURN: u8 = 0x1c;
const SETTING: u8 = 0x1e;

/// The greatest number of states between a request and its answer.
const BOUND: u32 = 15;

const PROGRAM: [Instruction; 6] = [
    Instruction(0, 0, 0, [ATOM, NONE], LOAD),
    Instruction(0, 0, 1, [QUEUE, NONE], NOT),
    Instruction(1, 0, 2, [ATOM, NONE], LOAD),
    Instruction(1, 2, 3, [CONSTANT, QUEUE], UNTIL),
    Instruction(1, 3, 4, [QUEUE, QUEUE], OR),
    Instruction(4, 0, 5, [QUEUE, CONSTANT], RETURN),
];

/// The lengths of the queues.
const LENGTHS: [u32; 6] = [1, BOUND + 1, 1, 1, 1, 1];

fn specification() -> Vec<u8> {
    // The first byte is the length of the header, which is a comment.
    let mut bytes = vec![1];
    let mut write = |engines: &[u8], instruction: &Instruction| {
        let Instruction(first, second, queue, types, operation) = instruction;
        bytes.push((1 + engines.len() + 15) as u8);
        bytes.extend_from_slice(engines);
        for word in [first, second, queue] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(types);
        bytes.push(*operation);
    };
    PROGRAM.iter().for_each(|instruction| write(&[TEMPORAL], instruction));
    for (queue, length) in (0..).zip(LENGTHS) {
        write(&[CONFIGURE, TEMPORAL], &Instruction(length, 0, queue, [ATOM, NONE], SETTING));
    }
    write(&[CONFIGURE, TEMPORAL], &Instruction(0, BOUND, 3, [QUEUE, QUEUE], SETTING));
    bytes.extend_from_slice(&[0; 3]);
    bytes
}

/// The number of states at which `b` came too late.
pub(crate) fn response(states: &[State]) -> impl FnMut() -> usize {
    let mut monitor = Box::new(r2u2_core::get_monitor(&specification()));
    move || {
        let mut late = 0;
        for state in states {
            r2u2_core::load_bool_signal(&mut monitor, 0, state.a);
            r2u2_core::load_bool_signal(&mut monitor, 1, state.b);
            assert!(r2u2_core::monitor_step(&mut monitor), "its queues are long enough");
            let verdicts = r2u2_core::get_output_buffer(&monitor);
            late += verdicts.iter().filter(|output| !output.verdict.truth).count();
        }
        late
    }
}
