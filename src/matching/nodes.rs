//! The statements of one dataset that have blank nodes, and what leads from a node to its statements.

use std::sync::Arc;

use super::names::{Names, Numbers};
use super::template::{Template, Templates};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::sink::Statement;

/// No node, no statement.
pub(crate) const NONE: u32 = u32::MAX;

/// What a statement with blank nodes takes in memory, colours and maps of its nodes included.
const ROW_BYTES: usize = 120;
const NODE_BYTES: usize = 160;
/// Places of blank nodes in a statement; only nested triples can have more than three.
const PLACES: usize = 1000;

/// Statements while they are read.
pub(crate) struct Gathered {
    labels: Names,
    numbers: Numbers,
    /// Template and first node of each statement.
    rows: Vec<(u32, u32)>,
    nodes: Vec<u32>,
    most: usize,
}

impl Gathered {
    pub(crate) fn new(limits: &Limits) -> Self {
        let most = limits.blank_bytes.saturating_mul(4);
        let (labels, numbers) = (Names::default(), Numbers::default());
        Gathered { labels, numbers, rows: Vec::new(), nodes: Vec::new(), most }
    }

    /// Takes a statement, if it has blank nodes, and says whether it has some. Rows count from 0 in this order.
    pub(crate) fn add(&mut self, statement: &Statement<'_>, templates: &mut Templates) -> Result<bool> {
        let start = self.nodes.len() as u32;
        let Gathered { labels, numbers, nodes, .. } = self;
        let template = templates.of(statement, |label| nodes.push(numbers.of(label, labels)));
        let Some(template) = template else { return Ok(false) };
        if self.nodes.len() - start as usize > PLACES {
            let message = format!("a statement has more than {PLACES} blank nodes");
            return Err(Error::limit(ErrorKind::LimitBlankWork, "blank_work", message));
        }
        self.rows.push((template, start));
        if self.bytes() > self.most || self.nodes.len() >= NONE as usize {
            let message = format!(
                "matching statements with blank nodes needs more than {} bytes, four times limits.blank_bytes",
                self.most
            );
            let hint = "`--blank-nodes labels` compares by labels and needs no memory for this";
            return Err(Error::limit(ErrorKind::LimitBlankBytes, "blank_bytes", message).with_hint(hint));
        }
        Ok(true)
    }

    /// What the statements take in memory, at most.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() * ROW_BYTES + self.labels.len() * NODE_BYTES + self.labels.bytes()
    }

    /// The label of each node.
    pub(crate) fn labels(&self) -> &Names {
        &self.labels
    }

    /// Hands the numbers of the nodes of each statement to `take`.
    pub(crate) fn each_row(&self, mut take: impl FnMut(&[u32])) {
        let starts = self.rows.iter().map(|&(_, start)| start as usize);
        let ends = starts.clone().skip(1).chain([self.nodes.len()]);
        starts.zip(ends).for_each(|(start, end)| take(&self.nodes[start..end]));
    }

    /// All statements were read, of this side and the other one.
    pub(crate) fn finish(self, templates: &Arc<[Template]>, ranks: &[u32]) -> Nodes {
        let Gathered { labels, numbers, rows, nodes, .. } = self;
        drop(numbers);
        let of = |row: u32| {
            let (template, start) = rows[row as usize];
            let rank = ranks[template as usize];
            let start = start as usize;
            (rank, &nodes[start..start + templates[rank as usize].nodes as usize])
        };
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_by(|&a, &b| of(a).cmp(&of(b)));
        order.dedup_by(|a, b| of(*a) == of(*b));
        let mut ranked = Vec::with_capacity(order.len());
        let mut flat = Vec::with_capacity(nodes.len());
        for &row in &order {
            let (template, nodes) = of(row);
            ranked.push(Row { template, start: flat.len() as u32 });
            flat.extend_from_slice(nodes);
        }
        let mut found = Nodes {
            templates: Arc::clone(templates),
            rows: ranked,
            flat,
            read: order,
            starts: Vec::new(),
            of: Vec::new(),
            incoming: vec![0; labels.len()],
            cells: vec![(NONE, NONE); labels.len()],
            labels,
        };
        found.link();
        found
    }
}

#[derive(Clone, Copy)]
struct Row {
    template: u32,
    start: u32,
}

/// Distinct statements with blank nodes, by the order of their templates.
pub(crate) struct Nodes {
    /// The label of each node in its source.
    pub(crate) labels: Names,
    templates: Arc<[Template]>,
    rows: Vec<Row>,
    flat: Vec<u32>,
    /// The number that each statement had when it was read.
    pub(crate) read: Vec<u32>,
    starts: Vec<u32>,
    of: Vec<u32>,
    /// Places of other statements, or of a place other than the subject, where a node stands.
    incoming: Vec<u32>,
    /// `rdf:first` and `rdf:rest` of a cell.
    cells: Vec<(u32, u32)>,
}

impl Nodes {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// How many statements there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The template of a statement.
    #[inline]
    pub(crate) fn template(&self, row: u32) -> &Template {
        &self.templates[self.rows[row as usize].template as usize]
    }

