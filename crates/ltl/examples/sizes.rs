//! Sizes.
#![allow(missing_docs, clippy::print_stdout)]
use selvedge_ltl::buchi::*;
use selvedge_ltl::*;
fn main() {
    let verbose = std::env::args().nth(2).is_some();
    for file in std::env::args().nth(1).unwrap().split(',') {
        let text = std::fs::read_to_string(file).unwrap();
        let mut tot = [[0usize; 3]; 2];
        for line in text.lines() {
            let mut v = vec![];
            for neg in 0..2 {
                let mut tr = Translator::default();
                let mut al = Alphabet::default();
                let f = al.number(&line.parse().unwrap()).unwrap();
                let mut n = tr.store.formula(&f);
                if neg == 1 {
                    n = tr.store.negate(n);
                }
                let start = std::time::Instant::now();
                let a = tr.translate(n).unwrap();
                let b = tr.translate_state_based(n).unwrap();
                let t = start.elapsed().as_millis();
                tot[neg][0] += a.state_count();
                tot[neg][1] += b.state_count();
                let sinks = (0..b.state_count())
                    .filter(|s| {
                        b.edges[*s].iter().any(|e| {
                            e.target as usize == *s
                                && e.guard == selvedge_ltl::bdd::Bdd::TRUE
                                && e.marks == b.all_marks()
                        })
                    })
                    .count();
                tot[neg][2] += sinks;
                v.push(format!(
                    "{}/{}{}",
                    a.state_count(),
                    b.state_count(),
                    if t > 50 { format!(" {t}ms") } else { String::new() }
                ));
            }
            if verbose {
                println!("{:14} {}", v.join("  "), line);
            }
        }
        println!(
            "{file}: TGBA {} / neg {}   BA {} / neg {}  sinks {} {}",
            tot[0][0], tot[1][0], tot[0][1], tot[1][1], tot[0][2], tot[1][2]
        );
    }
}
