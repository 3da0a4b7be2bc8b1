//! What patches mean: the crate against a model of sets, and laws.

mod collected;
mod files;
mod generate;
mod laws;
mod logs;
mod model;
mod positions;
mod run;
mod threads;
