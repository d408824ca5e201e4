//! How a cost grows with n: the best of three laws through the points.
//!
//! Least squares of the logarithm of the cost: against n (`b^n`), against log n (`n^k`), and against log n!
//! (`(n!)^k`). The law with the least sum of squared differences is taken. Costs below a floor are left out:
//! there the start of a process is all that is seen.

/// A law and how well the points keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Such as `2.03^n`.
    pub law: String,
    /// The share of the variance that the law explains; 1 is all.
    pub r_squared: f64,
    /// The number of points.
    pub points: usize,
}

/// What the logarithm of the cost is linear in, from n.
type Axis = fn(f64) -> f64;

/// The text of a law, from the slope.
type Law = fn(f64) -> String;

/// The fewest points that say something: two lie on every law.
const FEWEST: usize = 3;

/// The best law through the points (n, cost) whose cost is at least `floor`; none if they are too few.
pub fn fit(points: &[(f64, f64)], floor: f64) -> Option<Fit> {
    let points: Vec<(f64, f64)> =
        points.iter().filter(|(_, cost)| *cost >= floor).map(|(n, cost)| (*n, cost.ln())).collect();
    if points.len() < FEWEST {
        return None;
    }
    let mean = points.iter().map(|(_, cost)| cost).sum::<f64>() / points.len() as f64;
    let variance: f64 = points.iter().map(|(_, cost)| (cost - mean).powi(2)).sum();
    if variance < 1e-9 {
        return Some(Fit { law: "constant".to_owned(), r_squared: 1.0, points: points.len() });
    }
    let laws: [(Axis, Law); 3] = [
        (|n| n, |slope| format!("{:.2}^n", slope.exp())),
        (f64::ln, |slope| format!("n^{slope:.2}")),
        (log_factorial, |slope| format!("(n!)^{slope:.2}")),
    ];
    let fits = laws.iter().map(|(scale, show)| {
        let (slope, rest) = line(points.iter().map(|(n, cost)| (scale(*n), *cost)));
        Fit { law: show(slope), r_squared: 1.0 - rest / variance, points: points.len() }
    });
    fits.max_by(|one, two| one.r_squared.total_cmp(&two.r_squared))
}

/// The slope of the line of least squares, and the sum of the squared differences.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let count = points.clone().count() as f64;
    let (sum_x, sum_y) = points.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let over = points.clone().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    let under = points.clone().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    let slope = over / under;
    let rest = points.map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
    (slope, rest)
}

fn log_factorial(n: f64) -> f64 {
    (2..=n as u64).map(|factor| (factor as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::fit;

    fn law(cost: fn(f64) -> f64) -> String {
        let points: Vec<(f64, f64)> = (2..9).map(|n| (f64::from(n), cost(f64::from(n)))).collect();
        fit(&points, 0.0).expect("points").law
    }

    #[test]
    fn laws_are_found() {
        assert_eq!(law(|n| 3.0 * 2_f64.powf(n)), "2.00^n");
        assert_eq!(law(|n| 0.1 * n.powi(3)), "n^3.00");
        assert_eq!(law(|n| (2..=n as u32).map(f64::from).product::<f64>().powi(2)), "(n!)^2.00");
        assert_eq!(law(|_| 5.0), "constant");
    }

    #[test]
    fn costs_below_the_floor_do_not_count() {
        let points = [(1.0, 0.1), (2.0, 0.1), (3.0, 1.0), (4.0, 2.0), (5.0, 4.0)];
        assert_eq!(fit(&points, 0.5).map(|fit| (fit.law, fit.points)), Some(("2.00^n".to_owned(), 3)));
        assert_eq!(fit(&points, 1.5), None);
    }
}
