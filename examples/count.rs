//! Counts the statements that patches add and delete: `cargo run --example count -- FILE`.

use jelly_patch::open::{OpenOptions, open_patch};
use jelly_patch::{PatchOpBuf, Result};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("examples/brick-versions.jellyp.gz".into());
    let (mut added, mut deleted) = (0, 0);
    for row in open_patch(path.into(), &OpenOptions::default())?.rows() {
        match row?.op {
            PatchOpBuf::Add(_) => added += 1,
            PatchOpBuf::Delete(_) => deleted += 1,
            _ => {}
        }
    }
    println!("{added} added, {deleted} deleted");
    Ok(())
}
