//! The three logs of the corpus through Thrift.

use super::trips::plain;
use super::{from_jelly, read};
use crate::common::core::Core;
use crate::common::rows::{Decoder, How};
use crate::common::shared::{read as file, shared};

#[test]
#[ignore = "needs ../shared"]
fn logs_come_back() {
    let folder = shared("corpus");
    let mut rows = 0;
    for name in ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"] {
        let jelly = file(&folder.join(format!("{name}.jellyp.gz")));
        let expected = Core::default().patch(&jelly, How::default());
        assert_eq!(expected.error, None, "{name}");
        let got = read(&from_jelly(&jelly, How::default()).expect("tags"));
        assert_eq!(got.error, None, "{name}");
        assert!(plain(&got.rows) == plain(&expected.rows), "{name}");
        rows += got.rows.len();
    }
    assert!(rows > 100_000, "{rows} rows");
}
