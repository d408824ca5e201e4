//! The layout as self-contained SVG 1.1 text.
//!
//! No scripts, no external fonts or images; colours come from one `<style>` that follows
//! `prefers-color-scheme`. Rules are scoped by `.selvedge-graph`, so the text can be put into a page as it
//! is. Pages may rely on the class names (`node`, `edge`, `initial`, `part`, `label`, `good`, `bad`,
//! `strong`, `muted`, `dashed`, `bold`, and the classes of single nodes and edges) and on `data-node`,
//! `data-edge` and `data-part`.
//!
//! Promise: well-formed XML, whatever the labels contain.

use std::fmt::Write as _;

use crate::geometry::{CORNER_RADIUS, Point, Rect};
use crate::graph::{Edge, Emphasis, Graph, Node, Shape, Style};
use crate::layout::{FRAME_PADDING, Layout};
use crate::text::{Font, LABEL_FONT, NODE_FONT, lines};

impl Graph {
    /// The graph as a self-contained SVG document.
    pub fn to_svg(&self) -> String {
        self.layout().to_svg(self)
    }

    /// The graph as an SVG element without `<style>`, for a page that forbids inline styles and brings rules
    /// for the classes of its own.
    pub fn to_unstyled_svg(&self) -> String {
        self.layout().render(self, "")
    }
}

impl Layout {
    /// Renders this layout of `graph`. Since the layout, attributes may have changed, but not labels or
    /// shapes.
    pub fn to_svg(&self, graph: &Graph) -> String {
        self.render(graph, STYLE)
    }

