//! `modules.json`: which steps lead from a text to its vector, and where their files are.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{
    dense::{Dense, LoadedStage},
    pooling::Pooling,
};
use crate::model::{error::ModelError, json};

const MODULES_FILE: &str = "modules.json";

/// What comes after the transformer.
#[derive(Debug)]
pub(super) struct Modules {
    /// The folder of the transformer.
    pub(super) transformer: PathBuf,
    pub(super) pooling: Pooling,
    /// What is done with the pooled vector, in order.
    pub(super) stages: Vec<Module>,
    pub(super) notes: Vec<String>,
}

/// A step behind pooling.
#[derive(Debug)]
pub(super) enum Module {
    Dense(Dense),
    /// The vector is divided by its length.
    Normalize,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    class: String,
}

impl Modules {
    /// Reads the modules of a folder; one without `modules.json` is a transformer, of which sentence-transformers
    /// takes the mean.
    pub(super) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join(MODULES_FILE);
        let Some(found) = json::read_optional(&path)? else {
            let note = format!(
                "{} has no {MODULES_FILE}: as in sentence-transformers, a text's vector is the mean over its tokens",
                folder.display()
            );
            let transformer = folder.to_owned();
            let pooling = Pooling::mean();
            return Ok(Self { transformer, pooling, stages: Vec::new(), notes: vec![note] });
        };
        let wrong = |problem: String| ModelError::Config { path: path.clone(), problem };
        let entries: Vec<Entry> = serde_json::from_value(found)
            .map_err(|error| wrong(format!("not a list of modules: {error}")))?;
        let (mut transformer, mut pooling, mut stages) = (None, None, Vec::new());
        for Entry { path: place, class } in entries {
            // A path would lead out of the checkpoint.
            if place.contains("..") || Path::new(&place).is_absolute() {
                return Err(wrong(format!("the module path {place:?} leads out of the folder")));
            }
            let place = folder.join(&place);
            let name = class.rsplit('.').next().unwrap_or_default();
            match (name, &transformer, &pooling) {
                ("Transformer", None, None) => transformer = Some(place),
                ("Pooling", Some(_), None) => pooling = Some(Pooling::read(&place)?),
                ("Dense", Some(_), Some(_)) => stages.push(Module::Dense(Dense::open(&place)?)),
                ("Normalize", Some(_), Some(_)) => stages.push(Module::Normalize),
                // It drops numbers while training and does nothing else.
                ("Dropout", Some(_), _) => {}
                _ => {
                    return Err(ModelError::Unsupported {
                        path: path.clone(),
                        what: format!("the module {class} at this place"),
                    });
                }
            }
        }
        let (Some(transformer), Some(pooling)) = (transformer, pooling) else {
            return Err(wrong("there must be a Transformer and a Pooling".to_owned()));
        };
        Ok(Self { transformer, pooling, stages, notes: Vec::new() })
    }

    /// Refuses modules that do not fit one behind the other.
    pub(super) fn check(&self, hidden_size: usize) -> Result<(), ModelError> {
        let mut size = hidden_size * self.pooling.parts();
        for stage in &self.stages {
            if let Module::Dense(dense) = stage {
                size = dense.check(size)?;
            }
        }
        Ok(())
    }
}

impl Module {
    /// Reads its weights.
    pub(super) fn load(&self) -> Result<LoadedStage, ModelError> {
        match self {
            Self::Dense(dense) => dense.load(),
            Self::Normalize => Ok(LoadedStage::Normalize),
        }
    }
}

/// The fields of a module's config, which must be an object.
pub(super) fn fields(
    path: &Path,
    value: Value,
) -> Result<serde_json::Map<String, Value>, ModelError> {
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(ModelError::Config {
            path: path.to_owned(),
            problem: format!("an object is expected, found {other}"),
        }),
    }
}
