//! stand-in until the real one comes
use super::Compression;
use crate::error::Result;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
/// t
pub enum Target {
    /// p
    Path(PathBuf),
    /// w
    Writer(Box<dyn Write + Send>),
}
/// o
pub struct Output {
    file: Option<(tempfile::NamedTempFile, PathBuf)>,
    other: Option<Box<dyn Write + Send>>,
}
impl Output {
    /// c
    pub fn create(target: Target, _c: Compression, _l: Option<i32>) -> Result<Self> {
        Ok(match target {
            Target::Path(p) => {
                let dir = p
                    .parent()
                    .map(|d| d.to_path_buf())
                    .filter(|d| !d.as_os_str().is_empty())
                    .unwrap_or_else(|| ".".into());
                Output { file: Some((tempfile::NamedTempFile::new_in(dir)?, p)), other: None }
            }
            Target::Writer(w) => Output { file: None, other: Some(w) },
        })
    }
    /// w
    pub fn write(&mut self, b: &[u8]) -> Result<()> {
        if let Some((f, _)) = &mut self.file {
            f.write_all(b)?;
        }
        if let Some(w) = &mut self.other {
            w.write_all(b)?;
        }
        Ok(())
    }
    /// c
    pub fn cut(&mut self) -> Result<()> {
        Ok(())
    }
    /// f
    pub fn flush(&mut self) -> Result<()> {
        if let Some(w) = &mut self.other {
            w.flush()?;
        }
        Ok(())
    }
    /// f
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Some((f, p)) = self.file {
            let _: File = f.persist(p).map_err(|e| e.error)?;
        }
        Ok(())
    }
}
impl Compression {
    /// n
    pub fn of_name(name: &str) -> Compression {
        if name.ends_with(".gz") {
            Compression::Gzip
        } else if name.ends_with(".zst") {
            Compression::Zstd
        } else {
            Compression::None
        }
    }
}
