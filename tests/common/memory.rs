//! Outputs in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use jelly_patch::io::Target;

/// Takes bytes for whoever holds the other end.
#[derive(Clone, Default)]
pub struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    pub fn target(&self) -> Target {
        Target::Writer(Box::new(self.clone()))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no panic").clone()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
