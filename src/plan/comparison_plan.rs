//! `mode='m2n'` of an entry: the answers of each model are judged beside those of other models, which are given.
//!
//! The evaluator is told whose answers these are and in which order they stand, so that its own entry says all that
//! scores a run again. The predictions are read with the rows.

use std::path::{Path, PathBuf};

use crate::{
    config::{ConfigError, Node},
    dataset::find_data,
};

/// The models that others are compared with, and where their predictions lie.
#[derive(Clone, Debug)]
pub struct ComparisonPlan {
    /// By the order of the entry.
    pub bases: Vec<BaseModel>,
}

/// A model that others are compared with.
#[derive(Clone, Debug)]
pub struct BaseModel {
    /// Its name.
    pub abbr: String,
    /// The folder with its predictions as the entry has it, if it has one.
    pub written: Option<String>,
    /// The same as it is found.
    pub folder: Option<PathBuf>,
}

/// The fields that say it.
const FIELDS: &[&str] = &["mode", "infer_order", "base_models", "given_pred"];

impl BaseModel {
    /// The file with its predictions for a data set.
    pub fn file(&self, dataset: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{dataset}.json")))
    }
}

impl ComparisonPlan {
    /// Takes what an entry says of a comparison out of it; nothing if it compares none.
    pub(super) fn take(entry: &mut Node, config: &Path) -> Result<Option<Self>, ConfigError> {
        if !compares(entry)? {
            return Ok(None);
        }
        let names = base_models(entry)?;
        let given = entry.get("given_pred").and_then(Node::as_list).unwrap_or_default();
        let bases = names.into_iter().map(|abbr| {
            let is_it = |own: &&Node| text(own, "abbr") == Some(abbr.as_str());
            let written = given.iter().find(is_it).and_then(|own| text(own, "path"));
            let folder = written.and_then(|path| find_data(path, config));
            BaseModel { written: written.map(str::to_owned), folder, abbr }
        });
        let plan = Self { bases: bases.collect() };
        for field in FIELDS {
            entry.remove(field);
        }
        Ok(Some(plan))
    }

    /// Tells the evaluator of an entry of the comparison that the entry asks for, if it does.
    pub(super) fn tell(entry: &mut Node) -> Result<(), ConfigError> {
        if !compares(entry)? {
            return Ok(());
        }
        let names = base_models(entry)?;
        let order = entry.get("infer_order").and_then(Node::as_str);
        let told = serde_json::json!({"base_models": names, "infer_order": order});
        let evaluator = entry.get_mut("eval_cfg").and_then(|own| own.get_mut("evaluator"));
        let Some(evaluator) = evaluator else { return Ok(()) };
        if evaluator.get("pred_postprocessor").is_some_and(|rule| !rule.is_none()) {
            let what = "the predictions of the other model are compared as they are given";
            return Err(ConfigError::at(&evaluator.origin, what)
                .under("pred_postprocessor")
                .with_hint("leave it out, or write it into eval_cfg"));
        }
        evaluator.set("comparison", Node::from_json(&told));
        Ok(())
    }
}

/// Whether an entry compares each model with given ones; an error if it compares in another way.
fn compares(entry: &Node) -> Result<bool, ConfigError> {
    let Some(mode) = entry.get("mode") else { return Ok(false) };
    match mode.as_str() {
        Some("m2n") => Ok(true),
        Some("allpair" | "fixed") => {
            let what = format!("{} cannot be honoured", mode.describe());
            Err(ConfigError::at(&mode.origin, what)
                .under("mode")
                .with_hint("mode='m2n' compares with models whose predictions are given"))
        }
        _ => Ok(false),
    }
}

fn text<'n>(node: &'n Node, field: &str) -> Option<&'n str> {
    node.get(field).and_then(Node::as_str)
}

/// The names of the models that others are compared with.
fn base_models(entry: &Node) -> Result<Vec<String>, ConfigError> {
    let written = entry.get("base_models");
    let all = match written.and_then(Node::as_list) {
        Some(all) => all,
        None => written.map(std::slice::from_ref).unwrap_or_default(),
    };
    let names = all.iter().filter_map(|model| text(model, "abbr").map(str::to_owned));
    let names: Vec<String> = names.collect();
    if names.is_empty() || names.len() < all.len() {
        let origin = written.map_or(&entry.origin, |own| &own.origin);
        return Err(ConfigError::at(origin, "mode='m2n' needs models to compare with")
            .under("base_models")
            .with_hint("write base_models=[dict(abbr='…')]"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_comparison_is_told_to_the_evaluator_and_taken_out_of_the_entry() {
        let mut entry = Node::from_json(&json!({
            "abbr": "x", "mode": "m2n", "infer_order": "double", "base_models": {"abbr": "big"},
            "given_pred": [{"abbr": "other", "path": "y"}, {"abbr": "big", "path": "src"}],
            "eval_cfg": {"evaluator": {"type": "LMEvaluator"}},
        }));
        ComparisonPlan::tell(&mut entry).unwrap();
        let plan = ComparisonPlan::take(&mut entry, Path::new("config.py")).unwrap().unwrap();
        assert_eq!(plan.bases.len(), 1);
        assert_eq!(plan.bases[0].file("x"), Some(PathBuf::from("src/x.json")));
        let told = json!({"type": "LMEvaluator", "comparison": {"base_models": ["big"], "infer_order": "double"}});
        assert_eq!(entry.to_json(), json!({"abbr": "x", "eval_cfg": {"evaluator": told}}));
    }

    #[test]
    fn what_is_compared_in_another_way_is_refused() {
        let tell = |entry| ComparisonPlan::tell(&mut Node::from_json(&entry));
        assert!(tell(json!({"mode": "singlescore"})).is_ok());
        for (entry, expected) in [
            (json!({"mode": "allpair"}), "mode='m2n' compares with models"),
            (json!({"mode": "m2n"}), "write base_models"),
            (
                json!({
                    "mode": "m2n", "base_models": [{"abbr": "b"}],
                    "eval_cfg": {"evaluator": {"type": "LMEvaluator", "pred_postprocessor": {"type": "x"}}},
                }),
                "as they are given",
            ),
        ] {
            let error = tell(entry).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
