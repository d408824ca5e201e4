//! Packing: the drawings of the connected components side by side.
//!
//! Shelf packing: drawings are set in a row, in the order of their first nodes, and a new row begins when
//! the row would exceed the wanted width.
//!
//! Promise: drawings do not overlap, and their order is kept, row by row.

use crate::geometry::{Point, Size};

/// Distance between drawings.
const COMPONENT_GAP: f64 = 30.0;

/// The least width at which a row may end.
const ROW_WIDTH: f64 = 900.0;

/// Width to height of a drawing with many components.
const ASPECT: f64 = 1.6;

/// Offsets of the drawings and the size of the whole.
pub(super) fn shelves(sizes: &[Size]) -> (Vec<Point>, Size) {
    let padded = |size: &Size| (size.width + COMPONENT_GAP) * (size.height + COMPONENT_GAP);
    let area: f64 = sizes.iter().map(padded).sum();
    let row_width = (area * ASPECT).sqrt().max(ROW_WIDTH);
    let mut offsets = Vec::new();
    let mut whole = Size::default();
    let mut pen = Point::default();
    for size in sizes {
        if pen.x > 0.0 && pen.x + size.width > row_width {
            pen = Point::new(0.0, whole.height + COMPONENT_GAP);
        }
        offsets.push(pen);
        whole.width = whole.width.max(pen.x + size.width);
        whole.height = whole.height.max(pen.y + size.height);
        pen.x += size.width + COMPONENT_GAP;
    }
    (offsets, whole)
}
