//! The figures of several repetitions: their median and their spread.

/// One figure for each repetition, in the order of the repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples(Vec<f64>);

/// Lets each contestant measure once in each repetition. The result has the measurements of each, in the
/// order of the contestants.
pub fn take_turns<M>(repetitions: usize, contestants: &mut [&mut dyn FnMut() -> M]) -> Vec<Vec<M>> {
    let mut measured: Vec<Vec<M>> = contestants.iter().map(|_| Vec::new()).collect();
    for _ in 0..repetitions {
        for (measured, contestant) in measured.iter_mut().zip(contestants.iter_mut()) {
            measured.push(contestant());
        }
    }
    measured
}

impl Samples {
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle figure; the mean of the two in the middle if their number is even; NaN without figures.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            count if count % 2 == 1 => sorted[count / 2],
            count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
        }
    }

    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::min)
    }

    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::max)
    }

    /// The figures of each repetition over those of the same repetition of another contestant: work of the
    /// machine that slows both down cancels out.
    #[must_use]
    pub fn over(&self, other: &Samples) -> Samples {
        assert_eq!(self.len(), other.len(), "contestants take as many turns as others");
        Samples(self.0.iter().zip(&other.0).map(|(one, two)| one / two).collect())
    }

    /// A constant over each figure: seconds become a rate.
    #[must_use]
    pub fn per(&self, constant: f64) -> Samples {
        Samples(self.0.iter().map(|figure| constant / figure).collect())
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Samples {
        Samples(figures.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Samples, take_turns};

    #[test]
    fn the_median_is_in_the_middle() {
        let check = |figures: &[f64], expected: f64| {
            assert_eq!(figures.iter().copied().collect::<Samples>().median(), expected);
        };
        check(&[3.0, 1.0, 2.0], 2.0);
        check(&[4.0, 1.0, 2.0, 3.0], 2.5);
        assert!(Samples::default().median().is_nan());
    }

    #[test]
    fn contestants_take_turns() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut one = || {
            order.borrow_mut().push(1);
            2.0
        };
        let mut two = || {
            order.borrow_mut().push(2);
            4.0
        };
        let measured = take_turns(2, &mut [&mut one, &mut two]);
        let samples: Vec<Samples> = measured.into_iter().map(Samples::from_iter).collect();
        assert_eq!(samples[0].over(&samples[1]), [0.5, 0.5].into_iter().collect());
        assert_eq!(samples[1].per(8.0), [2.0, 2.0].into_iter().collect());
        assert_eq!(*order.borrow(), [1, 2, 1, 2]);
    }
}
