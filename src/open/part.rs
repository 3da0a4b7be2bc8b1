//! Parts of a file: Jelly from one sync point to another, text from one line to another.

use std::fs::File;
use std::io::{Cursor, Read};

use super::part_of::{PartOf, TextState};
use super::{Committed, JellyReader, OpenOptions, PushTwice, argument, lines_options, locate, patch_dialect};
use crate::decode::{Decoder, Dialect, PatchDecoder};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::format::{AnyFormat, PatchFormat, RdfFormat};
use crate::index::{Bytes, ToOptions, enter};
use crate::io::{Compression, Opened, Source, Stream};
use crate::reader::{End, Part, Reader, RowSource};
use crate::rows::RowDecoder;
use crate::sink::{PatchSink, RdfSink};
use crate::text::{HEAD, Place, Places, TextKind, TextRows};

impl OpenOptions {
    /// Whether only a part is requested.
    pub(crate) fn is_part(&self) -> bool {
        let is_split = self.split.as_ref().is_some_and(|split| !split.is_whole());
        is_split || self.end.is_some() || self.start.is_some_and(|start| start > 0)
    }

    /// What cannot be requested together; and a split is of the file as it was.
    pub(super) fn check_part(&self, source: &Source) -> Result<()> {
        if let Some(split) = &self.split {
            if self.start.is_some() || self.end.is_some() || self.resume.is_some() {
                return Err(argument("split cannot be used with start, end or resume"));
            }
            if self.committed && !split.whole_patches {
                let message =
                    "rows=\"committed\" needs splits with whole patches; make them with whole_patches";
                return Err(argument(message));
            }
            let identity = &split.identity;
            match source.size()? {
                Some(size) if size == identity.size => {}
                Some(size) => {
                    let then = identity.size;
                    let message = format!(
                        "the file changed since it was split: it had {then} bytes and has {size} now; split it again"
                    );
                    return Err(Error::new(ErrorKind::Io, message));
                }
                None => return Err(argument("only files and bytes in memory can be read in splits")),
            }
            if let Source::Path(path) = source
                && !identity.is_of(File::open(path)?)?
            {
                let message = "the file changed since it was split: it was modified; split it again";
                return Err(Error::new(ErrorKind::Io, message));
            }
        }
        if self.is_part() && self.resume.is_some() {
            return Err(argument("resume cannot be used with start and end"));
        }
        Ok(())
    }

    /// The part that is requested; it is checked that the format is still the same.
    fn range(&self, format: AnyFormat) -> Result<(u64, Option<u64>)> {
        let (start, end) = match &self.split {
            Some(split) if split.format != format => {
                return Err(argument(format!(
                    "this split belongs to a file in the format {}",
                    split.format.name()
                )));
            }
            Some(split) => (split.start, split.end),
            None => (self.start.unwrap_or(0), self.end),
        };
        if end.is_some_and(|end| end <= start) {
            return Err(argument("end is not after start"));
        }
        Ok((start, end))
    }
}

/// A part that can be opened more than once.
struct Ask<'o> {
    source: Source,
    compression: Compression,
    range: (u64, Option<u64>),
    options: &'o OpenOptions,
}

impl<'o> Ask<'o> {
    fn new(opened: &mut Opened, format: AnyFormat, options: &'o OpenOptions) -> Result<Self> {
        let range = options.range(format)?;
        let source = opened.again.take();
        let source = source.ok_or_else(|| argument("start and end need a file or bytes in memory"))?;
        Ok(Ask { source, compression: opened.compression, range, options })
    }

    fn source(&self) -> Result<Source> {
        self.source.again().ok_or_else(|| argument("the file no longer exists"))
    }

    fn jelly<D: Dialect<ToOptions>>(&self) -> Result<Part<Decoder<D>>> {
        let known = self.options.split.as_ref().map(|split| &split.identity);
        let OpenOptions { decode, committed, .. } = self.options;
        enter(self.source()?, self.compression, self.range, decode, known, *committed)
    }

    /// Where a part of text begins and ends: as its split says, or by a walk over the bytes before.
    fn places(&self, stream: Stream, kind: TextKind) -> Result<TextPlaces> {
        let (start, end) = self.range;
        if let Some(PartOf { text: Some(text), .. }) = &self.options.split {
            let TextState { place, end_rows, checksum } = *text;
            let end = end.map(|offset| End { offset, rows: end_rows, ends_stream: false });
            return Ok(TextPlaces { place, end, checksum: Some(checksum) });
        }
        let bytes = Bytes::open(self.source()?, Some(self.compression), &self.options.decode.limits)?;
        if start > bytes.len() {
            return Err(argument(format!("byte {start} is after the end, which is at {}", bytes.len())));
        }
        let mut places = Places::new(stream.into_reader(), kind, &self.options.decode.limits);
        let mut find = |least: u64| places.next(least, self.options.committed, &mut || Ok(()));
        let place = if start == 0 { Some(Place::START) } else { find(start)? };
        let Some(place) = place else {
            // no row begins in the part
            let place = Place { offset: bytes.len(), ..Place::START };
            let end = Some(End { offset: place.offset, rows: 0, ends_stream: false });
            return Ok(TextPlaces { place, end, checksum: None });
        };
        let end = match end.map(find) {
            Some(Ok(Some(end))) => {
                Some(End { offset: end.offset, rows: end.counters.seq, ends_stream: false })
            }
            Some(Err(error)) if error.kind() == ErrorKind::Io => return Err(error),
            // the part goes on to the end, or has the error in it
            Some(Ok(None) | Err(_)) | None => None,
        };
        Ok(TextPlaces { place, end, checksum: None })
    }

