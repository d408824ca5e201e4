//! How an Erlang program is read and searched, as plain data.

/// The options of Erlang programs. The default is a program with concrete values that begins in `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErlangOptions {
    /// The function that the initial process evaluates, `f` or `m:f`; it has no arguments.
    pub main: Option<String>,
    /// The abstract domains, each as it is written: `parity`, `depth(2)`, a file. Several are their product;
    /// without any, those that the program names.
    pub domains: Vec<String>,
    /// How messages reach mailboxes.
    pub delivery: Delivery,
    /// The most messages in a mailbox; in each channel, too, if messages travel.
    pub max_mailbox: usize,
    /// The most processes that live at the same time.
    pub max_processes: usize,
    /// The most frames on the stack of a process.
    pub max_stack: usize,
    /// The most local steps between two visible ones.
    pub max_local: usize,
    /// Timeouts of so many milliseconds or more expire only where no other process can move.
    pub long_timeout_ms: u64,
    /// The most times in a run that a process is killed from outside.
    pub crashes: usize,
    /// Deeper frames are forgotten, and a return goes to every call site; `None` keeps all.
    pub frames: Option<usize>,
    /// Exit reasons that are no crash, beside `normal` and `shutdown`: terms as they are written.
    pub normal: Vec<String>,
}

impl Default for ErlangOptions {
    fn default() -> ErlangOptions {
        ErlangOptions {
            main: None,
            domains: Vec::new(),
            delivery: Delivery::Immediate,
            max_mailbox: 32,
            max_processes: selvedge_model::ltl::MAX_FAIR_PROCESSES,
            max_stack: 1000,
            max_local: 100_000,
            long_timeout_ms: 5000,
            crashes: 0,
            frames: None,
            normal: Vec::new(),
        }
    }
}

/// How messages and signals reach mailboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// A message is in the mailbox as soon as it is sent.
    #[default]
    Immediate,
    /// A message travels: those of one process to another arrive in the order in which they were sent, and
    /// no others do.
    Fifo,
}
