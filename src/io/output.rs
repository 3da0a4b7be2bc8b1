//! Outputs: files that appear complete or not at all, and writers; compressed or not.

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
}

impl Target {
    /// The name of the file, which suggests a format.
    pub fn name(&self) -> Option<String> {
        match self {
            Target::Path(path) => Some(path.to_string_lossy().into_owned()),
            Target::Writer(_) => None,
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

/// An open output. If it is dropped before it is [finished](Output::finish), it leaves no file.
pub struct Output {
    /// `None` after an error.
    compressor: Option<Compressor<BufWriter<Bottom>>>,
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
            writer @ Target::Writer(_) => writer,
        };
        let (name, compression) = match &target {
            Target::Path(path) => (
                Some(path.to_string_lossy().into()),
                options.compression.unwrap_or_else(|| by_extension(path)),
            ),
            Target::Writer(_) => (None, options.compression.unwrap_or(Compression::None)),
        };
        let create = || {
            let bottom = BufWriter::with_capacity(BUFFER, Bottom::create(target)?);
            Compressor::new(bottom, compression, options.level)
        };
        match create() {
            Ok(compressor) => Ok(Output { compressor: Some(compressor), name }),
            Err(error) => Err(error.located(&Position { source: name, ..Position::default() })),
        }
    }

    /// Appends bytes. After an error, nothing more can be written, and no file appears.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.with(|compressor| compressor.write_all(bytes))
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
    pub fn finish(mut self) -> Result<()> {
        let compressor = self.compressor.take().ok_or_else(|| self.located(failed()))?;
        let finish = || compressor.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.finish();
        finish().map_err(|error| self.located(error.into()))
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

/// Receives the compressed bytes.
enum Bottom {
    File(WholeFile),
    Writer(Box<dyn Write + Send>),
}

impl Bottom {
    fn create(target: Target) -> io::Result<Self> {
        Ok(match target {
            Target::Path(path) => match fs::metadata(&path) {
                // pipes and devices are written to, not replaced
                Ok(existing) if !existing.is_file() && !existing.is_dir() => {
                    Bottom::Writer(Box::new(File::options().write(true).open(&path)?))
                }
                _ => Bottom::File(WholeFile::create(&path)?),
            },
            Target::Writer(writer) => Bottom::Writer(writer),
        })
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Bottom::File(file) => file.finish(),
            Bottom::Writer(mut writer) => writer.flush(),
        }
    }
}

impl Write for Bottom {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Bottom::File(file) => file.write(bytes),
            Bottom::Writer(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Bottom::File(file) => file.flush(),
            Bottom::Writer(writer) => writer.flush(),
        }
    }
}
