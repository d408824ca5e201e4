//! The fields that formulas mention: paths of names, numbered.

use std::fmt;

/// The number of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::watch) struct FieldId(pub(super) usize);

/// The names from the line to the field: `a.b` is the field `b` of the object `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::watch) struct FieldPath(pub(in crate::watch) Vec<String>);

/// A name that needs no quotes in a formula.
pub(in crate::watch) fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '@')
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let dot = if index > 0 { "." } else { "" };
            if is_plain_name(name) { write!(f, "{dot}{name}")? } else { write!(f, "{dot}{name:?}")? }
        }
        Ok(())
    }
}

impl FieldPath {
    /// The field with this name, at the top of a line.
    pub(in crate::watch) fn top(name: &str) -> FieldPath {
        FieldPath(vec![name.to_owned()])
    }

    /// The name that a column of a CSV file has.
    pub(super) fn column(&self) -> String {
        self.0.join(".")
    }
}

/// All fields that formulas mention, as a tree.
#[derive(Debug)]
pub(in crate::watch) struct Fields {
    paths: Vec<FieldPath>,
    /// The first is the line itself.
    pub(super) nodes: Vec<FieldNode>,
}

/// A line, or an object in it.
#[derive(Debug, Default)]
pub(super) struct FieldNode {
    /// The mentioned fields of the object: their names, and the numbers of their nodes.
    pub(super) children: Vec<(Box<[u8]>, usize)>,
    /// The field that this is.
    pub(super) field: Option<FieldId>,
    /// The fields that this is or contains.
    pub(super) below: Vec<FieldId>,
}

impl Default for Fields {
    fn default() -> Fields {
        Fields { paths: Vec::new(), nodes: vec![FieldNode::default()] }
    }
}

impl Fields {
    /// The number of a field.
    pub(in crate::watch) fn intern(&mut self, path: &FieldPath) -> FieldId {
        if let Some(known) = self.paths.iter().position(|known| known == path) {
            return FieldId(known);
        }
        let field = FieldId(self.paths.len());
        self.paths.push(path.clone());
        let mut node = 0;
        for name in &path.0 {
            node = self.child(node, name.as_bytes());
            self.nodes[node].below.push(field);
        }
        self.nodes[node].field = Some(field);
        field
    }

    fn child(&mut self, node: usize, name: &[u8]) -> usize {
        if let Some((_, child)) = self.nodes[node].children.iter().find(|(known, _)| **known == *name) {
            return *child;
        }
        self.nodes.push(FieldNode::default());
        let child = self.nodes.len() - 1;
        self.nodes[node].children.push((name.into(), child));
        child
    }

    pub(in crate::watch) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(in crate::watch) fn path(&self, field: FieldId) -> &FieldPath {
        &self.paths[field.0]
    }

    pub(in crate::watch) fn ids(&self) -> impl Iterator<Item = FieldId> + use<> {
        (0..self.paths.len()).map(FieldId)
    }
}
