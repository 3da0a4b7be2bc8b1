//! The message types of `proto/`, as prost-build makes them (see `tests/codegen.rs`).

#![allow(clippy::all, clippy::pedantic, reason = "made by a program")]

pub mod v1 {
    include!("rdf.rs");

    pub mod patch {
        include!("patch.rs");
    }
}