    /// The bytes of a part of text, and a decoder for them.
    fn text<P>(&self, places: &TextPlaces, decoder: P) -> Result<Part<P>> {
        let limits = &self.options.decode.limits;
        let start = places.place.offset;
        let mut stream = Bytes::open(self.source()?, Some(self.compression), limits)?.stream_at(start)?;
        if let Some(checksum) = places.checksum {
            let head;
            (head, stream) = peek(stream, start)?;
            if crc32c::crc32c(&head) != checksum {
                let error = Error::new(ErrorKind::Io, "the file changed since it was split");
                return Err(error.located(&Position { offset: Some(start), ..Position::default() }));
            }
        }
        Ok(Part { decoder, stream, start, end: places.end, warnings: Vec::new() })
    }
}

/// Where a part of text begins and ends.
struct TextPlaces {
    place: Place,
    end: Option<End>,
    /// Of its first bytes.
    checksum: Option<u32>,
}

/// The first bytes of a part, which stay where they are.
fn peek(stream: Stream, start: u64) -> Result<(Vec<u8>, Stream)> {
    match stream {
        Stream::Bytes(bytes) => {
            let rest = (*bytes).as_ref().get(start as usize..).unwrap_or_default();
            Ok((rest[..rest.len().min(HEAD)].to_vec(), Stream::Bytes(bytes)))
        }
        Stream::Reader(mut reader) => {
            let mut head = Vec::new();
            (&mut reader).take(HEAD as u64).read_to_end(&mut head)?;
            Ok((head.clone(), Stream::Reader(Box::new(Cursor::new(head).chain(reader)))))
        }
    }
}

impl AnyFormat {
    /// How a text is walked over; `None`: it is none that can be entered between lines.
    pub(crate) fn text_kind(self) -> Option<TextKind> {
        match self {
            AnyFormat::Rdf(RdfFormat::NTriples | RdfFormat::NQuads) => Some(TextKind::Lines),
            AnyFormat::Patch(PatchFormat::RdfPatch) => Some(TextKind::Patch),
            _ => None,
        }
    }

    #[cold]
    fn refused<T>(self) -> Result<T> {
        let (title, why) = match self {
            AnyFormat::Patch(PatchFormat::RdfPatchV1) => {
                (PatchFormat::RdfPatchV1.title(), ": its rows need the prefixes and the row before them")
            }
            AnyFormat::Patch(format) => (format.title(), ""),
            AnyFormat::Rdf(format) => (format.title(), ""),
        };
        Err(argument(format!("{title} cannot be read from the middle{why}")))
    }
}

/// Statements of a part of Jelly.
pub(super) fn jelly(mut opened: Opened, options: &OpenOptions) -> Result<JellyReader> {
    let ask = Ask::new(&mut opened, AnyFormat::Rdf(RdfFormat::Jelly), options);
    ask.and_then(|ask| ask.jelly()).map(Reader::of_part).map_err(|error| locate(options, error))
}

/// Statements of a part of lines.
pub(super) fn lines<S: RdfSink>(
    mut opened: Opened,
    format: RdfFormat,
    options: &OpenOptions,
) -> Result<Box<dyn RowSource<S>>> {
    let rows = || -> Result<Box<dyn RowSource<S>>> {
        let any = AnyFormat::Rdf(format);
        let ask = Ask::new(&mut opened, any, options)?;
        let Some(kind) = any.text_kind() else { return any.refused() };
        let places = ask.places(opened.stream, kind)?;
        let config = &options.decode;
        let rows = TextRows::enter_lines(lines_options(format, config), &places.place, &config.limits);
        let decoder = RowDecoder::enter(rows, places.place.offset, &config.limits, config.source.clone());
        Ok(Box::new(Reader::of_part(ask.text(&places, decoder)?)))
    };
    rows().map_err(|error| locate(options, error))
}

/// Rows of patches of a part.
pub(super) fn patch<S: PatchSink>(
    mut opened: Opened,
    format: PatchFormat,
    options: &OpenOptions,
) -> Result<Box<dyn RowSource<S>>> {
    let rows = || {
        let any = AnyFormat::Patch(format);
        let ask = Ask::new(&mut opened, any, options)?;
        if any.is_jelly() {
            return rows_of(options, || {
                let mut part: Part<PatchDecoder> = ask.jelly()?;
                if options.committed {
                    part.decoder.keep_half();
                }
                Ok(part)
            });
        }
        let Some(kind) = any.text_kind() else { return any.refused() };
        let places = ask.places(opened.stream, kind)?;
        let config = &options.decode;
        rows_of(options, || {
            let dialect = patch_dialect(config);
            let rows = TextRows::enter_patch(dialect, config.strict, &places.place, &config.limits);
            let decoder = RowDecoder::enter(rows, places.place.offset, &config.limits, config.source.clone());
            ask.text(&places, decoder)
        })
    };
    rows().map_err(|error| locate(options, error))
}

/// All rows of a part, or those that two readers agree on.
fn rows_of<S, D>(options: &OpenOptions, part: impl Fn() -> Result<Part<D>>) -> Result<Box<dyn RowSource<S>>>
where
    S: PatchSink,
    D: PushTwice<S> + Send + 'static,
{
    let reader = || part().map(Reader::of_part);
    Ok(if options.committed { Box::new(Committed::of([reader()?, reader()?])) } else { Box::new(reader()?) })
}
