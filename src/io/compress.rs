//! Compresses output with gzip and zstd.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use zstd::stream::raw::{CParameter, Encoder, Operation};
use zstd::stream::zio;

use super::seek_table::{Frame, encode};
use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Result};

/// A larger zstd frame is divided automatically, because a seek table has 32-bit sizes.
const MOST_FRAME: u64 = 1 << 30;
/// Bytes passed to gzip at a time.
const BLOCK: usize = 64 << 10;
/// The largest window that readers accept by default.
const WINDOW_LOG: u32 = 25;

/// Compresses the output.
pub(super) enum Compressor<W: Write> {
    Plain(W),
    Gzip(Box<GzipBlocks<W>>),
    Zstd(Box<ZstdFrames<W>>),
}

impl<W: Write> Compressor<W> {
    pub(super) fn new(inner: W, compression: Compression, level: Option<i32>) -> Result<Self> {
        let inner = Counted { inner, bytes: 0, abandoned: false };
        match (compression, level) {
            (Compression::None, None) => Ok(Compressor::Plain(inner.inner)),
            (Compression::Gzip, level @ (None | Some(0..=9))) => {
                let level = flate2::Compression::new(level.map_or(6, i32::unsigned_abs));
                let gzip = GzEncoder::new(inner, level);
                Ok(Compressor::Gzip(Box::new(GzipBlocks { gzip, block: Vec::with_capacity(BLOCK) })))
            }
            (Compression::Zstd, level @ (None | Some(1..=22))) => {
                Ok(Compressor::Zstd(Box::new(ZstdFrames::new(inner, level.unwrap_or(3))?)))
            }
            (Compression::Bzip2 | Compression::Xz, _) => {
                let message =
                    format!("{} can be read, but not written; use gzip or zstd", compression.name());
                Err(Error::new(ErrorKind::Argument, message))
            }
            (_, level) => {
                let levels = match compression {
                    Compression::None => "no level",
                    Compression::Gzip => "levels 0 to 9",
                    _ => "levels 1 to 22",
                };
                let message = format!("{} has {levels}, not {}", compression.name(), level.unwrap_or(0));
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Compressor::Plain(inner) => inner.write_all(bytes),
            Compressor::Gzip(gzip) => gzip.write_all(bytes),
            Compressor::Zstd(zstd) => zstd.write_all(bytes),
        }
    }

    /// Ends the zstd frame.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        match self {
            Compressor::Zstd(zstd) => zstd.cut(),
            Compressor::Plain(_) | Compressor::Gzip(_) => Ok(()),
        }
    }

    /// Writes out everything so that it can be read.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressor::Plain(inner) => inner.flush(),
            Compressor::Gzip(gzip) => gzip.flush(),
            Compressor::Zstd(zstd) => zstd.flush(),
        }
    }

    /// Stops writing, so that unfinished output does not look finished, even when the compressor is dropped.
    pub(super) fn abandon(mut self) {
        if let Compressor::Gzip(gzip) = &mut self {
            gzip.gzip.get_mut().abandoned = true; // flate2 writes the end when it is dropped
        }
    }

    /// Ends the compression.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Compressor::Plain(inner) => Ok(inner),
            Compressor::Gzip(gzip) => gzip.finish(),
            Compressor::Zstd(zstd) => zstd.finish(),
        }
    }
}

/// Counts the output bytes.
pub(super) struct Counted<W> {
    inner: W,
    bytes: u64,
    abandoned: bool,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.abandoned {
            return Err(broken());
        }
        let n = self.inner.write(bytes)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Passes blocks of a fixed size to gzip, because its output depends on the pieces of the input.
pub(super) struct GzipBlocks<W: Write> {
    gzip: GzEncoder<Counted<W>>,
    block: Vec<u8>,
}

impl<W: Write> GzipBlocks<W> {
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK {
                self.end_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.gzip.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.end_block()?;
        self.gzip.flush()
    }

    fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        self.gzip.finish().map(|counted| counted.inner)
    }
}

/// Writes zstd frames, and a seek table if there are several.
pub(super) struct ZstdFrames<W: Write> {
    /// `None` if an error occurred between two frames.
    writer: Option<zio::Writer<Counted<W>, Encoder<'static>>>,
    frames: Vec<Frame>,
    /// The start of the open frame in the compressed bytes.
    start: u64,
    /// Number of bytes that were written to the open frame.
    plain: u64,
    most: u64,
}

impl<W: Write> ZstdFrames<W> {
    fn new(inner: Counted<W>, level: i32) -> io::Result<Self> {
        let mut encoder = Encoder::new(level)?;
        encoder.set_parameter(CParameter::ChecksumFlag(true))?;
        if level > 19 {
            encoder.set_parameter(CParameter::WindowLog(WINDOW_LOG))?;
        }
        let writer = Some(zio::Writer::new(inner, encoder));
        Ok(ZstdFrames { writer, frames: Vec::new(), start: 0, plain: 0, most: MOST_FRAME })
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = self.most - self.plain;
            let (now, later) = bytes.split_at(bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
            self.writer()?.write_all(now)?;
            self.plain += now.len() as u64;
            if self.plain == self.most {
                self.cut()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Ends the frame, unless it is empty.
    fn cut(&mut self) -> io::Result<()> {
        if self.plain == 0 {
            return Ok(());
        }
        let (inner, mut encoder) = self.end_frame()?;
        encoder.reinit()?;
        self.writer = Some(zio::Writer::new(inner, encoder));
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<(Counted<W>, Encoder<'static>)> {
        self.writer()?.finish()?;
        let (inner, encoder) = self.writer.take().ok_or_else(broken)?.into_inner();
        let end = inner.bytes;
        // both fit, because a frame has at most 1 GiB
        self.frames.push(Frame { stored: (end - self.start) as u32, plain: self.plain as u32 });
        (self.start, self.plain) = (end, 0);
        Ok((inner, encoder))
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.plain == 0 {
            return self.writer()?.writer_mut().flush(); // or a frame would begin
        }
        self.writer()?.flush()
    }

    fn writer(&mut self) -> io::Result<&mut zio::Writer<Counted<W>, Encoder<'static>>> {
        self.writer.as_mut().ok_or_else(broken)
    }

    fn finish(mut self) -> io::Result<W> {
        let mut inner = if self.plain > 0 || self.frames.is_empty() {
            self.end_frame()?.0
        } else {
            // nothing was written to the frame after the last cut, so it has no output
            self.writer.take().ok_or_else(broken)?.into_inner().0
        };
        if self.frames.len() > 1 {
            inner.write_all(&encode(&self.frames))?;
        }
        Ok(inner.inner)
    }
}

fn broken() -> io::Error {
    io::Error::other("this output failed before")
}
