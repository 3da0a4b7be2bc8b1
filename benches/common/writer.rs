//! A plain writer of Jelly, for measuring only: tables fill in turn, ids are explicit.

use std::collections::HashMap;

const NAMES: u64 = 4000;
const PREFIXES: u64 = 150;
const ROWS_A_FRAME: usize = 256;
const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";

pub enum Object {
    Iri(String),
    Plain(String),
    Typed(String),
    Language(String, &'static str),
}

/// Field numbers of a row, which differ between the formats.
struct Rows {
    statement: u8,
    name: u8,
    prefix: u8,
    datatype: u8,
    has_graph: bool,
}

pub struct Writer {
    rows: Rows,
    out: Vec<u8>,
    frame: Vec<u8>,
    rows_in_frame: usize,
    names: Table,
    prefixes: Table,
    last: [String; 4],
}

struct Table {
    ids: HashMap<String, u64>,
    values: Vec<String>,
    next: u64,
    size: u64,
    /// The last ids: a row has at most four, and must not lose an entry that it uses.
    recent: [u64; 4],
}

impl Table {
    fn new(size: u64) -> Self {
        Table {
            ids: HashMap::new(),
            values: vec![String::new(); size as usize + 1],
            next: 0,
            size,
            recent: [0; 4],
        }
    }

    /// The id, and whether it is new.
    fn id(&mut self, value: &str) -> (u64, bool) {
        self.recent.rotate_left(1);
        if let Some(&id) = self.ids.get(value) {
            self.recent[3] = id;
            return (id, false);
        }
        self.next = self.next % self.size + 1;
        while self.recent.contains(&self.next) {
            self.next = self.next % self.size + 1;
        }
        self.recent[3] = self.next;
        let slot = &mut self.values[self.next as usize];
        self.ids.remove(slot);
        value.clone_into(slot);
        self.ids.insert(value.to_owned(), self.next);
        (self.next, true)
    }
}

impl Writer {
    pub fn rdf(quads: bool) -> Self {
        let statement = if quads { 3 } else { 2 };
        let rows = Rows { statement, name: 9, prefix: 10, datatype: 11, has_graph: quads };
        let physical = if quads { 2 } else { 1 };
        let mut options = Vec::new();
        number(&mut options, 2, physical);
        Writer::new(rows, options)
    }

    pub fn patch() -> Self {
        let rows = Rows { statement: 2, name: 11, prefix: 12, datatype: 13, has_graph: true };
        let mut options = Vec::new();
        number(&mut options, 1, 2);
        number(&mut options, 2, 2);
        Writer::new(rows, options)
    }

    fn new(rows: Rows, mut options: Vec<u8>) -> Self {
        for (field, value) in [(9, NAMES), (10, PREFIXES), (11, 8), (15, 1)] {
            number(&mut options, field, value);
        }
        let mut writer = Writer {
            rows,
            out: Vec::new(),
            frame: Vec::new(),
            rows_in_frame: 0,
            names: Table::new(NAMES),
            prefixes: Table::new(PREFIXES),
            last: Default::default(),
        };
        writer.row(1, &options);
        writer.entry(writer.rows.datatype, 1, INTEGER);
        writer
    }

    /// Adds a statement; says how many bytes its canonical text has.
    pub fn statement(&mut self, subject: String, predicate: String, object: Object, graph: String) -> u64 {
        let mut row = Vec::new();
        let mut text = 0;
        for (place, iri) in [(0, subject), (1, predicate), (3, graph)] {
            if place == 3 {
                text += self.object(&mut row, &object);
            }
            text += if iri.is_empty() { 0 } else { iri.len() as u64 + 2 };
            if place == 3 && !self.rows.has_graph || self.last[place] == iri && !iri.is_empty() {
                continue;
            }
            match iri.as_str() {
                "" => bytes(&mut row, 15, &[]),
                iri => {
                    let iri = self.iri(iri);
                    bytes(&mut row, 4 * place as u64 + 1, &iri);
                }
            }
            self.last[place] = iri;
        }
        self.row(self.rows.statement, &row);
        text
    }

    fn object(&mut self, row: &mut Vec<u8>, object: &Object) -> u64 {
        let mut literal = Vec::new();
        let text = match object {
            Object::Iri(iri) => {
                let ids = self.iri(iri);
                bytes(row, 9, &ids);
                return iri.len() as u64 + 2;
            }
            Object::Plain(lex) => {
                bytes(&mut literal, 1, lex.as_bytes());
                lex.len() + 2
            }
            Object::Typed(lex) => {
                bytes(&mut literal, 1, lex.as_bytes());
                number(&mut literal, 3, 1);
                lex.len() + 2 + 4 + INTEGER.len()
            }
            Object::Language(lex, tag) => {
                bytes(&mut literal, 1, lex.as_bytes());
                bytes(&mut literal, 2, tag.as_bytes());
                lex.len() + 3 + tag.len()
            }
        };
        bytes(row, 11, &literal);
        text as u64
    }

    /// The ids of an IRI; writes the entries it needs first.
    fn iri(&mut self, iri: &str) -> Vec<u8> {
        let cut = iri.rfind(['/', '#']).map_or(0, |at| at + 1);
        let (prefix, name) = iri.split_at(cut);
        let mut ids = Vec::new();
        let (id, is_new) = self.prefixes.id(prefix);
        if is_new {
            self.entry(self.rows.prefix, id, prefix);
        }
        number(&mut ids, 1, id);
        let (id, is_new) = self.names.id(name);
        if is_new {
            self.entry(self.rows.name, id, name);
        }
        number(&mut ids, 2, id);
        ids
    }

    fn entry(&mut self, field: u8, id: u64, value: &str) {
        let mut entry = Vec::new();
        number(&mut entry, 1, id);
        bytes(&mut entry, 2, value.as_bytes());
        self.row(field, &entry);
    }

    fn row(&mut self, field: u8, message: &[u8]) {
        let mut row = Vec::new();
        bytes(&mut row, field.into(), message);
        bytes(&mut self.frame, 1, &row);
        self.rows_in_frame += 1;
        if self.rows_in_frame == ROWS_A_FRAME {
            self.end_frame();
        }
    }

    fn end_frame(&mut self) {
        varint(&mut self.out, self.frame.len() as u64);
        self.out.append(&mut self.frame);
        self.rows_in_frame = 0;
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.end_frame();
        self.out
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}
