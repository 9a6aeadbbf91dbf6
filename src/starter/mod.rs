//! A first config of one's own: for a file of rows, or for an example of such a file.
//!
//! It is the config that `surprisal run FILE` stands for, with a comment on each part that says what it is and what else may
//! stand there. What was written is read again before it counts.

#![expect(clippy::disallowed_methods, reason = "a config is written beside the user's file")]

mod remarks;

use std::{
    io,
    path::{Path, PathBuf},
};

use self::remarks::StarterRemarks;
use crate::{
    config::{self, Config, Node, Value},
    plan::{ModelPlan, PlanError, PlanSources, RunPlan, entry_of_file},
    shipped,
    store::{StoreError, write_atomically},
};

/// The checkpoint that ships with the program, for who names none.
pub const SHIPPED_MODEL: &str = "models/pocket";

/// The file of the example, and how many rows of which shipped file it has.
pub const EXAMPLE: &str = "quiz.jsonl";
const EXAMPLE_ROWS: usize = 20;
const EXAMPLE_SOURCE: &str = "configs/datasets/choices/test.jsonl";

/// Why a config cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum StarterError {
    /// Nothing is written over.
    #[error("{path} is there already, and nothing is written over; {how}")]
    Exists {
        /// What is there.
        path: PathBuf,
        /// How to write it elsewhere.
        how: &'static str,
    },
    /// The file is nothing that could be asked about.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] StoreError),
    /// The current folder is gone.
    #[error("{path}: {source}")]
    Place {
        /// What was to be found.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The config that was written means something else than what it was made of. It is deleted.
    #[error(
        "{path} would not be read as it is meant, so it was not kept: {why}; please report this"
    )]
    ReadsOtherwise {
        /// The config.
        path: PathBuf,
        /// In which way.
        why: String,
    },
}

/// What a config is written for.
pub struct Starter {
    dataset: Node,
    model: Node,
    is_shipped_model: bool,
    /// What was taken for granted of the file.
    pub assumed: String,
}

impl Starter {
    /// The config of a file of rows; `about` is a dict of what was typed about it. Without a model it is the one that ships.
    pub fn of_file(file: &Path, about: &Node, model: Option<&Path>) -> Result<Self, StarterError> {
        let (mut dataset, assumed) = entry_of_file(file, about).map_err(PlanError::from)?;
        let mut model_node = ModelPlan::of_path(model.unwrap_or(Path::new(SHIPPED_MODEL)))?.node;
        shorten_types(&mut dataset);
        shorten_types(&mut model_node);
        Ok(Self { dataset, model: model_node, is_shipped_model: model.is_none(), assumed })
    }

    /// Writes the config, unless something is there.
    pub fn write(mut self, output: &Path) -> Result<(), StarterError> {
        refuse_existing(output, "-o names another file")?;
        for node in [&mut self.dataset, &mut self.model] {
            for field in ["path", "data_files"] {
                if let Some(named) = node.get_mut(field) {
                    make_findable(named, output)?;
                }
            }
        }
        let list = |node: &Node| Node::from(Value::List(vec![node.clone()]));
        let variables = vec![
            ("datasets".to_owned(), list(&self.dataset)),
            ("models".to_owned(), list(&self.model)),
        ];
        let remarks = StarterRemarks::new(&self.dataset, self.is_shipped_model);
        let head = remarks::head(output, &self.assumed);
        let config = Config { variables, files: Vec::new() };
        write_atomically(
            output,
            format!("{head}\n{}", config.to_python_with(&remarks)).as_bytes(),
        )?;
        self.read_again(output).map_err(|why| {
            // What cannot be deleted can still be seen.
            _ = std::fs::remove_file(output);
            StarterError::ReadsOtherwise { path: output.to_owned(), why }
        })
    }

    /// Whether the config at `output` is this one, and can be planned.
    fn read_again(&self, output: &Path) -> Result<(), String> {
        let read = config::load(output).map_err(|error| error.to_string())?;
        for (name, node) in [("datasets", &self.dataset), ("models", &self.model)] {
            if read.get(name).and_then(Node::as_list) != Some(std::slice::from_ref(node)) {
                return Err(format!("`{name}` is another"));
            }
        }
        let sources = PlanSources { configs: vec![output.to_owned()], ..PlanSources::default() };
        RunPlan::load_with(&sources).map(|_| ()).map_err(|error| error.to_string())
    }
}

/// Writes rows to try things out with to [`EXAMPLE`] in a folder, unless something is there; gives the file.
pub fn write_example(folder: &Path) -> Result<PathBuf, StarterError> {
    let file = folder.join(EXAMPLE);
    refuse_existing(&file, "name another folder, as in surprisal init my_quiz")?;
    let rows = shipped::text(EXAMPLE_SOURCE).unwrap_or_default();
    let rows: Vec<&str> = rows.lines().take(EXAMPLE_ROWS).collect();
    write_atomically(&file, format!("{}\n", rows.join("\n")).as_bytes())?;
    Ok(file)
}

/// Refuses a place where something is, be it a link that leads nowhere.
pub fn refuse_existing(path: &Path, how: &'static str) -> Result<(), StarterError> {
    match path.symlink_metadata() {
        Ok(_) => Err(StarterError::Exists { path: path.to_owned(), how }),
        Err(_) => Ok(()),
    }
}

/// Types by the last part of their dotted path, which every config may use, and before the fields that belong to them.
fn shorten_types(node: &mut Node) {
    match &mut node.value {
        Value::List(items) | Value::Tuple(items) => items.iter_mut().for_each(shorten_types),
        Value::Dict(entries) => {
            entries.sort_by_key(|(key, _)| key.as_str() != Some("type"));
            for (key, value) in entries {
                match &mut value.value {
                    Value::Str(name) if key.as_str() == Some("type") => {
                        if let Some((_, last)) = name.rsplit_once('.') {
                            *name = last.to_owned();
                        }
                    }
                    _ => shorten_types(value),
                }
            }
        }
        _ => {}
    }
}

/// Relative paths that the config would not find by itself, from wherever it is run, become whole.
fn make_findable(named: &mut Node, output: &Path) -> Result<(), StarterError> {
    match &mut named.value {
        Value::Str(name) => {
            let place = |path: &Path| {
                std::path::absolute(path)
                    .map_err(|source| StarterError::Place { path: path.to_owned(), source })
            };
            let here = Path::new(name.as_str());
            if here.is_absolute() || !here.exists() {
                return Ok(());
            }
            let (whole, output) = (place(here)?, place(output)?);
            let mut places = output.ancestors().skip(1).map(|folder| folder.join(here));
            let found = places.find(|candidate| candidate.exists());
            let is_same = |found: PathBuf| found.canonicalize().ok() == whole.canonicalize().ok();
            if !found.is_some_and(is_same) {
                *name = whole.display().to_string();
            }
            Ok(())
        }
        Value::Dict(entries) => {
            entries.iter_mut().try_for_each(|(_, value)| make_findable(value, output))
        }
        _ => Ok(()),
    }
}
