//! A task's settings with every default filled in, as lm-eval writes them beside figures.
//!
//! Of a function of Python the original writes the source; here stands its file and name. The original puts the task's
//! file into `metadata` as `config_source`; a plan does not know it, so whoever does adds it.

use indexmap::IndexMap;
use serde_json::Value;

use super::{TaskPlan, value::TaskValue, yaml::FUNCTION};

/// The keys in lm-eval's order, with what stands for one that a file does not have.
const KEYS: &[(&str, Option<TaskValue>)] = &[
    ("task", None),
    ("task_alias", None),
    ("custom_dataset", None),
    ("dataset_path", None),
    ("dataset_name", None),
    ("dataset_kwargs", None),
    ("training_split", None),
    ("validation_split", None),
    ("test_split", None),
    ("fewshot_split", None),
    ("process_docs", None),
    ("doc_to_text", None),
    ("doc_to_target", None),
    ("doc_to_image", None),
    ("doc_to_audio", None),
    ("unsafe_code", Some(TaskValue::Truth(false))),
    ("doc_to_choice", None),
    ("process_results", None),
    ("use_prompt", None),
    ("description", Some(TaskValue::Text(String::new()))),
    ("target_delimiter", None),
    ("fewshot_delimiter", None),
    ("fewshot_config", None),
    ("num_fewshot", None),
    ("metric_list", None),
    ("output_type", None),
    ("generation_kwargs", None),
    ("repeats", None),
    ("filter_list", None),
    ("should_decontaminate", Some(TaskValue::Truth(false))),
    ("doc_to_decontamination_query", None),
    ("gen_prefix", None),
    ("metadata", None),
];

/// The same for what is said of examples, where nothing is written as such.
const OF_EXAMPLES: &[&str] = &[
    "sampler",
    "split",
    "process_docs",
    "fewshot_indices",
    "samples",
    "doc_to_text",
    "doc_to_choice",
    "doc_to_target",
    "gen_prefix",
    "fewshot_delimiter",
    "target_delimiter",
];

impl TaskPlan {
    /// The settings, with so many examples in the place of the task's own number where it may be overridden.
    pub fn config(&self, shots: Option<usize>) -> TaskValue {
        let mut config = IndexMap::new();
        for (key, default) in KEYS {
            let value = match *key {
                "target_delimiter" => Some(TaskValue::from(&*self.target_delimiter)),
                "fewshot_delimiter" => Some(TaskValue::from(&*self.fewshot_delimiter)),
                "fewshot_config" => Some(self.config_of_examples()),
                "num_fewshot" => Some(TaskValue::Whole(self.shots(shots) as i128)),
                "output_type" => Some(TaskValue::from(self.output_type.name())),
                "generation_kwargs" => {
                    let own = &self.generation_kwargs;
                    (!own.is_empty()).then(|| TaskValue::from(own))
                }
                "repeats" => Some(TaskValue::Whole(self.repeats as i128)),
                "dataset_kwargs" => self.written(key).map(|_| {
                    // The library that loads data sets no longer knows it, and lm-eval drops it.
                    let mut own = self.dataset_kwargs.clone();
                    own.shift_remove("trust_remote_code");
                    TaskValue::from(&own)
                }),
                "metadata" => Some(match self.written(key) {
                    Some(Value::Object(own)) => TaskValue::from(own),
                    Some(other) => {
                        TaskValue::Mapping([("_metadata".to_owned(), plain(other))].into())
                    }
                    None => TaskValue::Mapping(IndexMap::new()),
                }),
                key => self.written(key).map(plain).or_else(|| default.clone()),
            };
            if let Some(value) = value {
                config.insert((*key).to_owned(), value);
            }
        }
        TaskValue::Mapping(config)
    }

    fn config_of_examples(&self) -> TaskValue {
        let own = self.written("fewshot_config");
        let value = |key: &str| {
            let own = own.and_then(|own| own.get(key)).filter(|value| !value.is_null());
            let other = match key {
                "split" => self.written("fewshot_split"),
                "sampler" | "fewshot_indices" | "samples" => None,
                key => self.written(key),
            };
            match (own.or(other), key) {
                (Some(value), _) => plain(value),
                (None, "sampler") => "default".into(),
                (None, "fewshot_delimiter") => TaskValue::from(&*self.fewshot_delimiter),
                (None, "target_delimiter") => TaskValue::from(&*self.target_delimiter),
                (None, _) => TaskValue::None,
            }
        };
        let entries = OF_EXAMPLES.iter().map(|key| ((*key).to_owned(), value(key)));
        TaskValue::Mapping(entries.collect())
    }

    pub(super) fn written(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }
}

/// A value with functions as their references.
fn plain(value: &Value) -> TaskValue {
    match value {
        Value::Object(fields) => match fields.get(FUNCTION) {
            Some(reference) => TaskValue::from(reference),
            None => TaskValue::Mapping(
                fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
            ),
        },
        Value::Array(items) => TaskValue::List(items.iter().map(plain).collect()),
        other => TaskValue::from(other),
    }
}
