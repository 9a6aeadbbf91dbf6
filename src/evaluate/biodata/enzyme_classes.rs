//! `biodata_ec_number`: the classes of enzymes that an answer names, by the best F1.
//!
//! The classes that count are the benchmark's own list. It is not ours to ship: it is read in the user's package, or the
//! config gives another.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked},
    answer::{boxed, spoken},
    f1_max::{Labels, f1_max},
};
use crate::{
    config::{Component, ConfigError, ModuleTexts},
    dataset::{PACKAGES, module_path},
    postprocess::{PatternError, PythonRegex},
};

/// The module with the benchmark's list, and what the list is called there.
const MODULE: &str = "opencompass/datasets/biodata.py";
const LIST: &str = "ec_labels";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    labels: Option<Vec<String>>,
}

/// The best F1 over the classes of a list.
pub(in super::super) struct EnzymeClasses {
    places: HashMap<String, usize>,
}

impl EnzymeClasses {
    /// Reads `labels`, else the list of the user's package.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let labels = match component.read::<Parameters>()?.labels {
            Some(labels) => labels,
            None => own_list(component)?,
        };
        let mut places = HashMap::new();
        for label in labels {
            let place = places.len();
            places.entry(label).or_insert(place);
        }
        Ok(Box::new(Self { places }))
    }

    /// The classes that a text names, as flags for each that counts.
    fn named(&self, text: &str) -> Result<Vec<bool>, PatternError> {
        static CLASS: LazyLock<PythonRegex> =
            LazyLock::new(|| PythonRegex::constant(r"\d+\.\d+\.\d+\.\-?\d*"));
        let mut flags = vec![false; self.places.len()];
        for class in CLASS.all(text)? {
            let flag = self.places.get(class).and_then(|place| flags.get_mut(*place));
            if let Some(flag) = flag {
                *flag = true;
            }
        }
        Ok(flags)
    }
}

impl Evaluator for EnzymeClasses {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut samples, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "biodata_ec_number");
            let failed = |error| asked.failed(error);
            let answer = boxed(spoken(&asked)?).map_err(failed)?;
            let given = self.named(answer.as_deref().unwrap_or_default()).map_err(failed)?;
            let meant = self.named(asked.reference()?).map_err(failed)?;
            let labels: Labels = given.into_iter().zip(meant).collect();
            samples.push(labels);
            let score = samples.last().map_or(0.0, |own| f1_max(std::slice::from_ref(own)));
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(answer)),
                ("answer".to_owned(), row.reference.clone()),
                ("score".to_owned(), json!(score)),
            ]));
        }
        let metric = Metric::of_all("score", Unit::Percent, 100.0 * f1_max(&samples));
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }
}

/// The list in the user's package.
fn own_list(component: &Component) -> Result<Vec<String>, ConfigError> {
    let refused = |what: String| {
        let hint = "install opencompass 0.5.4 and name the folder that holds `opencompass/` in \
                    SURPRISAL_OPENCOMPASS, or write labels=[…]";
        ConfigError::at(&component.origin, what).with_hint(hint)
    };
    let path = module_path(MODULE).ok_or_else(|| {
        refused(format!("the classes that count are OpenCompass's own, and {PACKAGES} is not set"))
    })?;
    let module = ModuleTexts::read(&path).map_err(|error| refused(error.to_string()))?;
    let labels = module.attribute(LIST);
    let labels = labels.as_ref().and_then(Value::as_array).into_iter().flatten();
    let labels: Vec<String> = labels.filter_map(Value::as_str).map(str::to_owned).collect();
    if labels.is_empty() {
        return Err(refused(format!("{} has no list {LIST}", path.display())));
    }
    Ok(labels)
}
