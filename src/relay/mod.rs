//! Streams between peers: messages that are checked and encoded again, and the options on which two peers agree.
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

/// What a stream becomes.
#[derive(Clone, Debug)]
pub struct RelayOptions {
    /// The options of what is written; `None`: those of the stream.
    pub options: Option<RdfOptions>,
    /// Reject a stream that is of another type than these options, rather than write it as that.
    pub same_type: bool,
    /// The name of what is written; `None`: that of its options.
    pub stream_name: Option<String>,
    /// The longest frame that is written. Each message ends a frame, and where frames have no meaning, so does an eighth
    /// of these bytes.
    pub frame_bytes: u64,
    /// The number that positions of blank nodes get, where others write what this relay continues; 0: none.
    pub stream: u64,
}

/// Checks a Jelly-RDF stream message by message, and encodes it again.
///
/// Each message becomes whole frames: nothing of it waits for the next one. An empty message of a flat stream
/// becomes nothing.
pub struct Relay {
    decoder: RdfDecoder,
    onward: Onward,
    message: Vec<u8>,
}

impl Relay {
    /// A relay at the start of a stream.
    pub fn new(options: RelayOptions) -> Self {
        let decode = DecodeOptions { framing: Framing::Delimited, ..DecodeOptions::default() };
        let decoder = RdfDecoder::new(decode);
        let decoder = match options.stream {
            0 => decoder.before_another(),
            number => decoder.of_stream(number),
        };
        Relay { decoder, onward: Onward::new(options), message: Vec::new() }
    }

    /// Takes a message; returns the frames that it became, each after its length. A message that is `passed` is
    /// decoded, since later ones build on it, and becomes nothing.
    ///
    /// # Errors
    /// The message is bad, or holds what the options of the output exclude. After an error every call fails.
    pub fn push(&mut self, message: &[u8], passed: bool) -> Result<Vec<u8>> {
        self.message.clear();
        write_varint(&mut self.message, message.len() as u64);
        self.message.extend_from_slice(message);
        self.onward.passes = passed;
        self.decoder.decode(&self.message, &mut self.onward)?;
        Ok(self.onward.take())
    }

    /// What is written next is a stream of its own, which can stand behind what was written before.
    pub fn restart(&mut self) {
        self.onward.restart();
    }

    /// The options of the stream, once they came.
    pub fn options(&self) -> Option<&RdfOptions> {
        self.onward.found()
    }

    /// The options of what is written, once they are known.
    pub fn written_options(&self) -> Option<&RdfOptions> {
        self.onward.options()
    }
}