    /// The document with these rules; without `<style>` if there are none.
    fn render(&self, graph: &Graph, style: &str) -> String {
        let mut svg = Svg { text: String::new() };
        let (width, height) = (number(self.size.width), number(self.size.height));
        svg.line(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"selvedge-graph\" role=\"img\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        ));
        svg.title(&graph.title);
        if !style.is_empty() {
            svg.line(&format!("<style>{style}</style>"));
        }
        svg.line(&format!("<rect class=\"background\" width=\"{width}\" height=\"{height}\"/>"));
        for (index, part) in graph.parts.iter().enumerate() {
            svg.part(index, &part.title, &self.frames[index]);
        }
        // Nodes come last, so that no line is drawn over them.
        for (index, (_, _, edge)) in graph.edges.iter().enumerate() {
            svg.edge(index, edge, self);
        }
        for initial in &self.initials {
            svg.line("<g class=\"initial\">");
            svg.arrow(&initial.curve, &initial.arrow);
            svg.line("</g>");
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            svg.node(index, node, &self.nodes[index].outline);
        }
        svg.line("</svg>");
        svg.text
    }
}

/// Colours: text and lines, then the five emphases, first light and then dark.
const STYLE: &str = "
.selvedge-graph { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.selvedge-graph text { font-size: 13px; text-anchor: middle; fill: #1b1f24; stroke: none; white-space: pre; }
.selvedge-graph .background { fill: #ffffff; }
.selvedge-graph .outline { fill: #f6f8fa; stroke: #3d444d; stroke-width: 1.2; }
.selvedge-graph .ring { fill: none; }
.selvedge-graph .line { fill: none; stroke: #57606a; stroke-width: 1.2; }
.selvedge-graph .head { fill: #57606a; stroke: none; }
.selvedge-graph .dot { fill: #3d444d; }
.selvedge-graph .label { font-size: 12px; fill: #3d444d; stroke: #ffffff; stroke-width: 3; paint-order: stroke; stroke-linejoin: round; }
.selvedge-graph .frame { fill: none; stroke: #c4c9d0; stroke-width: 1; }
.selvedge-graph .title { font-weight: bold; text-anchor: start; }
.selvedge-graph .dashed .line { stroke-dasharray: 5 4; }
.selvedge-graph .bold .line { stroke-width: 2.4; }
.selvedge-graph .strong .outline { fill: #ddeafd; stroke: #1f5fbf; stroke-width: 2.2; }
.selvedge-graph .strong .line { stroke: #1f5fbf; stroke-width: 2; }
.selvedge-graph .strong .head { fill: #1f5fbf; }
.selvedge-graph .strong .label { fill: #1f5fbf; }
.selvedge-graph .muted .outline { fill: #ffffff; stroke: #b6bcc4; }
.selvedge-graph .muted text { fill: #7a828c; }
.selvedge-graph .muted .line { stroke: #c4c9d0; }
.selvedge-graph .muted .head { fill: #c4c9d0; }
.selvedge-graph .good .outline { fill: #dff5e3; stroke: #1a7f37; }
.selvedge-graph .good .line { stroke: #1a7f37; }
.selvedge-graph .good .head { fill: #1a7f37; }
.selvedge-graph .good .label { fill: #1a7f37; }
.selvedge-graph .bad .outline { fill: #fde3e1; stroke: #c62828; stroke-width: 1.8; }
.selvedge-graph .bad .line { stroke: #c62828; stroke-width: 1.8; }
.selvedge-graph .bad .head { fill: #c62828; }
.selvedge-graph .bad .label { fill: #c62828; }
.selvedge-graph .outline.ring { fill: none; }
@media (prefers-color-scheme: dark) {
.selvedge-graph text { fill: #e6edf3; }
.selvedge-graph .background { fill: #0d1117; }
.selvedge-graph .outline { fill: #1c2330; stroke: #9aa4b0; }
.selvedge-graph .line { stroke: #8b949e; }
.selvedge-graph .head { fill: #8b949e; }
.selvedge-graph .dot { fill: #9aa4b0; }
.selvedge-graph .frame { stroke: #3b434d; }
.selvedge-graph .label { fill: #c3cbd4; stroke: #0d1117; }
.selvedge-graph .strong .outline { fill: #152a4a; stroke: #6aa9ff; }
.selvedge-graph .strong .line { stroke: #6aa9ff; }
.selvedge-graph .strong .head { fill: #6aa9ff; }
.selvedge-graph .strong .label { fill: #6aa9ff; }
.selvedge-graph .muted .outline { fill: #0d1117; stroke: #4a525c; }
.selvedge-graph .muted text { fill: #7d8691; }
.selvedge-graph .muted .line { stroke: #3b434d; }
.selvedge-graph .muted .head { fill: #3b434d; }
.selvedge-graph .good .outline { fill: #12301c; stroke: #4cc26a; }
.selvedge-graph .good .line { stroke: #4cc26a; }
.selvedge-graph .good .head { fill: #4cc26a; }
.selvedge-graph .good .label { fill: #4cc26a; }
.selvedge-graph .bad .outline { fill: #3d1618; stroke: #ff7b72; }
.selvedge-graph .bad .line { stroke: #ff7b72; }
.selvedge-graph .bad .head { fill: #ff7b72; }
.selvedge-graph .bad .label { fill: #ff7b72; }
.selvedge-graph .outline.ring { fill: none; }
}
";

struct Svg {
    text: String,
}

impl Svg {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.line(&format!("<title>{}</title>", escape(title)));
        }
    }

    fn node(&mut self, index: usize, node: &Node, outline: &Rect) {
        let classes = class_list("node", [emphasis_class(node.emphasis), ""], &node.classes);
        self.line(&format!("<g class=\"{classes}\" data-node=\"{index}\">"));
        self.title(node.tooltip.as_deref().unwrap_or_default());
        self.outline(node.shape, outline);
        if node.shape != Shape::Point {
            self.label("", &node.label, outline.center, NODE_FONT);
        }
        self.line("</g>");
    }

    /// A frame with its title in the upper left corner.
    fn part(&mut self, index: usize, title: &str, frame: &Rect) {
        self.line(&format!("<g class=\"part\" data-part=\"{index}\">"));
        self.line(&format!(
            "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            number(frame.left()),
            number(frame.top()),
            number(frame.size.width),
            number(frame.size.height),
            number(CORNER_RADIUS)
        ));
        for (index, line) in lines(title).enumerate() {
            let x = number(frame.left() + FRAME_PADDING);
            let middle = frame.top() + FRAME_PADDING + (index as f64 + 0.5) * NODE_FONT.line_height;
            let y = number(middle + 0.34 * NODE_FONT.size);
            self.line(&format!("<text class=\"title\" x=\"{x}\" y=\"{y}\">{}</text>", escape(line)));
        }
        self.line("</g>");
    }

    fn outline(&mut self, shape: Shape, outline: &Rect) {
        let (x, y) = (number(outline.center.x), number(outline.center.y));
        let (half_width, half_height) = (outline.size.width / 2.0, outline.size.height / 2.0);
        let ellipse = |class: &str, inset: f64| {
            let (rx, ry) = (number(half_width - inset), number(half_height - inset));
            format!("<ellipse class=\"{class}\" cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\"/>")
        };
        let rectangle = |radius: f64| {
            format!(
                "<rect class=\"outline\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                number(outline.left()),
                number(outline.top()),
                number(outline.size.width),
                number(outline.size.height),
                number(radius)
            )
        };
        match shape {
            Shape::Box => self.line(&rectangle(0.0)),
            Shape::Rounded => self.line(&rectangle(CORNER_RADIUS)),
            Shape::Ellipse | Shape::Circle => self.line(&ellipse("outline", 0.0)),
            Shape::DoubleCircle => {
                self.line(&ellipse("outline", 0.0));
                self.line(&ellipse("outline ring", 3.5));
            }
            Shape::Point => self.line(&ellipse("dot", 0.0)),
            Shape::Diamond => {
                let (left, right) = (number(outline.left()), number(outline.right()));
                let (top, bottom) = (number(outline.top()), number(outline.bottom()));
                self.line(&format!(
                    "<path class=\"outline\" d=\"M{left} {y}L{x} {top}L{right} {y}L{x} {bottom}Z\"/>"
                ));
            }
        }
    }

    fn edge(&mut self, index: usize, edge: &Edge, layout: &Layout) {
        let style = match edge.style {
            Style::Solid => "",
            Style::Dashed => "dashed",
            Style::Bold => "bold",
        };
        let classes = class_list("edge", [emphasis_class(edge.emphasis), style], &edge.classes);
        let route = &layout.edges[index];
        self.line(&format!("<g class=\"{classes}\" data-edge=\"{index}\">"));
        self.title(edge.tooltip.as_deref().unwrap_or_default());
        self.arrow(&route.curve, &route.arrow);
        if let Some(label) = &route.label {
            self.label(" class=\"label\"", &edge.label, label.center, LABEL_FONT);
        }
        self.line("</g>");
    }

    fn arrow(&mut self, curve: &[Point], [tip, left, right]: &[Point; 3]) {
        let mut path = format!("M{}", coordinates(curve[0]));
        for piece in curve[1..].chunks_exact(3) {
            let [b, c, d] = [piece[0], piece[1], piece[2]].map(coordinates);
            write!(path, "C{b} {c} {d}").expect("writing to a string does not fail");
        }
        self.line(&format!("<path class=\"line\" d=\"{path}\"/>"));
        let [tip, left, right] = [*tip, *left, *right].map(coordinates);
        self.line(&format!("<path class=\"head\" d=\"M{tip}L{left}L{right}Z\"/>"));
    }

    /// Lines centred about a point. Baselines sit a third of an em below the middle.
    fn label(&mut self, class: &str, label: &str, center: Point, font: Font) {
        let line_count = lines(label).count();
        for (index, line) in lines(label).enumerate() {
            let middle = center.y + (index as f64 - (line_count as f64 - 1.0) / 2.0) * font.line_height;
            let (x, y) = (number(center.x), number(middle + 0.34 * font.size));
            self.line(&format!("<text{class} x=\"{x}\" y=\"{y}\">{}</text>", escape(line)));
        }
    }
}

fn class_list(first: &str, appearance: [&str; 2], own: &[String]) -> String {
    let mut classes = first.to_owned();
    let own = own.iter().map(String::as_str);
    for class in appearance.into_iter().chain(own).filter(|class| !class.is_empty()) {
        classes.push(' ');
        classes.push_str(&escape(class).replace('"', "&quot;"));
    }
    classes
}

fn emphasis_class(emphasis: Emphasis) -> &'static str {
    match emphasis {
        Emphasis::Normal => "",
        Emphasis::Strong => "strong",
        Emphasis::Muted => "muted",
        Emphasis::Good => "good",
        Emphasis::Bad => "bad",
    }
}

fn coordinates(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// Two decimals at most: a hundredth of a pixel is invisible.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML character data. Characters that XML 1.0 forbids become U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' => escaped.push('\n'),
            // The layout counts one cell for a tab.
            '\t' => escaped.push(' '),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            other => escaped.push(other),
        }
    }
    escaped
}
