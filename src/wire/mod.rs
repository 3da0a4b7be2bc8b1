//! The rules of protobuf on the wire, and nothing of Jelly.

mod cursor;
mod fault;
#[cfg(feature = "python")]
mod message;
mod varint;
mod write;

pub(crate) use cursor::{Cursor, FIXED32, FIXED64, GROUP_END, GROUP_START, Key, LEN, VARINT, last_tag};
pub(crate) use fault::Fault;
#[cfg(feature = "python")]
pub(crate) use message::{Value, read_fields, write_fields};
pub(crate) use varint::{MAX_VARINT, Varint, read_varint, write_varint};
pub(crate) use write::{Buffer, Open, SHORT_HEAD, varint_len};
