//! The graph as DOT, the language of Graphviz.
//!
//! Grammar and string rules: <https://graphviz.org/doc/info/lang.html>. Inside a quoted label a backslash
//! opens an escape (`\n`, `\N`, `\l`), so a literal one is doubled; line breaks become `\n`. All other
//! characters stay as they are, in UTF-8.
//!
//! Promise: `dot` accepts the text, whatever the labels contain.

use std::fmt::Write as _;

use crate::graph::{Direction, Edge, Emphasis, Graph, Node, Shape, Style};
use crate::part::PartId;

impl Graph {
    /// The graph in the language of Graphviz. Nodes are named `n0`, `n1`, ….
    pub fn to_dot(&self) -> String {
        let mut dot = format!("digraph {} {{\n", quote(&self.title));
        if self.direction == Direction::LeftRight {
            dot.push_str("  rankdir=LR;\n");
        }
        dot.push_str("  node [fontname=\"monospace\", fontsize=13];\n");
        dot.push_str("  edge [fontname=\"monospace\", fontsize=12];\n");
        let mut part = None;
        for (id, node) in self.nodes() {
            let here = self.part_of(id);
            if here != part {
                self.change_part(&mut dot, part, here);
                part = here;
            }
            statement(&mut dot, &format!("n{}", id.0), &node_attributes(node));
        }
        self.change_part(&mut dot, part, None);
        for (index, node) in self.initials.iter().enumerate() {
            statement(&mut dot, &format!("i{index}"), &["shape=point".into(), "style=invis".into()]);
            statement(&mut dot, &format!("i{index} -> n{}", node.0), &[]);
        }
        for (from, to, edge) in &self.edges {
            statement(&mut dot, &format!("n{} -> n{}", from.0, to.0), &edge_attributes(edge));
        }
        dot.push_str("}\n");
        dot
    }

    /// Closes one part and opens another. A part becomes a cluster of Graphviz.
    fn change_part(&self, dot: &mut String, from: Option<PartId>, to: Option<PartId>) {
        if from.is_some() {
            dot.push_str("  }\n");
        }
        if let Some(part) = to {
            let title = quote(&self.parts[part.0 as usize].title);
            write!(
                dot,
                "  subgraph cluster_{} {{\n  label={title}; labeljust=l; fontname=\"monospace\";\n",
                part.0
            )
            .expect("writing to a string does not fail");
        }
    }
}

fn statement(dot: &mut String, subject: &str, attributes: &[String]) {
    let list = attributes.join(", ");
    let result = if attributes.is_empty() {
        writeln!(dot, "  {subject};")
    } else {
        writeln!(dot, "  {subject} [{list}];")
    };
    result.expect("writing to a string does not fail");
}

fn node_attributes(node: &Node) -> Vec<String> {
    let (shape, style) = match node.shape {
        Shape::Box => ("box", None),
        Shape::Rounded => ("box", Some("rounded")),
        Shape::Ellipse => ("ellipse", None),
        Shape::Circle => ("circle", None),
        Shape::DoubleCircle => ("doublecircle", None),
        Shape::Point => ("point", None),
        Shape::Diamond => ("diamond", None),
    };
    let mut attributes = vec![format!("label={}", quote(&node.label)), format!("shape={shape}")];
    attributes.extend(style.map(|style| format!("style={style}")));
    attributes.extend(emphasis_attributes(node.emphasis));
    if node.emphasis == Emphasis::Strong {
        attributes.push("penwidth=2".into());
    }
    attributes.extend(class_attribute(&node.classes));
    attributes.extend(node.tooltip.as_ref().map(|tooltip| format!("tooltip={}", quote(tooltip))));
    attributes
}

fn edge_attributes(edge: &Edge) -> Vec<String> {
    let mut attributes = Vec::new();
    if !edge.label.is_empty() {
        attributes.push(format!("label={}", quote(&edge.label)));
    }
    match edge.style {
        Style::Solid => {}
        Style::Dashed => attributes.push("style=dashed".into()),
        Style::Bold => attributes.push("style=bold".into()),
    }
    attributes.extend(emphasis_attributes(edge.emphasis));
    attributes.extend(class_attribute(&edge.classes));
    attributes.extend(edge.tooltip.as_ref().map(|tooltip| format!("tooltip={}", quote(tooltip))));
    attributes
}

fn emphasis_attributes(emphasis: Emphasis) -> Vec<String> {
    let color = match emphasis {
        Emphasis::Normal => return Vec::new(),
        Emphasis::Strong => "#1f5fbf",
        Emphasis::Muted => "#8a8f98",
        Emphasis::Good => "#1a7f37",
        Emphasis::Bad => "#c62828",
    };
    vec![format!("color=\"{color}\""), format!("fontcolor=\"{color}\"")]
}

/// Graphviz copies classes into its SVG output.
fn class_attribute(classes: &[String]) -> Option<String> {
    (!classes.is_empty()).then(|| format!("class={}", quote(&classes.join(" "))))
}

/// A DOT string. Control characters other than line breaks are removed.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    let text = text.replace("\r\n", "\n");
    let mut characters = text.strip_suffix('\n').unwrap_or(&text).chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // Graphviz expands HTML entities in labels: `&lt;` must not become `<`.
            '&' if characters.peek().is_some_and(|next| next.is_alphanumeric() || *next == '#') => {
                quoted.push_str("&amp;");
            }
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push(' '),
            control if control.is_control() => {}
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
