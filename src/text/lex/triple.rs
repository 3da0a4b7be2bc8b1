//! Quoted triples: `<<( s p o )>>` and `<< s p o >>`, level by level, without recursion.

use super::{Kind, Lex, Lexed, Lexer, Scratch, bad};
use crate::error::{Error, ErrorKind, Position};
use crate::term::{TermBuf, Triple};

/// An incomplete triple.
struct Open {
    start: usize,
    close: &'static str,
    terms: Vec<TermBuf>,
}

impl Lexer<'_> {
    #[cold]
    pub(super) fn triple(&mut self, scratch: &mut Scratch) -> Lex {
        let start = self.at;
        let mut open: Vec<Open> = Vec::new();
        let mut inner = Scratch::default();
        loop {
            if self.byte(self.at)? == b'<' && self.byte(self.at + 1)? == b'<' {
                if open.len() == self.rules.nesting {
                    return self.too_deep();
                }
                open.push(self.open()?);
            } else if let Some(last) = open.last_mut() {
                let term = self.term(&mut inner)?;
                last.terms.push(term.owned(self.text, &inner));
            }
            self.skip_space()?;
            // one closing token may close several levels
            while let Some(Open { terms, .. }) = open.last()
                && terms.len() == 3
            {
                let Some(Open { start: first, close, terms }) = open.pop() else { break };
                self.close(first, close)?;
                let Ok(terms) = <[TermBuf; 3]>::try_from(terms) else { break };
                let triple = Box::new(Triple { terms });
                let Some(outer) = open.last_mut() else {
                    scratch.triple = Some(triple);
                    return Ok(Lexed::at(Kind::Triple, start, self.at));
                };
                outer.terms.push(TermBuf::Triple(triple));
                self.skip_space()?;
            }
        }
    }

    /// Reads `<<(` or `<<`.
    fn open(&mut self) -> Lex<Open> {
        let start = self.at;
        let is_new = self.byte(start + 2)? == b'(';
        if !is_new && !self.rules.old_triples {
            return bad(ErrorKind::TextTerm, start, "expected a quoted triple as <<( s p o )>>");
        }
        self.at = start + 2 + usize::from(is_new);
        self.skip_space()?;
        Ok(Open { start, close: if is_new { ")>>" } else { ">>" }, terms: Vec::with_capacity(3) })
    }

    fn close(&mut self, first: usize, close: &str) -> Lex<()> {
        for &wanted in close.as_bytes() {
            if self.byte(self.at)? != wanted {
                let message = format!(
                    "expected {close} at the end of the quoted triple that begins {} bytes before",
                    self.at - first
                );
                return bad(ErrorKind::TextTerm, self.at, message);
            }
            self.at += 1;
        }
        Ok(())
    }

    fn too_deep(&self) -> Lex {
        let message = format!("quoted triples are nested more than {} deep", self.rules.nesting);
        let error = Error::limit(ErrorKind::LimitNesting, "nesting", message);
        let at = Position { offset: Some(self.at as u64), ..Position::default() };
        Err(super::Stop::Bad(error.located(&at)))
    }
}
