//! The rules that other readers get wrong, each a test by its name: what is lost or changed in silence there
//! is right here, or an error of the right kind at the right frame, row and byte.

mod depth;
mod framing;
mod graphs;
mod members;
mod options;
mod patches;
mod terms;
mod utf8;
mod wire;
