//! Streams between peers: messages are checked and encoded again, with options that both peers accept.
//!
//! A message is a frame without its length, as brokers and gRPC carry it.

mod asked;
mod onward;

pub use asked::met;

use crate::decode::{DecodeOptions, Framing, RdfDecoder};
use crate::error::Result;
use crate::options::RdfOptions;
use crate::push::Push;
use crate::wire::write_varint;
use onward::Onward;

/// The output of a relay.
#[derive(Clone, Debug)]
pub struct RelayOptions {
    /// The options of the output; `None`: those of the stream.
    pub options: Option<RdfOptions>,
    /// Reject a stream whose type differs from these options, instead of converting it.
    pub same_type: bool,
    /// The stream name of the output; `None`: the name in its options.
    pub stream_name: Option<String>,
    /// Maximum size of a frame in the output. Each message ends a frame. If frames have no meaning, an eighth
    /// of this size also ends a frame.
    pub frame_bytes: u64,
    /// The stream number for positions of blank nodes, if the relay continues a stream that others wrote; 0:
    /// none.
    pub stream: u64,
}

/// Checks a Jelly-RDF stream message by message, and encodes it again.
///
/// Each message becomes whole frames, and no part of it waits for the next message. An empty message of a
/// flat stream produces no output.
pub struct Relay {
    decoder: RdfDecoder,
    onward: Onward,
    message: Vec<u8>,
}

impl Relay {
    /// Creates a relay at the start of a stream.
    pub fn new(options: RelayOptions) -> Self {
        let decode = DecodeOptions { framing: Framing::Delimited, ..DecodeOptions::default() };
        let decoder = RdfDecoder::new(decode);
        let decoder = match options.stream {
            0 => decoder.before_another(),
            number => decoder.of_stream(number),
        };
        Relay { decoder, onward: Onward::new(options), message: Vec::new() }
    }

    /// Processes a message and returns its frames, each after its length. A message that is `passed` is
    /// decoded, because later messages depend on it, but produces no output.
    ///
    /// # Errors
    /// The message is invalid, or contains terms or rows that the options of the output exclude. After an
    /// error every call fails.
    pub fn push(&mut self, message: &[u8], passed: bool) -> Result<Vec<u8>> {
        self.message.clear();
        write_varint(&mut self.message, message.len() as u64);
        self.message.extend_from_slice(message);
        self.onward.passes = passed;
        self.decoder.decode(&self.message, &mut self.onward)?;
        Ok(self.onward.take())
    }

    /// Begins a new stream in the output, which can follow the previous output.
    pub fn restart(&mut self) {
        self.onward.restart();
    }

    /// The options of the stream, once they are read.
    pub fn options(&self) -> Option<&RdfOptions> {
        self.onward.found()
    }

    /// The options of the output, once they are known.
    pub fn written_options(&self) -> Option<&RdfOptions> {
        self.onward.options()
    }
}
