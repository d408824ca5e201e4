//! Plots as SVG: lines through points, a legend, axes that are linear or logarithmic.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 56.0;
/// The width of the legend to the right of the plot.
const LEGEND: f64 = 110.0;

const COLOURS: [&str; 6] = ["#1e8449", "#c0392b", "#2471a3", "#8e44ad", "#d68910", "#7a7a7a"];

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Logarithmic,
}

/// A plot of lines, each with its name.
pub struct Plot<'a> {
    pub title: &'a str,
    pub x: (&'a str, Scale),
    pub y: (&'a str, Scale),
    pub lines: Vec<(&'a str, Vec<(f64, f64)>)>,
}

impl Plot<'_> {
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.1);
        let (x, y) = (
            Axis::new(self.x.1, points().map(|point| point.0)),
            Axis::new(self.y.1, points().map(|point| point.1)),
        );
        let right = |value: f64| MARGIN + x.share(value) * (WIDTH - 2.0 * MARGIN - LEGEND);
        let up = |value: f64| HEIGHT - MARGIN - y.share(value) * (HEIGHT - 2.0 * MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"20\" font-size=\"14\">{}</text>\n\
             <text x=\"{MARGIN}\" y=\"40\" fill=\"#555\">{} against {}</text>\n",
            escaped(self.title),
            escaped(self.y.0),
            escaped(self.x.0)
        );
        let (bottom, top) = (HEIGHT - MARGIN, MARGIN);
        for mark in x.marks() {
            let at = right(mark);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom:.1}V{top:.1}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                short(mark)
            );
        }
        for mark in y.marks() {
            let at = up(mark);
            let _ = writeln!(
                svg,
                "<path d=\"M{MARGIN} {at:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                WIDTH - MARGIN - LEGEND,
                MARGIN - 6.0,
                at + 4.0,
                short(mark)
            );
        }
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let places: Vec<(f64, f64)> = points.iter().map(|(a, b)| (right(*a), up(*b))).collect();
            let path: Vec<String> = places.iter().map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                path.join(" ")
            );
            for (a, b) in places {
                let _ = writeln!(svg, "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
                WIDTH - MARGIN - LEGEND + 14.0,
                MARGIN + 14.0 + 18.0 * number as f64,
                escaped(name)
            );
        }
        svg + "</svg>\n"
    }
}

/// Several plots in one picture.
pub fn side_by_side(plots: &[Plot<'_>]) -> String {
    let width = WIDTH * plots.len() as f64;
    let mut svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\">\n");
    for (number, plot) in plots.iter().enumerate() {
        let place = format!("<svg x=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ", WIDTH * number as f64);
        svg += &plot.svg().replacen("<svg ", &place, 1);
    }
    svg + "</svg>\n"
}

/// The range of an axis.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis for these values. A logarithmic one goes from a power of ten to a power of ten.
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = values
            .filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        match scale {
            Scale::Linear => Axis { scale, low, high: if high > low { high } else { low + 1.0 } },
            Scale::Logarithmic => {
                let (from, to) = (low.log10().floor(), high.log10().ceil());
                Axis { scale, low: from, high: if to > from { to } else { from + 1.0 } }
            }
        }
    }

    /// How far along the axis a value is, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Linear { value } else { value.log10() };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The values with a line and a number: powers of ten, or about eight round numbers.
    fn marks(&self) -> Vec<f64> {
        if self.scale == Scale::Logarithmic {
            let step = ((self.high - self.low) / 9.0).ceil().max(1.0) as usize;
            return (self.low as i32..=self.high as i32)
                .step_by(step)
                .map(|power| 10_f64.powi(power))
                .collect();
        }
        let rough = (self.high - self.low) / 8.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.expect("ten times the power is above");
        // Between whole numbers there is nothing to mark.
        let step = if self.low.fract() == 0.0 && self.high.fract() == 0.0 { step.max(1.0) } else { step };
        let first = (self.low / step).ceil() as i64;
        (first..).map(|count| count as f64 * step).take_while(|mark| *mark <= self.high + 1e-9).collect()
    }
}

/// A mark without needless digits.
fn short(mark: f64) -> String {
    if mark >= 1e5 || (mark > 0.0 && mark < 1e-3) { format!("{mark:e}") } else { format!("{mark}") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::{Axis, Plot, Scale};

    #[test]
    fn axes_have_round_marks() {
        let linear = Axis::new(Scale::Linear, [2.0, 14.0].into_iter());
        assert_eq!(linear.marks(), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
        let logarithmic = Axis::new(Scale::Logarithmic, [0.02, 30.0].into_iter());
        assert_eq!(logarithmic.marks(), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert!((logarithmic.share(1.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_plot_has_a_line_for_each_name() {
        let lines = vec![("ours", vec![(1.0, 1.0), (2.0, 10.0)]), ("a < b", vec![])];
        let plot = Plot { title: "t", x: ("n", Scale::Linear), y: ("s", Scale::Logarithmic), lines };
        let svg = plot.svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    }
}