    /// The number of its template: the same on both sides, and in the order of hashes.
    #[inline]
    pub(crate) fn kind(&self, row: u32) -> u32 {
        self.rows[row as usize].template
    }

    pub(crate) fn template_of(&self, kind: u32) -> &Template {
        &self.templates[kind as usize]
    }

    /// The nodes of a statement.
    #[inline]
    pub(crate) fn nodes(&self, row: u32) -> &[u32] {
        let Row { template, start } = self.rows[row as usize];
        let start = start as usize;
        &self.flat[start..start + self.templates[template as usize].nodes as usize]
    }

    /// The statements of a node, each once.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.of[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The node is the subject of the statement.
    #[inline]
    pub(crate) fn is_subject(&self, row: u32, node: u32) -> bool {
        self.template(row).has_subject && self.nodes(row)[0] == node
    }

    /// The statements that have a node as subject.
    pub(crate) fn out(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.of(node).iter().copied().filter(move |&row| self.is_subject(row, node))
    }

    /// Statements and places where a node stands, except the subject.
    pub(crate) fn into(&self, node: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.of(node).iter().flat_map(move |&row| {
            let from = usize::from(self.template(row).has_subject);
            let places = self.nodes(row).iter().enumerate().skip(from);
            places.filter(move |&(_, &found)| found == node).map(move |(place, _)| (row, place))
        })
    }

    /// More than one statement leads to a node.
    #[inline]
    pub(crate) fn is_shared(&self, node: u32) -> bool {
        self.incoming[node as usize] > 1
    }

    pub(crate) fn incoming(&self, node: u32) -> u32 {
        self.incoming[node as usize]
    }

    /// The statement has no other node than this one.
    #[inline]
    pub(crate) fn is_alone(&self, row: u32, node: u32) -> bool {
        self.nodes(row).iter().all(|&found| found == node)
    }

    /// A node is a cell of a list: it has one `rdf:first` and one `rdf:rest`.
    #[inline]
    pub(crate) fn is_cell(&self, node: u32) -> bool {
        self.cells[node as usize].1 != NONE
    }

    /// The statement about the item of a cell.
    pub(crate) fn first(&self, cell: u32) -> u32 {
        self.cells[cell as usize].0
    }

    /// The node that is the item of a cell.
    pub(crate) fn item(&self, cell: u32) -> Option<u32> {
        let row = self.cells[cell as usize].0;
        (row != NONE).then(|| self.template(row).object().map(|at| self.nodes(row)[at])).flatten()
    }

    /// The node that the rest of a cell is.
    pub(crate) fn next(&self, cell: u32) -> Option<u32> {
        let row = self.cells[cell as usize].1;
        (row != NONE).then(|| self.template(row).object().map(|at| self.nodes(row)[at])).flatten()
    }

    /// The statement with these nodes and this template, if there is one.
    pub(crate) fn find(&self, kind: u32, nodes: &[u32]) -> Option<u32> {
        let key = |row: &Row| {
            let start = row.start as usize;
            (row.template, &self.flat[start..start + self.templates[row.template as usize].nodes as usize])
        };
        self.rows.binary_search_by(|row| key(row).cmp(&(kind, nodes))).ok().map(|row| row as u32)
    }

    /// Finds the statements of each node, and the cells.
    fn link(&mut self) {
        let mut counts = vec![0u32; self.len() + 1];
        let distinct = |nodes: &[u32], place: usize| !nodes[..place].contains(&nodes[place]);
        for row in 0..self.rows() as u32 {
            let nodes = self.nodes(row);
            for place in 0..nodes.len() {
                counts[nodes[place] as usize + 1] += u32::from(distinct(nodes, place));
            }
        }
        for node in 1..counts.len() {
            counts[node] += counts[node - 1];
        }
        self.starts.clone_from(&counts);
        let mut of = vec![0; counts.last().copied().unwrap_or_default() as usize];
        for row in 0..self.rows() as u32 {
            let Template { has_subject, is_first, is_rest, .. } = *self.template(row);
            let Row { template, start } = self.rows[row as usize];
            let length = self.templates[template as usize].nodes as usize;
            let nodes = &self.flat[start as usize..start as usize + length];
            for (place, &node) in nodes.iter().enumerate() {
                if distinct(nodes, place) {
                    of[counts[node as usize] as usize] = row;
                    counts[node as usize] += 1;
                }
                self.incoming[node as usize] += u32::from(place > 0 || !has_subject);
            }
            // another one of the same kind spoils the cell: NONE - 1 marks that
            let cell = &mut self.cells[nodes[0] as usize];
            for (is, place) in [(is_first, &mut cell.0), (is_rest, &mut cell.1)] {
                if is {
                    *place = if *place == NONE { row } else { NONE - 1 };
                }
            }
        }
        for cell in &mut self.cells {
            if cell.0 >= NONE - 1 || cell.1 >= NONE - 1 {
                *cell = (NONE, NONE);
            }
        }
        self.of = of;
    }
}
