//! Decompresses sources; several consecutive members, frames or streams are one stream.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use liblzma::bufread::XzDecoder;

use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{EXPANSION_GRACE, Limits};

/// The range of window sizes that zstd accepts.
const WINDOWS: (u64, u64) = (1 << 10, 1 << 31);
/// Maximum size of the xz dictionary as a multiple of the zstd window: by default 64 MiB, as in the highest
/// xz level.
const XZ_WINDOWS: u64 = 2;
/// Memory that xz needs in addition to its dictionary.
const XZ_STATE: u64 = 2 << 20;

/// Decompresses a source.
pub(super) fn decompress(
    raw: impl Read + Send + 'static,
    compression: Compression,
    limits: &Limits,
) -> Result<Box<dyn Read + Send>> {
    let compressed = BufReader::with_capacity(64 << 10, Compressed { inner: raw, bytes: 0 });
    let (expansion, most) = (limits.expansion, limits.decompressed_bytes);
    Ok(match compression {
        Compression::None => Box::new(Unmarked(compressed)),
        Compression::Gzip => Box::new(Decompressed {
            inner: Members(Some(GzDecoder::new(compressed))),
            bytes_in: |gzip: &Members<BufReader<Compressed<_>>>| {
                gzip.0.as_ref().map_or(u64::MAX, |member| member.get_ref().get_ref().bytes)
            },
            bytes_out: 0,
            expansion,
            most,
        }),
        Compression::Zstd => {
            let mut inner = zstd::stream::read::Decoder::with_buffer(compressed)?;
            inner.window_log_max(limits.zstd_window.clamp(WINDOWS.0, WINDOWS.1).ilog2())?;
            Box::new(Decompressed {
                inner,
                bytes_in: |zstd: &zstd::stream::read::Decoder<'_, BufReader<Compressed<_>>>| {
                    zstd.get_ref().get_ref().bytes
                },
                bytes_out: 0,
                expansion,
                most,
            })
        }
        Compression::Bzip2 => Box::new(Decompressed {
            inner: MultiBzDecoder::new(compressed),
            bytes_in: |bzip2: &MultiBzDecoder<BufReader<Compressed<_>>>| bzip2.get_ref().get_ref().bytes,
            bytes_out: 0,
            expansion,
            most,
        }),
        Compression::Xz => {
            let dictionary = limits.zstd_window.saturating_mul(XZ_WINDOWS).saturating_add(XZ_STATE);
            let stream =
                liblzma::stream::Stream::new_stream_decoder(dictionary, liblzma::stream::CONCATENATED);
            Box::new(Decompressed {
                inner: XzDecoder::new_stream(compressed, stream.map_err(io::Error::from)?),
                bytes_in: |xz: &XzDecoder<BufReader<Compressed<_>>>| xz.get_ref().get_ref().bytes,
                bytes_out: 0,
                expansion,
                most,
            })
        }
    })
}

/// Reads consecutive gzip members; zeros after the last one are padding, as for gzip itself.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let next = skip_zeros(member.get_mut())?;
            let Some(raw) = self.0.take().map(GzDecoder::into_inner).filter(|_| next.is_some()) else {
                break;
            };
            if next != Some(0x1f) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "no gzip member follows the last one",
                ));
            }
            self.0 = Some(GzDecoder::new(raw));
        }
        Ok(0)
    }
}

/// The next byte that is not zero, without consuming it.
fn skip_zeros(raw: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let bytes = match raw.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        if let Some(&next) = bytes.get(zeros) {
            raw.consume(zeros);
            return Ok(Some(next));
        }
        if zeros == 0 {
            return Ok(None);
        }
        raw.consume(zeros);
    }
}

/// Counts bytes, and marks errors of the source so that they are not reported as damage.
struct Compressed<R> {
    inner: R,
    bytes: u64,
}

/// An error of the source itself.
#[derive(Debug)]
struct OfSource(io::Error);

impl std::fmt::Display for OfSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for OfSource {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Removes the mark of [`OfSource`]; `Err` returns an error without a mark.
fn unmark(error: io::Error) -> Result<io::Error, io::Error> {
    if error.get_ref().is_some_and(|inner| inner.is::<OfSource>()) {
        return match error.into_inner().map(|inner| inner.downcast::<OfSource>()) {
            Some(Ok(inner)) => Ok(inner.0),
            _ => Ok(io::Error::other("an error of the source")),
        };
    }
    Err(error)
}

impl<R: Read> Read for Compressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(n) => {
                self.bytes += n as u64;
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(io::Error::new(error.kind(), OfSource(error))),
        }
    }
}

/// A source without compression: only the marks are removed.
struct Unmarked<R>(R);

impl<R: Read> Read for Unmarked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| unmark(error).unwrap_or_else(|error| error))
    }
}

/// Reports errors in compressed bytes, and stops decompression bombs.
struct Decompressed<R, F> {
    inner: R,
    bytes_in: F,
    bytes_out: u64,
    expansion: u64,
    most: u64,
}

impl<R: Read, F: Fn(&R) -> u64> Read for Decompressed<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer).map_err(damage)?;
        self.bytes_out += n as u64;
        if self.most > 0 && self.bytes_out > self.most {
            let message = format!("the source has more than {} bytes after decompression", self.most);
            let error = Error::limit(ErrorKind::LimitDecompressed, "decompressed_bytes", message);
            return Err(io::Error::other(error));
        }
        let most = (self.bytes_in)(&self.inner).saturating_mul(self.expansion);
        if self.expansion > 0 && self.bytes_out > EXPANSION_GRACE && self.bytes_out > most {
            let message =
                format!("decompression gives more than {} bytes for each compressed byte", self.expansion);
            let error = Error::limit(ErrorKind::LimitExpansion, "expansion", message);
            return Err(io::Error::other(error));
        }
        Ok(n)
    }
}

fn damage(error: io::Error) -> io::Error {
    match unmark(error) {
        Ok(error) => error,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => error,
        Err(error) => {
            let text = error.to_string();
            io::Error::other(if error.kind() == io::ErrorKind::UnexpectedEof {
                Error::new(ErrorKind::TruncatedCompressed, "the input ends inside a compressed block")
            } else if text.contains("memory limit") {
                let message = "an xz stream needs a larger dictionary; the maximum is twice this window";
                Error::limit(ErrorKind::LimitWindow, "zstd_window", message)
            } else if text.contains("too much memory") {
                let message = "a zstd frame needs a larger window";
                Error::limit(ErrorKind::LimitWindow, "zstd_window", message)
            } else {
                Error::new(ErrorKind::WireCompressed, format!("the compressed bytes are damaged: {text}"))
            })
        }
    }
}
