//! Points, boxes, cubic Bézier curves and the outlines of node shapes.
//!
//! A curve is a list of points in the manner of SVG and Graphviz: the start, then for each piece two control
//! points and an end (1 + 3k points). An outline is given by its inside test alone, so one bisection clips a
//! curve at any shape.
//!
//! Promise: every outline is convex and symmetric about its centre and axes, so left-to-right drawings,
//! which exchange x and y, use the same outlines.

use crate::graph::Shape;

/// A point of the drawing, in pixels; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Distance from the left border.
    pub x: f64,
    /// Distance from the upper border.
    pub y: f64,
}

/// Width and height, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Extent along x.
    pub width: f64,
    /// Extent along y.
    pub height: f64,
}

/// A box with sides along the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The middle of the box.
    pub center: Point,
    /// Its extents.
    pub size: Size,
}

/// Corner radius of [`Shape::Rounded`].
pub(crate) const CORNER_RADIUS: f64 = 6.0;

/// Halvings of a bisection: enough for a hundredth of a pixel on any screen.
const BISECTION_STEPS: usize = 40;

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn lerp(self, other: Self, t: f64) -> Self {
        Self::new(self.x + (other.x - self.x) * t, self.y + (other.y - self.y) * t)
    }

    pub(crate) fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Exchanges the axes.
    pub(crate) fn transposed(self) -> Self {
        Self::new(self.y, self.x)
    }
}

impl Size {
    pub(crate) fn transposed(self) -> Self {
        Self { width: self.height, height: self.width }
    }
}

impl Rect {
    /// The smallest x.
    pub fn left(&self) -> f64 {
        self.center.x - self.size.width / 2.0
    }

    /// The largest x.
    pub fn right(&self) -> f64 {
        self.center.x + self.size.width / 2.0
    }

    /// The smallest y.
    pub fn top(&self) -> f64 {
        self.center.y - self.size.height / 2.0
    }

    /// The largest y.
    pub fn bottom(&self) -> f64 {
        self.center.y + self.size.height / 2.0
    }

    /// The same box at another position.
    pub(crate) fn moved(&self, right: f64, down: f64) -> Self {
        Self { center: Point::new(self.center.x + right, self.center.y + down), size: self.size }
    }

    /// Whether the two boxes share more than a border.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left() < other.right()
            && other.left() < self.right()
            && self.top() < other.bottom()
            && other.top() < self.bottom()
    }
}

/// Whether a point lies inside the outline of a node, its border included.
pub(crate) fn inside(shape: Shape, outline: &Rect, point: Point) -> bool {
    let (half_width, half_height) = (outline.size.width / 2.0, outline.size.height / 2.0);
    let dx = (point.x - outline.center.x).abs();
    let dy = (point.y - outline.center.y).abs();
    match shape {
        Shape::Box => dx <= half_width && dy <= half_height,
        Shape::Rounded => {
            let radius = CORNER_RADIUS.min(half_width).min(half_height);
            let (corner_x, corner_y) = (dx - (half_width - radius), dy - (half_height - radius));
            dx <= half_width
                && dy <= half_height
                && (corner_x <= 0.0 || corner_y <= 0.0 || corner_x.hypot(corner_y) <= radius)
        }
        Shape::Ellipse | Shape::Circle | Shape::DoubleCircle | Shape::Point => {
            (dx / half_width).hypot(dy / half_height) <= 1.0
        }
        Shape::Diamond => dx / half_width + dy / half_height <= 1.0,
    }
}

/// Cuts off the beginning of a curve up to where `keeps` first holds at the end
/// of a piece; the cut lies where `keeps` changes within that piece.
///
/// The curve is returned whole if no piece ends where `keeps` holds.
pub(crate) fn clip_start(curve: &[Point], keeps: impl Fn(Point) -> bool) -> Vec<Point> {
    let Some(piece) = (0..curve.len() / 3).find(|piece| keeps(curve[3 * piece + 3])) else {
        return curve.to_vec();
    };
    let cubic = [curve[3 * piece], curve[3 * piece + 1], curve[3 * piece + 2], curve[3 * piece + 3]];
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTION_STEPS {
        let middle = f64::midpoint(low, high);
        if keeps(split(cubic, middle)[0]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut clipped = split(cubic, high).to_vec();
    clipped.extend_from_slice(&curve[3 * piece + 4..]);
    clipped
}

/// The part of a cubic after parameter `t`, by de Casteljau's construction.
fn split([a, b, c, d]: [Point; 4], t: f64) -> [Point; 4] {
    let (ab, bc, cd) = (a.lerp(b, t), b.lerp(c, t), c.lerp(d, t));
    let (abc, bcd) = (ab.lerp(bc, t), bc.lerp(cd, t));
    [abc.lerp(bcd, t), bcd, cd, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 7] = [
        Shape::Box,
        Shape::Rounded,
        Shape::Ellipse,
        Shape::Circle,
        Shape::DoubleCircle,
        Shape::Point,
        Shape::Diamond,
    ];

    #[test]
    fn every_shape_contains_its_centre_and_touches_its_box_on_the_axes() {
        let outline = Rect { center: Point::new(10.0, 20.0), size: Size { width: 8.0, height: 6.0 } };
        for shape in SHAPES {
            assert!(inside(shape, &outline, outline.center), "{shape:?}");
            assert!(inside(shape, &outline, Point::new(13.999, 20.0)), "{shape:?}");
            assert!(!inside(shape, &outline, Point::new(14.001, 20.0)), "{shape:?}");
            assert!(inside(shape, &outline, Point::new(10.0, 22.999)), "{shape:?}");
            assert!(!inside(shape, &outline, Point::new(10.0, 23.001)), "{shape:?}");
        }
    }

    #[test]
    fn a_straight_curve_is_clipped_at_the_border() {
        let outline = Rect { center: Point::default(), size: Size { width: 2.0, height: 2.0 } };
        let line = [0.0, 1.0, 2.0, 3.0].map(|y| Point::new(0.0, y));
        for shape in SHAPES {
            let clipped = clip_start(&line, |point| !inside(shape, &outline, point));
            assert!((clipped[0].y - 1.0).abs() < 1e-6, "{shape:?} is left at {:?}", clipped[0]);
            assert_eq!(clipped[3], line[3]);
        }
    }
}
