//! Configs in Python syntax, in the way of OpenCompass, read without running Python.
//!
//! A config is a program that builds dicts. It is parsed by ruff's parser and evaluated by a small
//! evaluator of our own, which knows the part of the language that configs use and has no way out: it
//! starts nothing, loads nothing, writes nothing, and gives up beyond fixed limits. A class is a name
//! here, never loaded. What comes out is a [`Config`]: named plain [`Node`]s, each with the line it
//! came from. Typed structs are read from them by [`from_node`]; parts that are chosen by name, as in
//! `dict(type=FixKRetriever, …)`, are [`Component`]s.

#![expect(clippy::disallowed_methods, reason = "a config is a file, and says where others are")]

mod component;
mod de;
mod de_error;
mod did_you_mean;
mod error;
mod eval;
mod json;
mod locate;
mod print;
mod secrets;
mod value;

use std::path::{Path, PathBuf};

pub use self::eval::functions;
pub use self::{
    component::Component,
    de::from_node,
    error::{ConfigError, ProgramError, ValueError},
    print::{Remarks, repr},
    value::{Node, Origin, Value},
};
pub(crate) use self::{
    did_you_mean::nearest,
    eval::{ModuleTexts, Piece},
    locate::{WITHOUT_CONFIG, locate, looked_in, note_of_other, shipped_place},
};

/// An evaluated config file.
#[derive(Clone, Debug)]
pub struct Config {
    /// The variables it ends with, in order of their first assignment, without those that it
    /// imported and those named `__…`.
    pub variables: Vec<(String, Node)>,
    /// Every file that was read: this one, then its bases.
    pub files: Vec<PathBuf>,
}

impl Config {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.variables.iter().find(|(variable, _)| variable == name).map(|(_, value)| value)
    }
}

/// Evaluates the config file at `path`, and the files that it imports with `read_base`. Keys of served models are not in
/// it.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let mut config = eval::evaluate(path)?;
    config.variables.iter_mut().for_each(|(_, value)| secrets::hide(value));
    Ok(config)
}
