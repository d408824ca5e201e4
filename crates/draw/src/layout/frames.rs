//! Frames: the arrangement of the components' drawings, with a frame around the drawings of each part.
//!
//! The components of a part are packed, surrounded by a frame with space for its title, and the frames are
//! packed like components that belong to no part.
//!
//! Promise: all drawings of a part lie in its frame, below the title; frames overlap neither each other nor
//! other drawings.

use super::pack::shelves;
use crate::geometry::{Point, Rect, Size};
use crate::graph::Graph;
use crate::part::PartId;
use crate::text::{NODE_FONT, measure};

/// Free room within a frame, on all sides and below the title.
pub(crate) const FRAME_PADDING: f64 = 10.0;

/// The positions of drawings and frames, from (0, 0) to `size`.
pub(super) struct Arrangement {
    /// The upper left corner of each drawing.
    pub(super) offsets: Vec<Point>,
    /// The frame of each part.
    pub(super) frames: Vec<Rect>,
    pub(super) size: Size,
}

/// Drawings that stay together: all drawings of a part, or a single drawing without part.
struct Block {
    part: Option<PartId>,
    drawings: Vec<usize>,
    size: Size,
    /// The positions of the drawings in the block.
    offsets: Vec<Point>,
}

/// Arranges drawings of these sizes, each with the part that it belongs to.
pub(super) fn arrange(graph: &Graph, owners: Vec<Option<PartId>>, sizes: &[Size]) -> Arrangement {
    let mut blocks = blocks(graph, owners);
    for block in &mut blocks {
        let sizes: Vec<Size> = block.drawings.iter().map(|drawing| sizes[*drawing]).collect();
        (block.offsets, block.size) = shelves(&sizes);
        if let Some(part) = block.part {
            block.surround(graph, &graph.parts[part.0 as usize].title);
        }
    }
    let (offsets, size) = shelves(&blocks.iter().map(|block| block.size).collect::<Vec<_>>());
    let mut arrangement = Arrangement {
        offsets: vec![Point::default(); sizes.len()],
        frames: vec![Rect::default(); graph.parts.len()],
        size,
    };
    for (block, at) in blocks.iter().zip(offsets) {
        for (drawing, offset) in block.drawings.iter().zip(&block.offsets) {
            arrangement.offsets[*drawing] = Point::new(at.x + offset.x, at.y + offset.y);
        }
        if let Some(part) = block.part {
            let center = Point::new(at.x + block.size.width / 2.0, at.y + block.size.height / 2.0);
            arrangement.frames[part.0 as usize] = Rect { center, size: block.size };
        }
    }
    arrangement
}

/// One block for each part, even a part without nodes, and one for each drawing outside all parts.
fn blocks(graph: &Graph, owners: Vec<Option<PartId>>) -> Vec<Block> {
    let block = |part| Block { part, drawings: Vec::new(), size: Size::default(), offsets: Vec::new() };
    let mut blocks: Vec<Block> =
        (0..graph.parts.len()).map(|index| block(Some(PartId(index as u32)))).collect();
    for (drawing, owner) in owners.into_iter().enumerate() {
        let index = owner.map_or(blocks.len(), |part| part.0 as usize);
        if index == blocks.len() {
            blocks.push(block(None));
        }
        blocks[index].drawings.push(drawing);
    }
    blocks
}

impl Block {
    /// Adds space for the frame and the title. The title is above the drawing in both directions.
    fn surround(&mut self, graph: &Graph, title: &str) {
        let title = measure(title, NODE_FONT);
        let strip = graph.oriented(Size { width: 0.0, height: title.height + FRAME_PADDING });
        let least = graph.oriented(Size { width: title.width + 2.0 * FRAME_PADDING, height: 0.0 });
        let width = self.size.width + strip.width + 2.0 * FRAME_PADDING;
        let height = self.size.height + strip.height + 2.0 * FRAME_PADDING;
        self.size = Size { width: width.max(least.width), height: height.max(least.height) };
        // Below a wider title, the drawing is centred.
        let left = strip.width + FRAME_PADDING + (self.size.width - width) / 2.0;
        let top = strip.height + FRAME_PADDING + (self.size.height - height) / 2.0;
        for offset in &mut self.offsets {
            *offset = Point::new(offset.x + left, offset.y + top);
        }
    }
}
