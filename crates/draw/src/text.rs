//! The size of a text, estimated without a font.
//!
//! Labels are set in a monospaced font, because there the estimate is
//! dependable: DejaVu Sans Mono and Menlo advance 0.602 em per cell, Courier
//! 0.600, Consolas 0.550. Cell counts follow the idea of Unicode's East Asian
//! Width (UAX #11): wide characters take two cells, combining marks none.
//!
//! Promise: the estimate never falls short for the fonts named above.

use crate::geometry::Size;

/// The measures of a font as the layout uses it, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    /// The font size.
    pub size: f64,
    /// The distance from one baseline to the next.
    pub line_height: f64,
}

/// The font of node labels.
pub const NODE_FONT: Font = Font { size: 13.0, line_height: 17.0 };

/// The font of edge labels.
pub const LABEL_FONT: Font = Font { size: 12.0, line_height: 15.0 };

/// Advance of one cell in em.
const ADVANCE: f64 = 0.602;

/// The lines of a label. A final line break does not open another line.
pub(crate) fn lines(label: &str) -> impl Iterator<Item = &str> {
    label.lines()
}

/// The size of a label with all its lines.
pub(crate) fn measure(label: &str, font: Font) -> Size {
    let cells = lines(label).map(cell_count).max().unwrap_or(0);
    let line_count = lines(label).count();
    Size { width: cells as f64 * ADVANCE * font.size, height: line_count as f64 * font.line_height }
}

fn cell_count(line: &str) -> usize {
    line.chars().map(cells).sum()
}

/// Cells taken by one character; ranges are rounded outwards to whole blocks.
fn cells(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036F | 0x200B..=0x200F | 0x20D0..=0x20FF | 0xFE00..=0xFE0F => 0,
        0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F => 2,
        0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F000..=0x1FAFF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected_cells: usize, expected_lines: usize) {
        let size = measure(text, Font { size: 1.0, line_height: 1.0 });
        assert!((size.width - expected_cells as f64 * ADVANCE).abs() < 1e-9, "{text:?} is {size:?}");
        assert!((size.height - expected_lines as f64).abs() < 1e-9, "{text:?} is {size:?}");
    }

    #[test]
    fn the_longest_line_gives_the_width() {
        check("", 0, 0);
        check("a && b", 6, 1);
        check("a\nlonger\nb", 6, 3);
    }

    #[test]
    fn wide_characters_take_two_cells_and_marks_none() {
        check("□(p → ◇q)", 9, 1);
        check("状態", 4, 1);
        check("e\u{301}", 1, 1);
    }
}
