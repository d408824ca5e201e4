//! Graphs as DOT and as SVG.
