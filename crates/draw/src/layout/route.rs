//! Edges as smooth curves, clipped at their nodes, with arrowheads.
//!
//! A chain is read as x over y and interpolated by piecewise cubics that never overshoot (Fritsch, Carlson,
//! "Monotone Piecewise Cubic Interpolation", SIAM J. Numer. Anal. 17(2), 1980, with harmonic means as
//! slopes). On each rank the curve has a lane between its neighbours and is pinned to that lane where
//! needed.
//!
//! Promise: along a chain y never turns back, so an edge crosses each rank once;
//! curves begin and arrows end on the borders of their nodes.

use super::coordinates::Coordinates;
use super::layered::{Chain, LABEL_GAP, Layered};
use super::order::Layers;
use crate::geometry::{Point, Rect, clip_start, inside};
use crate::graph::Shape;

/// Length of an arrowhead.
pub(super) const ARROW_LENGTH: f64 = 9.0;

/// Half the width of an arrowhead.
const ARROW_HALF_WIDTH: f64 = 3.6;

/// Least distance between a curve and the neighbours on a rank it passes.
const CLEARANCE: f64 = 6.0;

/// Least distance between two curves that pass a rank side by side.
const TWIN_GAP: f64 = 5.0;

/// Upper bound on the distance that a curve keeps from the bend of another curve.
const BEND_CLEARANCE: f64 = 20.0;

/// Greatest distance between a curve and its label.
const LABEL_SLACK: f64 = 12.0;

/// Greatest sideways slope (dx over dy) of a curve at its node; bends near the node that would need more are
/// dropped.
const STEEPNESS: f64 = 1.2;

/// Rounds of pinning a curve to its lanes.
const PIN_ROUNDS: usize = 6;

/// Departures from a lane that are too small to be visible.
const PIN_TOLERANCE: f64 = 0.1;

