//! Jelly-Patch and Jelly-RDF at native speed.
#![deny(unsafe_code)]
#[cfg(feature = "python")]
mod python;
