//! Outputs: files that appear complete or not at all, memory, writers; compressed or not.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compress::Compressor;
use super::local::local_path;
use super::whole_file::WholeFile;
use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::with::With;

/// The destination of bytes.
pub enum Target {
    /// A file. It gets its name when it is complete; until then an existing file with this name stays.
    Path(PathBuf),
    /// A writer, which receives the bytes as they come.
    Writer(Box<dyn Write + Send>),
    /// Memory.
    Memory,
}

impl Target {
    /// The name of the file, which suggests a format.
    pub fn name(&self) -> Option<String> {
        match self {
            Target::Path(path) => Some(path.to_string_lossy().into_owned()),
            Target::Writer(_) | Target::Memory => None,
        }
    }
}

/// The options of an output.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OutputOptions {
    /// The compression; `None`: by the extension, `.gz` or `.zst`.
    pub compression: Option<Compression>,
    /// The level: gzip 0 to 9 (default 6), zstd 1 to 22 (default 3).
    pub level: Option<i32>,
}

impl With for OutputOptions {}

/// The result of writing an output.
#[derive(Debug)]
pub struct Written {
    /// Number of bytes before compression.
    pub length: u64,
    /// Number of bytes as stored.
    pub stored: u64,
    /// The bytes, for [`Target::Memory`].
    pub bytes: Option<Vec<u8>>,
}

/// An open output. If it is dropped before it is [finished](Output::finish), it leaves no file.
pub struct Output {
    /// `None` after an error.
    compressor: Option<Compressor<BufWriter<Bottom>>>,
    compression: Compression,
    length: u64,
    name: Option<Arc<str>>,
}

const BUFFER: usize = 64 << 10;

impl Output {
    /// Opens a target.
    ///
    /// # Errors
    /// `argument.remote`: the path is a URL. `io`: the file cannot be created.
    pub fn create(target: Target, options: &OutputOptions) -> Result<Self> {
        let target = match target {
            Target::Path(path) => Target::Path(local_path(&path)?),
            other => other,
        };
        let (name, compression) = match &target {
            Target::Path(path) => (
                Some(path.to_string_lossy().into()),
                options.compression.unwrap_or_else(|| by_extension(path)),
            ),
            _ => (None, options.compression.unwrap_or(Compression::None)),
        };
        let create = || {
            let bottom = Bottom { bytes: 0, kind: Kind::create(target)? };
            Compressor::new(BufWriter::with_capacity(BUFFER, bottom), compression, options.level)
        };
        match create() {
            Ok(compressor) => Ok(Output { compressor: Some(compressor), compression, length: 0, name }),
            Err(error) => Err(error.located(&Position { source: name, ..Position::default() })),
        }
    }

    /// The compression that was requested or that the file name selects.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Number of bytes so far, before compression.
    pub fn offset(&self) -> u64 {
        self.length
    }

    /// Appends bytes. After an error, nothing more can be written, and no file appears.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.with(|compressor| compressor.write_all(bytes))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Ends the zstd frame, so that a reader can start here; does nothing with other compressions.
    ///
    /// A file with several frames has a seek table at its end.
    pub fn cut(&mut self) -> Result<()> {
        self.with(Compressor::cut)
    }

    /// Passes on all bytes that were written, for a reader that waits for them.
    pub fn flush(&mut self) -> Result<()> {
        self.with(Compressor::flush)
    }

    /// Ends the output: when this method returns, a file is on disk under its name.
    pub fn finish(mut self) -> Result<Written> {
        let compressor = self.compressor.take().ok_or_else(|| self.located(failed()))?;
        let finish = || compressor.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.finish();
        let (stored, bytes) = finish().map_err(|error| self.located(error.into()))?;
        Ok(Written { length: self.length, stored, bytes })
    }

    fn with(
        &mut self,
        work: impl FnOnce(&mut Compressor<BufWriter<Bottom>>) -> io::Result<()>,
    ) -> Result<()> {
        let Some(compressor) = &mut self.compressor else {
            return Err(self.located(failed()));
        };
        work(compressor).map_err(|error| {
            self.abandon();
            self.located(error.into())
        })
    }

    fn abandon(&mut self) {
        if let Some(compressor) = self.compressor.take() {
            compressor.abandon();
        }
    }

    fn located(&self, error: Error) -> Error {
        error.located(&Position { source: self.name.clone(), ..Position::default() })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.abandon();
    }
}

#[cold]
fn failed() -> Error {
    Error::new(ErrorKind::Argument, "this output failed before; nothing more can be written to it")
}

/// The compression that a file name selects.
pub(crate) fn by_extension(path: &Path) -> Compression {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("gz") => Compression::Gzip,
        Some(extension) if extension.eq_ignore_ascii_case("zst") => Compression::Zstd,
        _ => Compression::None,
    }
}

/// Receives the compressed bytes and counts them.
struct Bottom {
    bytes: u64,
    kind: Kind,
}

enum Kind {
    File(WholeFile),
    Writer(Box<dyn Write + Send>),
    Memory(Vec<u8>),
}

impl Kind {
    fn create(target: Target) -> io::Result<Self> {
        Ok(match target {
            Target::Path(path) => match fs::metadata(&path) {
                // pipes and devices are written to, not replaced
                Ok(existing) if !existing.is_file() && !existing.is_dir() => {
                    Kind::Writer(Box::new(File::options().write(true).open(&path)?))
                }
                _ => Kind::File(WholeFile::create(&path)?),
            },
            Target::Writer(writer) => Kind::Writer(writer),
            Target::Memory => Kind::Memory(Vec::new()),
        })
    }
}

impl Bottom {
    fn finish(self) -> io::Result<(u64, Option<Vec<u8>>)> {
        let bytes = match self.kind {
            Kind::File(file) => {
                file.finish()?;
                None
            }
            Kind::Writer(mut writer) => {
                writer.flush()?;
                None
            }
            Kind::Memory(bytes) => Some(bytes),
        };
        Ok((self.bytes, bytes))
    }
}

impl Write for Bottom {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = match &mut self.kind {
            Kind::File(file) => file.write(bytes)?,
            Kind::Writer(writer) => writer.write(bytes)?,
            Kind::Memory(memory) => memory.write(bytes)?,
        };
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::File(file) => file.flush(),
            Kind::Writer(writer) => writer.flush(),
            Kind::Memory(_) => Ok(()),
        }
    }
}
