//! The texts of the corpus are read as the plain reader reads them, with which its Jelly files are compared.

use crate::common::corpus;
use crate::common::rows::PatchRow;
use crate::common::shared::{read, shared};
use jelly_patch::text::{LinesOptions, PatchDialect};

#[test]
#[ignore = "needs ../shared"]
fn lines_and_patches_are_read_as_a_plain_reader_does() {
    let folder = shared("corpus");
    let mut files = [0; 2];
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".nt.gz") || name.ends_with(".nq.gz") {
            let bytes = read(&path);
            let options =
                LinesOptions { triples: name.ends_with(".nt.gz"), strict: true, generalized: false };
            let got = super::lines(&bytes, options, 1 << 18, usize::MAX);
            let text = String::from_utf8(bytes).expect("UTF-8");
            let expected = corpus::read_lines(&text);
            assert_eq!(got.error, None, "{name}");
            assert!(got.rows == expected, "{name}");
            files[0] += 1;
        } else if name.ends_with(".rdfp.gz") {
            let bytes = read(&path);
            let got = super::patch(&bytes, PatchDialect::Any, 1 << 18, usize::MAX);
            let mut all = vec![got];
            if name.starts_with("weather") {
                all.push(super::patch(&bytes, PatchDialect::Strict, 1 << 20, 1000));
                all.push(super::patch(&bytes, PatchDialect::V1, 1 << 17, 1000));
            }
            let expected = corpus::read_rdfp(std::str::from_utf8(&bytes).expect("UTF-8"));
            for got in all {
                assert_eq!(got.error, None, "{name}");
                let rows = got.rows.into_iter().filter(|row| row.op != "Z");
                let rows: Vec<_> = rows.map(|row| PatchRow { seq: 0, ..row }).collect();
                assert!(rows == expected, "{name}");
            }
            files[1] += 1;
        }
    }
    assert!(files[0] >= 5 && files[1] >= 3, "{files:?}");
}