/// The free stretch of a rank around each vertex.
pub(super) struct Lanes {
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Lanes {
    pub(super) fn new(layered: &Layered, layers: &Layers, coordinates: &Coordinates, side: f64) -> Self {
        let vertex_count = layered.vertices.len();
        let mut lanes =
            Self { least: vec![f64::NEG_INFINITY; vertex_count], most: vec![f64::INFINITY; vertex_count] };
        for layer in layers {
            lanes.bound_by_obstacles(layered, layer, coordinates);
            lanes.bound_by_neighbouring_curves(layered, layer, coordinates);
        }
        for label in layered.chains.iter().filter_map(|chain| chain.label) {
            lanes.keep_beside_label(label, coordinates.x[label], side);
        }
        lanes
    }

    /// Nodes and labels are obstacles on their rank.
    fn bound_by_obstacles(&mut self, layered: &Layered, layer: &[usize], coordinates: &Coordinates) {
        let is_obstacle = |vertex: usize| layered.vertices[vertex].extent.half_height > 0.0;
        let mut wall = f64::NEG_INFINITY;
        for &vertex in layer {
            self.least[vertex] = wall;
            if is_obstacle(vertex) {
                wall = coordinates.x[vertex] + layered.vertices[vertex].extent.right + CLEARANCE;
            }
        }
        let mut wall = f64::INFINITY;
        for &vertex in layer.iter().rev() {
            self.most[vertex] = wall;
            if is_obstacle(vertex) {
                wall = coordinates.x[vertex] - layered.vertices[vertex].extent.left - CLEARANCE;
            }
        }
    }

    /// Curves that pass side by side share the room between them.
    fn bound_by_neighbouring_curves(
        &mut self,
        layered: &Layered,
        layer: &[usize],
        coordinates: &Coordinates,
    ) {
        for pair in layer.windows(2) {
            let (left, right) = (&layered.vertices[pair[0]], &layered.vertices[pair[1]]);
            if left.is_bend && right.is_bend {
                let end = coordinates.x[pair[0]] + left.extent.right;
                let start = coordinates.x[pair[1]] - right.extent.left;
                let distance = (f64::midpoint(start - end, TWIN_GAP)).min(BEND_CLEARANCE);
                self.most[pair[0]] = self.most[pair[0]].min(start - distance);
                self.least[pair[1]] = self.least[pair[1]].max(end + distance);
            }
        }
    }

    /// A label is an obstacle for its own curve too, which should stay near it.
    fn keep_beside_label(&mut self, label: usize, x: f64, side: f64) {
        let (least, most) = if side > 0.0 {
            (x - LABEL_SLACK, x + LABEL_GAP - 1.0)
        } else {
            (x - LABEL_GAP + 1.0, x + LABEL_SLACK)
        };
        self.least[label] = self.least[label].max(least);
        self.most[label] = self.most[label].min(most);
    }

    fn clamp(&self, vertex: usize, x: f64) -> f64 {
        x.max(self.least[vertex]).min(self.most[vertex])
    }
}

/// The curve of a chain from the centre of its upper node to that of its lower.
///
/// The first knots are the ends and the bends that need no sharp turn. Where the curve then leaves its lane,
/// the bend there is restored; if that is not enough, the curve is pinned to the border of the lane.
pub(super) fn chain_curve(
    layered: &Layered,
    coordinates: &Coordinates,
    lanes: &Lanes,
    chain: &Chain,
) -> Vec<Point> {
    let center =
        |&vertex: &usize| Point::new(coordinates.x[vertex], coordinates.y[layered.vertices[vertex].rank]);
    let centers: Vec<Point> = chain.path.iter().map(center).collect();
    let mut is_knot = initial_knots(&centers);
    let mut knots: Vec<Point> = (0..centers.len()).filter(|&at| is_knot[at]).map(|at| centers[at]).collect();
    for _ in 0..PIN_ROUNDS {
        let profile = Profile::new(knots);
        let (mut restored, mut pins) = (Vec::new(), Vec::new());
        for (index, &vertex) in chain.path.iter().enumerate() {
            let half_height = coordinates.half_height[layered.vertices[vertex].rank];
            for y in checkpoints(centers[index].y, half_height, index, centers.len()) {
                let x = profile.x_at(y);
                let pinned = lanes.clamp(vertex, x);
                if (x - pinned).abs() <= PIN_TOLERANCE {
                    continue;
                }
                if std::mem::replace(&mut is_knot[index], true) {
                    pins.push(Point::new(pinned, y));
                } else {
                    restored.push(centers[index]);
                }
            }
        }
        if restored.is_empty() && pins.is_empty() {
            return profile.curve();
        }
        // A restored bend changes the curve nearby, so pins wait for the next round.
        knots = merge(profile.knots, if restored.is_empty() { pins } else { restored });
    }
    Profile::new(knots).curve()
}

/// The heights at which a curve is compared with its lane: top, middle and bottom of a rank. At the ends of
/// the chain only the side where the curve leaves the rank counts.
fn checkpoints(y: f64, half_height: f64, index: usize, count: usize) -> impl Iterator<Item = f64> {
    let top = (index > 0 && half_height > 0.0).then_some(y - half_height);
    let bottom = (index + 1 < count && half_height > 0.0).then_some(y + half_height);
    let middle = (index > 0 && index + 1 < count).then_some(y);
    [top, middle, bottom].into_iter().flatten()
}

/// Whether each vertex of a chain is a knot at first: the ends are, and all bends except bends so near an
/// end in height that the curve would turn sharply.
fn initial_knots(centers: &[Point]) -> Vec<bool> {
    let last = centers.len() - 1;
    let is_gentle = |end: Point, bend: Point| (bend.x - end.x).abs() <= STEEPNESS * (bend.y - end.y).abs();
    let first_kept = (1..last).find(|&index| is_gentle(centers[0], centers[index])).unwrap_or(last);
    let last_kept = (1..last).rev().find(|&index| is_gentle(centers[last], centers[index])).unwrap_or(0);
    (0..=last).map(|index| index == 0 || index == last || (first_kept..=last_kept).contains(&index)).collect()
}

/// Knots from top to bottom; a pin replaces a knot at its height.
fn merge(knots: Vec<Point>, pins: Vec<Point>) -> Vec<Point> {
    let mut merged = pins;
    merged.extend(knots);
    merged.sort_by(|a, b| a.y.total_cmp(&b.y));
    merged.dedup_by(|later, kept| later.y - kept.y < 1e-9);
    merged
}

/// x as a function of y: knots from top to bottom and the slopes in them.
struct Profile {
    knots: Vec<Point>,
    slopes: Vec<f64>,
}

impl Profile {
    fn new(knots: Vec<Point>) -> Self {
        let secants: Vec<f64> =
            knots.windows(2).map(|pair| (pair[1].x - pair[0].x) / (pair[1].y - pair[0].y)).collect();
        let mut slopes = vec![secants[0]];
        slopes.extend(secants.windows(2).map(|pair| harmonic_mean(pair[0], pair[1])));
        slopes.push(secants[secants.len() - 1]);
        if let [first, .., last] = secants[..] {
            // Ends without curvature.
            slopes[0] = (3.0 * first - slopes[1]) / 2.0;
            let end = slopes.len() - 1;
            slopes[end] = (3.0 * last - slopes[end - 1]) / 2.0;
        }
        Self { knots, slopes }
    }

