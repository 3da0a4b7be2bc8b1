//! Counts the statements that patches add and delete: `cargo run --example count -- FILE`.

use std::path::PathBuf;

use jelly_patch::Result;
use jelly_patch::io::Source;
use jelly_patch::open::{OpenOptions, open_patch};
use jelly_patch::reader::Feed;
use jelly_patch::sink::{PatchOp, PatchRow, PatchSink, Sink};

#[derive(Default)]
struct Count([u64; 2]);

impl Sink for Count {}

impl PatchSink for Count {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        match row.op {
            PatchOp::Add(_) => self.0[0] += 1,
            PatchOp::Delete(_) => self.0[1] += 1,
            _ => {}
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let path = PathBuf::from(std::env::args().nth(1).unwrap_or("examples/brick-versions.jellyp.gz".into()));
    let mut found = open_patch(Source::Path(path), &OpenOptions::default())?;
    let mut count = Count::default();
    while !found.feed.advance(&mut count, &mut || Ok(()))? {}
    println!("{} added, {} deleted", count.0[0], count.0[1]);
    Ok(())
}
