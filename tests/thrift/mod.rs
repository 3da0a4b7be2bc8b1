//! RDF Patch Thrift, both ways.

mod boundaries;
#[cfg(feature = "arrow")]
mod columns;
mod corpus;
mod hostile;
mod members;
#[cfg(feature = "arrow")]
mod repeats;
mod trips;
mod vectors;

use jelly_patch::decode::PatchDecoder;
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::thrift::{ThriftPatch, ThriftWriter};
use jelly_patch::{Error, ErrorKind, Limits};

use crate::common::core::{Collect, config};
use crate::common::rows::{Decoded, How, PatchRow};

/// Bytes of hexadecimal digits; white space and what follows `#` is left out.
pub fn hex(text: &str) -> Vec<u8> {
    let lines = text.lines().map(|line| line.split('#').next().expect("at least one part"));
    let digits: Vec<u8> = lines.flat_map(|line| line.bytes()).filter(|b| !b.is_ascii_whitespace()).collect();
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or_else(|| panic!("{b}")) as u8;
    digits.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The other way round.
pub fn digits(text: &str) -> String {
    text.bytes()
        .flat_map(|b| [b >> 4, b & 0xf])
        .map(|digit| char::from_digit(digit.into(), 16).expect("four bits"))
        .collect()
}

pub fn decoder(limits: &Limits) -> RowDecoder<ThriftPatch> {
    RowDecoder::new(ThriftPatch::new(limits, false), limits, None)
}

/// Rows of Thrift, in pieces and with pauses.
pub fn read_in(bytes: &[u8], limits: &Limits, chunk: usize, pause: usize) -> Decoded<PatchRow> {
    let mut sink = Collect::new(pause);
    sink.run(decoder(limits), bytes, chunk);
    sink.decoded
}

pub fn read(bytes: &[u8]) -> Decoded<PatchRow> {
    read_in(bytes, &Limits::default(), usize::MAX, usize::MAX)
}

/// The rows and the error with its position.
pub fn read_error(bytes: &[u8], limits: &Limits) -> Error {
    let (mut decoder, mut sink) = (decoder(limits), Collect::<PatchRow>::new(usize::MAX));
    let pushed = decoder.decode(bytes, &mut sink).and_then(|_| decoder.finish(&mut sink));
    pushed.expect_err("not valid")
}

/// Pushes all of a stream into a writer.
pub fn write(mut decoder: impl Push<ThriftWriter>, bytes: &[u8]) -> jelly_patch::Result<Vec<u8>> {
    let (mut writer, mut out, mut rest) = (ThriftWriter::new(), Vec::new(), bytes);
    while !rest.is_empty() {
        rest = &rest[decoder.decode(rest, &mut writer)?..];
        out.append(writer.output());
    }
    while !decoder.finish(&mut writer)? {
        out.append(writer.output());
    }
    writer.finish().expect("memory");
    out.append(writer.output());
    Ok(out)
}

/// Jelly-Patch as Thrift, which has no place for an empty language tag, or for a header after changes.
pub fn from_jelly(bytes: &[u8], how: How) -> jelly_patch::Result<Vec<u8>> {
    let written = write(PatchDecoder::new(config(how)), bytes);
    let kind = written.as_ref().err().map(Error::kind);
    assert!(matches!(kind, None | Some(ErrorKind::EncodeTerm | ErrorKind::EncodeHeader)), "{written:?}");
    written
}

/// Thrift as Thrift.
pub fn again(bytes: &[u8]) -> Vec<u8> {
    write(decoder(&Limits::default()), bytes).expect("valid")
}
