//! Self-loops: nested beside their node, each with its label.
//!
//! A loop leaves the node above its middle line and returns below it. The space for loops and labels is part
//! of the extent of the node, so that the layout keeps it free; ranking ignores self-loops.
//!
//! Promise: the label of a loop lies outside that loop and inside the next one.

use super::layered::{Extent, LABEL_GAP};
use crate::geometry::{Point, Rect, Size};

/// The self-loops of one node, relative to its centre, towards greater x.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    loops: Vec<Loop>,
    /// The farthest x and the greatest distance from the middle line.
    reach: f64,
    half_height: f64,
}

#[derive(Clone, Debug)]
struct Loop {
    /// Where the loop starts inside the node.
    start: Point,
    /// The x of its outermost point.
    tip: f64,
    /// How far its control points swing up and down.
    swing: f64,
    label: Option<Rect>,
}

/// Distance between a loop and the node, loop or label inside it.
const LOOP_ROOM: f64 = 20.0;

/// Swing of the first loop.
const LOOP_SWING: f64 = 17.0;

impl Loops {
    /// Nests one loop for each label around a node of the given size.
    pub(super) fn new(node: Size, labels: &[Option<Size>]) -> Self {
        let (half_width, half_height) = (node.width / 2.0, node.height / 2.0);
        let mut nest = Self { loops: Vec::new(), reach: half_width, half_height };
        let mut swing = LOOP_SWING.min(half_height + 4.0);
        for (index, label) in labels.iter().enumerate() {
            let share = (index + 1) as f64 / (labels.len() + 1) as f64;
            let start = Point::new(0.3 * half_width, -half_height * (0.25 + 0.5 * share));
            let tip = nest.reach + LOOP_ROOM;
            let label_rect = |size: &Size| Rect {
                center: Point::new(tip + LABEL_GAP + size.width / 2.0, 0.0),
                size: *size,
            };
            let label = label.as_ref().map(label_rect);
            nest.half_height = nest.half_height.max(swing);
            nest.loops.push(Loop { start, tip, swing, label });
            nest.reach = label.map_or(tip, |label| label.right());
            let label_half_height = label.map_or(0.0, |label| label.size.height / 2.0);
            nest.half_height = nest.half_height.max(label_half_height);
            // The next loop passes the corners of this label: a cubic reaches
            // only three quarters of the way to its control points.
            swing = (swing + 8.0).max((label_half_height + 6.0) / 0.7);
        }
        nest
    }

    /// The extent of the node with its loops on the given side.
    pub(super) fn extent(&self, node: Size, side: f64) -> Extent {
        let (near, far) = (node.width / 2.0, self.reach);
        let (left, right) = if side > 0.0 { (near, far) } else { (far, near) };
        Extent { left, right, half_height: self.half_height }
    }

    /// The curve of a loop, from inside the node to inside the node, and its label.
    pub(super) fn draw(&self, index: usize, center: Point, side: f64) -> (Vec<Point>, Option<Rect>) {
        let Loop { start, tip, swing, label } = &self.loops[index];
        let at = |x: f64, y: f64| Point::new(center.x + side * x, center.y + y);
        let shoulder = start.x + 0.75 * (tip - start.x);
        let curve = vec![
            at(start.x, start.y),
            at(shoulder, -swing),
            at(*tip, -0.7 * swing),
            at(*tip, 0.0),
            at(*tip, 0.7 * swing),
            at(shoulder, *swing),
            at(start.x, -start.y),
        ];
        let label = label.map(|label| Rect { center: at(label.center.x, label.center.y), size: label.size });
        (curve, label)
    }
}
