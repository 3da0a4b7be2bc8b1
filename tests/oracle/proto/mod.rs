//! The message types of `proto/`, as prost-build makes them (see `tests/codegen.rs`).

// Made by a program.
#![allow(clippy::all, clippy::pedantic)]

pub mod v1 {
    include!("rdf.rs");

    pub mod patch {
        include!("patch.rs");
    }
}
