//! Options that were given, checked against the table.

use super::StreamOptions;
use super::doors::Doors;
use super::formats::FormatWord;
use super::shape::Shape;
use super::table::{OptionRow, find};
use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// The value of an option.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "they are the shapes")]
pub enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    Names(Vec<String>),
    Bytes(Vec<u8>),
    Pairs(Vec<(String, String)>),
    Limits(Box<Limits>),
    Stream(Box<StreamOptions>),
}

/// The options that a caller gave to a function; the others have their defaults.
#[derive(Clone, Debug)]
pub struct Values {
    doors: Doors,
    given: Vec<(&'static OptionRow, Value)>,
}

fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

impl Values {
    /// None yet, of functions of these groups.
    pub fn new(doors: Doors) -> Self {
        Values { doors, given: Vec::new() }
    }

    /// The row of an option, if the function has it.
    pub fn row(&self, name: &str) -> Option<&'static OptionRow> {
        find(self.doors, name)
    }

    /// Gives an option a value.
    ///
    /// # Errors
    /// `argument`: the option does not exist, or cannot have this value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<()> {
        let Some(row) = self.row(name) else {
            return Err(argument(format!("there is no option {name}")));
        };
        match (row.shape, &value) {
            (Shape::Word(_) | Shape::Name([_, ..]) | Shape::Format(_), Value::Text(word)) => {
                let is_known = match row.shape {
                    Shape::Format(formats) => formats.find(word).is_some(),
                    shape => shape.words().contains(&word.as_str()),
                };
                if !is_known {
                    let words: Vec<_> = row.shape.words().iter().map(|word| format!("{word:?}")).collect();
                    return Err(argument(format!("{name} is {word:?}; it can be {}", words.join(", "))));
                }
            }
            (Shape::Number { least, .. }, Value::Number(number)) if *number < least => {
                return Err(argument(format!("{name} is {number}; it must be at least {least}")));
            }
            (Shape::Number { least, most, .. }, Value::Number(number)) if *number > most => {
                return Err(argument(format!("{name} is {number}; it must be from {least} to {most}")));
            }
            _ => {}
        }
        self.given.retain(|(other, _)| other.name != row.name);
        self.given.push((row, value));
        Ok(())
    }

    /// What was given.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|(row, _)| row.name == name).map(|(_, value)| value)
    }

    /// A flag that was given, else its default.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match (self.get(name), self.row(name).map(|row| row.shape)) {
            (Some(Value::Flag(flag)), _) => Some(*flag),
            (None, Some(Shape::Flag(default))) => default,
            _ => None,
        }
    }

    /// Whether a flag is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.flag(name) == Some(true)
    }

    /// The one of `all` that was given, else the first; they stand in the order of the words of the table, which may be
    /// fewer for some functions.
    pub fn choice<T: Copy, const N: usize>(&self, name: &str, all: [T; N]) -> T {
        let words = self.row(name).map(|row| row.shape.words()).unwrap_or_default();
        debug_assert!(words.len() <= N, "the words of {name}");
        let place = self.text(name).and_then(|given| words.iter().position(|word| *word == given));
        all[place.unwrap_or(0)]
    }

    /// A compression that was given; `None`: `auto`.
    pub fn compression(&self, name: &str) -> Option<Compression> {
        use Compression::{Bzip2, Gzip, None as Plain, Xz, Zstd};
        self.choice(name, [None, Some(Plain), Some(Gzip), Some(Zstd), Some(Bzip2), Some(Xz)])
    }

    /// A format that was given.
    pub fn format(&self, name: &str) -> FormatWord {
        match (self.text(name), self.row(name).map(|row| row.shape)) {
            (Some(word), Some(Shape::Format(formats))) => formats.find(word).unwrap_or(FormatWord::Auto),
            _ => FormatWord::Auto,
        }
    }

    /// A text that was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A number that was given.
    pub fn number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        match self.get(name) {
            Some(Value::Number(number)) => T::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Names that were given.
    pub fn names(&self, name: &str) -> Option<&[String]> {
        match self.get(name) {
            Some(Value::Names(names)) => Some(names),
            _ => None,
        }
    }

    /// State that was given.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        match self.get(name) {
            Some(Value::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// Labels and IRIs that were given.
    pub fn pairs(&self, name: &str) -> Option<&[(String, String)]> {
        match self.get(name) {
            Some(Value::Pairs(pairs)) => Some(pairs),
            _ => None,
        }
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        match self.get("limits") {
            Some(Value::Limits(limits)) => (**limits).clone(),
            _ => Limits::default(),
        }
    }

    /// The options of a stream that were given.
    pub fn stream(&self) -> Option<&StreamOptions> {
        match self.get("options") {
            Some(Value::Stream(options)) => Some(options),
            _ => None,
        }
    }
}
