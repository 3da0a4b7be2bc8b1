//! What patches mean: the crate against a model of sets, and laws.

mod generate;
mod laws;
mod logs;
mod model;
mod positions;
mod run;
