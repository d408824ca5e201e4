//! The text of `selvedge check --help` below the options.
//!
//! Indented lines have at most 80 columns, so that no terminal breaks them.

pub(super) const AFTER: &str = r"Exit codes:
  0  every property holds, or turns out as its `expect` says
  1  one does not, or may not, or a run-time error or a crash can be reached
  2  bad input or usage
  3  stopped by a limit or by Ctrl-C, nothing violated so far
  130  Ctrl-C twice

Exit codes with --simulate:
  0  `systematic` made every run to its end, and there are no properties, of
     which it says no more
  1  a run violates a property that is not expected to be violated, or meets a
     run-time error, a crash or, with --deadlock, a deadlock
  2  bad input or usage
  3  otherwise, since some runs prove nothing

With --format json, an object for each file:
  file        its name
  properties  name, formula (as the file has it), unfolded (the same without
              definitions and quantifiers), verdict (`holds`, `violated`,
              `may-be-violated` or `limit`), as_expected, vacuous,
              vacuous_instances,
              states, transitions,
              product_states, automaton_states, seconds, counterexample;
              why: `spurious` or `unknown`, or the name of the limit
              (`interrupted` after Ctrl-C);
              detail: the same in a sentence;
              replay: `follows` if the run takes the steps of the abstract
              run that was found, `another` if it is another one;
              line: of the step that a bound of the language cut off;
              assumptions: what the verdict relies on
  surveyed    whether deadlocks, errors and crashes were looked for
  limit       what stopped that search, with its detail
  deadlocks   one for each set of places that wait, nearest first, as many as
              --max-deadlocks says: message, certain, why, path;
              states: how many states wait at these places
  deadlocked_states, waiting_sets
              how many there are, told or not
  errors      message, certain, why, states (1), path
  crashes     the same: a process ends, and the others go on
  waits_for_ever
              the same: a process waits, and no other can wake it

A step of a run has process, action, line, file (if it is another one), state (names with texts) and values (names with numbers, truth values, `null`, or texts).

In a state, `-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it.

With --simulate and --format json:
  file        its name
  simulation  scheduler, seed, runs, max_steps, steps, states;
              ended, deadlocks, errors, crashed: how many runs;
              limit: what ran out, with its detail;
              cut: runs of too many steps;
              idle: runs to where steps change nothing any more;
              complete: all distinct runs were made to their ends;
              ignores_domain: values are concrete, whatever the domain
  ends        if systematic, the distinct states that runs end in: kind
              (`finished`, `idle` or `deadlock`), state
  properties  name, formula, verdict (`violated` or `no-violation`),
              as_expected (null if not violated), run (its number),
              counterexample
  deadlocks   the first: message, run, path
  errors      message, run, path
  crashes     message, run, path
  path        the run, if there was only one

Examples:
  selvedge check models/dekker.par
  selvedge check models/dekker.par --ltl '[]<> enterCrit(1)' --fair weak
  selvedge check models/dekker.par --invariant '~ (c1 = 1 /\ turn > 2)'
  selvedge check models/dekker.par --exact --format json
  selvedge check models/dekker.par --simulate pct --runs 100 --seed 7
  selvedge check models/two-phase-commit.par --simulate systematic";
