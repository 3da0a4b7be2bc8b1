//! What is encoded decodes to the same rows: through the crate's decoder and through the independent one.

use jelly_patch::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, Framing, PatchEncoder, RdfEncoder};
use jelly_patch::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType, TableSizes,
};
use jelly_patch::sink::{PatchSink, RdfSink, Sink};
use jelly_patch::{ErrorClass, Result};

use crate::common::core::{Core, config};
use crate::common::rows::{self, Decoded, Decoder, How, PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::oracle::Oracle;
use crate::oracle::generate::rng::Rng;
use crate::oracle::generate::{Format, stream};

const STREAMS: u64 = 6_000;