    fn x_at(&self, y: f64) -> f64 {
        let piece = self.knots.partition_point(|knot| knot.y <= y).clamp(1, self.knots.len() - 1) - 1;
        let [a, b, c, d] = self.cubic(piece);
        let t = (y - a.y) / (d.y - a.y);
        let (ab, bc, cd) = (a.lerp(b, t), b.lerp(c, t), c.lerp(d, t));
        ab.lerp(bc, t).lerp(bc.lerp(cd, t), t).x
    }

    fn cubic(&self, piece: usize) -> [Point; 4] {
        let (a, d) = (self.knots[piece], self.knots[piece + 1]);
        let third = (d.y - a.y) / 3.0;
        let b = Point::new(a.x + self.slopes[piece] * third, a.y + third);
        let c = Point::new(d.x - self.slopes[piece + 1] * third, d.y - third);
        [a, b, c, d]
    }

    fn curve(&self) -> Vec<Point> {
        let mut curve = vec![self.knots[0]];
        for piece in 0..self.knots.len() - 1 {
            curve.extend_from_slice(&self.cubic(piece)[1..]);
        }
        curve
    }
}

/// Zero where the direction changes, and otherwise nearer to the flatter side.
fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
}

/// The visible part of a curve between two nodes, and its arrowhead.
///
/// The curve is given from centre to centre. The result runs from the border of the source to the base of
/// the arrowhead; the arrowhead's tip is on the border of the target.
pub(super) fn clip_with_arrowhead(
    curve: &[Point],
    source: Option<(Shape, Rect)>,
    target: (Shape, Rect),
) -> (Vec<Point>, [Point; 3]) {
    let mut curve = curve.to_vec();
    if let Some((shape, outline)) = source {
        curve = clip_start(&curve, |point| !inside(shape, &outline, point));
    }
    curve.reverse();
    curve = clip_start(&curve, |point| !inside(target.0, &target.1, point));
    let tip = curve[0];
    curve = clip_start(&curve, |point| point.distance(tip) >= ARROW_LENGTH);
    curve.reverse();
    let base = curve[curve.len() - 1];
    (curve, arrowhead(base, tip))
}

fn arrowhead(base: Point, tip: Point) -> [Point; 3] {
    let length = base.distance(tip).max(f64::MIN_POSITIVE);
    let across = Point::new(-(tip.y - base.y) / length, (tip.x - base.x) / length);
    let wing = |sign: f64| {
        Point::new(base.x + sign * ARROW_HALF_WIDTH * across.x, base.y + sign * ARROW_HALF_WIDTH * across.y)
    };
    [tip, wing(1.0), wing(-1.0)]
}
