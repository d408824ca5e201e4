//! Directed graphs as DOT text and as self-contained SVG.
//!
//! Selvedge draws automata, flow graphs, state spaces and counterexamples. A [`Graph`] holds nodes, edges
//! and their appearance; [`Graph::to_dot`] writes it for Graphviz, [`Graph::layout`] computes a layered
//! (Sugiyama) layout, and [`Graph::to_svg`] renders that layout.
//!
//! Promise: the same graph gives the same text, byte for byte; no graph is refused, and no function recurses
//! on the size of the graph.
//!
//! ```
//! use selvedge_draw::{Direction, Graph, Node, Shape};
//!
//! let mut graph = Graph::new("G F a").direction(Direction::LeftRight);
//! let wait = graph.node(Node::new("0").shape(Shape::Circle));
//! let seen = graph.node(Node::new("1").shape(Shape::DoubleCircle));
//! graph.initial(wait);
//! graph.edge(wait, seen, "a");
//! graph.edge(seen, wait, "!a");
//! assert!(graph.to_dot().contains("n0 -> n1 [label=\"a\"]"));
//! assert!(graph.to_svg().starts_with("<svg "));
//! ```

mod dot;
mod geometry;
mod graph;
mod layout;
mod part;
mod svg;
mod text;

pub use geometry::{Point, Rect, Size};
pub use graph::{Direction, Edge, EdgeId, Emphasis, Graph, Node, NodeId, Shape, Style};
pub use layout::{EdgeLayout, InitialLayout, Layout, NodeLayout};
pub use part::{Part, PartId};
pub use text::{Font, LABEL_FONT, NODE_FONT};
