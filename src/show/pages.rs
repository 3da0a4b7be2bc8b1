//! Selects the blocks that fit into the output, and their order.

use std::collections::{BTreeMap, HashSet};

use super::block::Block;
use super::gathered::Mark;
use super::names::Names;
use super::options::{Form, ShowOptions};
use super::summary::Summary;
use super::text::{Text, left_out};
use super::{html, json, markdown};
use crate::error::Result;
use crate::io::Output;

/// Default maximum of lines of text, characters of Markdown, and lines of HTML.
const LINES: usize = 500;
const CHARACTERS: usize = 65_000;
const HTML_LINES: usize = 20_000;

/// A selected block: whether its subject is new, changed or gone, its class, and its text.
pub(super) type Chosen = (Mark, Option<String>, String);

/// The blocks of each class in order; those without a class come last.
pub(super) fn classes(blocks: &[Chosen]) -> BTreeMap<(bool, &str), Vec<&str>> {
    let mut classes: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (_, class, block) in blocks {
        let class = (class.is_none(), class.as_deref().unwrap_or("(no class)"));
        classes.entry(class).or_default().push(block.as_str());
    }
    classes
}

/// The output, which receives the most important blocks first, or JSON blocks in any order.
pub(super) struct Page<'a> {
    options: &'a ShowOptions,
    names: &'a Names,
    summary: &'a Summary,
    out: Output,
    blocks: Vec<Block>,
    /// Number of JSON blocks that were written.
    written: usize,
    left: [u64; 3],
    /// The reason why there is no block.
    nothing: Option<String>,
}

impl<'a> Page<'a> {
    pub(super) fn begin(
        options: &'a ShowOptions,
        names: &'a Names,
        summary: &'a Summary,
        mut out: Output,
    ) -> Result<Self> {
        if options.form == Form::Json {
            out.write(json::begin(summary).as_bytes())?;
        }
        Ok(Page { options, names, summary, out, blocks: Vec::new(), written: 0, left: [0; 3], nothing: None })
    }

    fn most(&self) -> usize {
        let most = match self.options.form {
            Form::Text => LINES,
            Form::Markdown => CHARACTERS,
            Form::Html => HTML_LINES,
            Form::Json => usize::MAX,
        };
        self.options.max_lines.unwrap_or(most)
    }

    /// Whether no more blocks fit, however small.
    pub(super) fn is_full(&self) -> bool {
        let least = if self.options.form == Form::Markdown { 20 } else { 1 };
        self.written + self.blocks.len() >= self.most() / least
    }

    /// Whether there are no blocks.
    pub(super) fn is_empty(&self) -> bool {
        self.written + self.blocks.len() == 0 && self.left == [0; 3]
    }

    /// Sets the reason why there are no blocks; JSON has no place for it.
    pub(super) fn say(&mut self, nothing: String) {
        self.nothing = Some(nothing);
    }

    /// Counts a block that is not shown.
    pub(super) fn leave_out(&mut self, mark: Mark) {
        self.left[mark as usize] += 1;
    }

    pub(super) fn take(&mut self, block: Block) -> Result<()> {
        if self.options.form != Form::Json {
            self.blocks.push(block);
            return Ok(());
        }
        let comma = if self.written == 0 { "" } else { "," };
        self.written += 1;
        self.out.write(format!("{comma}\n{}", json::block(&block)).as_bytes())
    }

    /// Writes the blocks; returns the numbers of subjects that are not shown.
    pub(super) fn finish(mut self) -> Result<[u64; 3]> {
        match self.options.form {
            Form::Text => self.text()?,
            Form::Markdown => self.markdown()?,
            Form::Html => self.html()?,
            Form::Json => self.out.write(json::end(self.left).as_bytes())?,
        }
        self.out.finish()?;
        Ok(self.left)
    }

    fn text(&mut self) -> Result<()> {
        let text = Text::new(self.names, self.options.width, self.options.colour);
        let summary = text.summary(self.summary);
        let lines = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count();
        let room = self.most().saturating_sub(lines(&summary));
        let blocks = self.chosen(room, |block, folded| text.block(block, folded), lines);
        self.out.write(summary.as_bytes())?;
        for (_, _, block) in blocks {
            self.out.write(block.as_bytes())?;
        }
        self.more(|line| line)
    }

    fn markdown(&mut self) -> Result<()> {
        let summary = markdown::summary(self.summary, self.names);
        let room = self.most().saturating_sub(summary.chars().count() + 200);
        let classes: HashSet<_> = self.blocks.iter().filter_map(|block| self.class(block)).collect();
        let around = (markdown::AROUND * (classes.len() + 1)).min(room / 2);
        let show = |block: &Block, folded: bool| markdown::block(block, self.names, folded);
        let mut blocks = self.chosen(room - around, show, |text| text.chars().count());
        let mut details = markdown::by_class(&blocks);
        while details.chars().count() > room
            && let Some((mark, ..)) = blocks.pop()
        {
            self.left[mark as usize] += 1;
            details = markdown::by_class(&blocks);
        }
        self.out.write(summary.as_bytes())?;
        self.out.write(details.as_bytes())?;
        self.more(|line| line)
    }

    fn html(&mut self) -> Result<()> {
        let lines = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count();
        let blocks = self.chosen(self.most(), |block, _| html::block(block, self.names), lines);
        let page = html::Html { names: self.names, summary: self.summary, fragment: self.options.fragment };
        self.out.write(page.begin().as_bytes())?;
        for piece in html::by_class(&blocks) {
            self.out.write(piece.as_bytes())?;
        }
        self.more(|line| format!("<p class=\"jelly-more\">{}</p>\n", html::escaped(&line)))?;
        self.out.write(page.end().as_bytes())
    }

    fn class(&self, block: &Block) -> Option<String> {
        block.classes.first().map(|class| self.names.term(class))
    }

    /// Writes what is not shown.
    fn more(&mut self, form: impl Fn(String) -> String) -> Result<()> {
        match self.nothing.take().or_else(|| left_out(self.left)) {
            Some(line) => self.out.write((form(line) + "\n").as_bytes()),
            None => Ok(()),
        }
    }

    /// The blocks that fit, in reading order: changed, gone, new, each sorted by class and name. Each has its
    /// class. If not all fit, blocks are folded, and the least important ones are left out.
    fn chosen(
        &mut self,
        room: usize,
        show: impl Fn(&Block, bool) -> String,
        size: impl Fn(&str) -> usize,
    ) -> Vec<Chosen> {
        let whole: Vec<String> = self.blocks.iter().map(|block| show(block, false)).collect();
        let mut left = room;
        let mut fits = |text: &String| {
            let fits = size(text) <= left;
            left -= if fits { size(text) } else { 0 };
            fits
        };
        let is_all = self.left == [0; 3] && whole.iter().all(&mut fits);
        let mut chosen: Vec<(&Block, String)> = Vec::new();
        if is_all {
            chosen = self.blocks.iter().zip(whole).collect();
        } else {
            drop(whole);
            let mut left = room.saturating_sub(1);
            for block in &self.blocks {
                let text = show(block, true);
                if size(&text) <= left {
                    left -= size(&text);
                    chosen.push((block, text));
                } else {
                    self.left[block.mark as usize] += 1;
                }
            }
        }
        chosen.sort_by_cached_key(|(block, _)| (block.mark, block.name(self.names)));
        chosen.into_iter().map(|(block, text)| (block.mark, self.class(block), text)).collect()
    }
}
