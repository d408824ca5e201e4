//! The text of `selvedge watch --help` below the options.
//!
//! Indented lines have at most 80 columns, so that no terminal breaks them.

pub(super) const AFTER: &str = r#"Formulas:
  kind = "grant"      a field of the line is this text; quotes may be left out
  ms > 500            also = != < <= >=; numbers, texts, true, false, null
  open                the field is there and true
  request.id          the field `id` of the object `request`
  after(p, 500ms)     500 ms have passed since the last line with p
  forall r in f: ...  for each value of the field f, on the lines with it

Exit codes:
  0  every formula holds on the log, as far as it goes
  1  one is violated, or does not hold if the log ends here
  2  bad input or usage: a line that cannot be read, a field that no line has
  3  stopped by a limit, nothing violated so far

With --format json, an object for each violation:
  event    `violation`
  name, formula
  line     where it fell
  slice    the values of the variables, or null
  steps    the lines that changed what was left of the formula: line, cause
           (`line`, or `clock` between two lines), holds (the tests that hold),
           left
  is_cut   whether there were more of them
And at the end:
  event    `report`
  file, lines, skipped
  formulas name, formula, verdict (`proven`, `presumably-true`,
           `presumably-false`, `violated` or `no-line`), slices, is_at_most
           (slices that came back count again), count (those with this
           verdict), example, left, vacuous (a condition that never happened,
           or null)
  unknown  fields that no line has
  limit    the limit that was reached, or null

Examples:
  selvedge watch --ltl 'G !(ms > 500)' examples/logs/requests.jsonl
  selvedge watch --ltl 'forall j in job: F event = done' examples/logs/jobs.csv"#;
