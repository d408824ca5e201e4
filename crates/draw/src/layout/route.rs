//! Edges as smooth curves, clipped at their nodes, with arrowheads.
//!
//! A chain is read as x over y and interpolated by piecewise cubics that never
//! overshoot (Fritsch, Carlson, "Monotone Piecewise Cubic Interpolation", SIAM
//! J. Numer. Anal. 17(2), 1980, with harmonic means as slopes). Where the curve
//! would brush a neighbour on a rank, it is pinned to its lane there.
//!
//! Promise: along a chain y never turns back, so an edge crosses each rank once;
//! curves begin and arrows end on the borders of their nodes.

use super::layered::{Chain, Layered};
use super::order::Layers;
use super::place::Placement;
use crate::geometry::{Point, Rect, clip_start, inside};
use crate::graph::Shape;

/// Length of an arrowhead.
pub(super) const ARROW_LENGTH: f64 = 9.0;

/// Half the width of an arrowhead.
const ARROW_HALF_WIDTH: f64 = 3.6;

/// Least distance between a curve and the neighbours on a rank it passes.
const CLEARANCE: f64 = 6.0;

/// The free stretch of a rank around each vertex, between its solid neighbours.
pub(super) struct Lanes {
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Lanes {
    /// Plain bends are no obstacles; nodes and labels are.
    pub(super) fn new(layered: &Layered, layers: &Layers, placement: &Placement) -> Self {
        let vertex_count = layered.vertices.len();
        let mut lanes =
            Self { least: vec![f64::NEG_INFINITY; vertex_count], most: vec![f64::INFINITY; vertex_count] };
        let is_solid = |vertex: usize| layered.vertices[vertex].extent.half_height > 0.0;
        for layer in layers {
            let mut wall = f64::NEG_INFINITY;
            for &vertex in layer {
                lanes.least[vertex] = wall;
                if is_solid(vertex) {
                    wall = placement.x[vertex] + layered.vertices[vertex].extent.right + CLEARANCE;
                }
            }
            let mut wall = f64::INFINITY;
            for &vertex in layer.iter().rev() {
                lanes.most[vertex] = wall;
                if is_solid(vertex) {
                    wall = placement.x[vertex] - layered.vertices[vertex].extent.left - CLEARANCE;
                }
            }
        }
        lanes
    }

    /// A label is in the way of its own edge too.
    pub(super) fn keep_off_label(&mut self, vertex: usize, x: f64, side: f64) {
        if side > 0.0 {
            self.most[vertex] = self.most[vertex].min(x + 1.0);
        } else {
            self.least[vertex] = self.least[vertex].max(x - 1.0);
        }
    }

    fn clamp(&self, vertex: usize, x: f64) -> f64 {
        x.max(self.least[vertex]).min(self.most[vertex])
    }
}

/// The curve of a chain from the centre of its upper node to that of its lower.
pub(super) fn chain_curve(
    layered: &Layered,
    placement: &Placement,
    lanes: &Lanes,
    chain: &Chain,
) -> Vec<Point> {
    let center =
        |&vertex: &usize| Point::new(placement.x[vertex], placement.y[layered.vertices[vertex].rank]);
    let draft = Profile::new(chain.path.iter().map(center).collect());
    let mut knots = Vec::new();
    for (index, vertex) in chain.path.iter().enumerate() {
        let rank = layered.vertices[*vertex].rank;
        let pinned = |y: f64| {
            let x = draft.x_at(y);
            let clamped = lanes.clamp(*vertex, x);
            // Bends without room to yield stay where they are.
            (x != clamped).then_some(Point::new(clamped, y))
        };
        let (top, bottom) = (
            placement.y[rank] - placement.half_height[rank],
            placement.y[rank] + placement.half_height[rank],
        );
        if index > 0 && top < placement.y[rank] {
            knots.extend(pinned(top));
        }
        knots.push(center(vertex));
        if index + 1 < chain.path.len() && bottom > placement.y[rank] {
            knots.extend(pinned(bottom));
        }
    }
    if knots.len() == chain.path.len() { draft.curve() } else { Profile::new(knots).curve() }
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

/// Zero where the direction turns, and otherwise nearer to the flatter side.
fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
}

/// The visible part of a curve between two nodes, and its arrowhead.
///
/// The curve runs from centre to centre; it comes back from the border of its
/// source to the base of the arrowhead, whose tip is on the border of the target.
pub(super) fn finish(
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
