//! One task: what its file says, with every default filled in.

use serde_json::{Map, Value, json};

use super::{Examples, FewshotPlan, TaskError, field::Field, keys::Keys, yaml::FUNCTION};
use crate::config::functions::{Function, FunctionFiles};

/// What a task asks the model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputType {
    /// How likely the target is.
    Loglikelihood,
    /// How likely a whole document is.
    LoglikelihoodRolling,
    /// Which of several is the likeliest.
    MultipleChoice,
    /// A text, up to one that ends it.
    GenerateUntil,
}

impl OutputType {
    /// Its name in task files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loglikelihood => "loglikelihood",
            Self::LoglikelihoodRolling => "loglikelihood_rolling",
            Self::MultipleChoice => "multiple_choice",
            Self::GenerateUntil => "generate_until",
        }
    }
}

/// A task with every default filled in.
#[derive(Clone, Debug)]
pub struct TaskPlan {
    /// Its name.
    pub name: String,
    /// What tables call it.
    pub alias: Option<String>,
    /// The data set on the hub, a folder, or a format such as `json`.
    pub dataset_path: Option<String>,
    /// The data set's config.
    pub dataset_name: Option<String>,
    /// What else is said to the library that loads it.
    pub dataset_kwargs: Map<String, Value>,
    /// Which split is for training.
    pub training_split: Option<String>,
    /// Which split is for validation.
    pub validation_split: Option<String>,
    /// Which split is asked.
    pub test_split: Option<String>,
    /// What is made of the rows of every split.
    pub process_docs: Option<Function>,
    /// What of it cannot be asked, if anything cannot: pictures, sounds, rows that a function fetches.
    pub beyond: Option<String>,
    /// What the model is asked for.
    pub output_type: OutputType,
    /// What stands before everything.
    pub description: Option<Field>,
    /// The question.
    pub doc_to_text: Option<Field>,
    /// The answer.
    pub doc_to_target: Option<Field>,
    /// The options.
    pub doc_to_choice: Option<Field>,
    /// What the answer begins with.
    pub gen_prefix: Option<Field>,
    /// What stands between question and answer.
    pub target_delimiter: String,
    /// What stands between a system instruction and the description, and after examples.
    pub fewshot_delimiter: String,
    /// How examples are shown.
    pub fewshot: FewshotPlan,
    /// How many examples are shown; a zero in the file is never overridden.
    pub num_fewshot: Option<usize>,
    /// How text is generated.
    pub generation_kwargs: Map<String, Value>,
    /// How often each request is made.
    pub repeats: usize,
    /// Metrics, each with what the file says of it; the defaults of the output type where it names none.
    pub metrics: Option<Vec<Map<String, Value>>>,
    /// What is done to answers before they are scored.
    pub filters: Option<Vec<Value>>,
    /// What the file says of itself, its version above all.
    pub metadata: Map<String, Value>,
    /// Functions of Python that it names: the key, and file and function.
    pub functions: Vec<(String, String)>,
    /// All of its keys as they are, includes resolved; what it was made of.
    pub fields: Map<String, Value>,
}

/// Every key of a task file that is understood.
const KEYS: &[&str] = &[
    "class",
    "custom_dataset",
    "dataset_kwargs",
    "dataset_name",
    "dataset_path",
    "description",
    "doc_to_audio",
    "doc_to_choice",
    "doc_to_decontamination_query",
    "doc_to_image",
    "doc_to_target",
    "doc_to_text",
    "fewshot_config",
    "fewshot_delimiter",
    "fewshot_split",
    "filter_list",
    "gen_prefix",
    "generation_kwargs",
    "metadata",
    "metric_list",
    "num_fewshot",
    "output_type",
    "process_docs",
    "process_results",
    "recipe",
    "repeats",
    "should_decontaminate",
    "target_delimiter",
    "task",
    "task_alias",
    "test_split",
    "training_split",
    "unsafe_code",
    "use_prompt",
    "validation_split",
];

/// Keys of what is more than text, or comes from elsewhere than a data set.
const BEYOND: &[&str] = &["custom_dataset", "doc_to_audio", "doc_to_image", "use_prompt"];

impl TaskPlan {
    /// Understands the keys of a task, those of its file and of the groups that hold it.
    pub(crate) fn from_fields(
        fields: &Map<String, Value>,
        files: &FunctionFiles,
    ) -> Result<Self, TaskError> {
        let name = fields.get("task").and_then(Value::as_str).unwrap_or_default().to_owned();
        let keys = Keys { files, task: &name, fields };
        if let Some(unknown) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(TaskError::task(&name, format!("the key `{unknown}` is not known")));
        }
        let output_type = match keys.text("output_type")?.as_deref() {
            None | Some("generate_until") => OutputType::GenerateUntil,
            Some("loglikelihood") => OutputType::Loglikelihood,
            Some("loglikelihood_rolling") => OutputType::LoglikelihoodRolling,
            Some("multiple_choice") => OutputType::MultipleChoice,
            Some(_) => {
                return keys.wrong(
                    "output_type",
                    "loglikelihood, loglikelihood_rolling, multiple_choice or generate_until",
                );
            }
        };
        let target_delimiter = keys.text("target_delimiter")?.unwrap_or_else(|| " ".to_owned());
        let fewshot_delimiter =
            keys.text("fewshot_delimiter")?.unwrap_or_else(|| "\n\n".to_owned());
        let listed = |key: &str| match keys.get(key) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items.clone())),
            Some(_) => keys.wrong(key, "a list"),
        };
        let metrics = match listed("metric_list")? {
            None => None,
            Some(items) => {
                let item = |item: Value| match item {
                    Value::Object(fields) if fields.contains_key("metric") => Ok(fields),
                    _ => keys.wrong("metric_list", "a list of mappings with `metric`"),
                };
                Some(items.into_iter().map(item).collect::<Result<_, _>>()?)
            }
        };
        let mut functions = Vec::new();
        for (key, value) in fields {
            collect_functions(key, value, &mut functions);
        }
        Ok(Self {
            alias: keys.text("task_alias")?,
            dataset_path: keys.text("dataset_path")?,
            dataset_name: keys.text("dataset_name")?,
            dataset_kwargs: keys.mapping("dataset_kwargs")?,
            training_split: keys.text("training_split")?,
            validation_split: keys.text("validation_split")?,
            test_split: keys.text("test_split")?,
            process_docs: keys.function("process_docs")?,
            beyond: BEYOND.iter().find(|key| keys.get(key).is_some()).map(|key| (*key).to_owned()),
            output_type,
            description: keys.field("description")?,
            doc_to_text: keys.field("doc_to_text")?,
            doc_to_target: keys.field("doc_to_target")?,
            doc_to_choice: keys.field("doc_to_choice")?,
            gen_prefix: keys.field("gen_prefix")?,
            fewshot: FewshotPlan::of(&keys, &target_delimiter, &fewshot_delimiter)?,
            num_fewshot: keys.count("num_fewshot")?,
            generation_kwargs: generation(&keys, output_type, &fewshot_delimiter)?,
            target_delimiter,
            fewshot_delimiter,
            repeats: keys.count("repeats")?.unwrap_or(1),
            metrics,
            filters: listed("filter_list")?,
            metadata: match keys.get("metadata") {
                Some(Value::Object(fields)) => fields.clone(),
                _ => Map::new(),
            },
            functions,
            fields: fields.clone(),
            name,
        })
    }
}

impl TaskPlan {
    /// Whether the options are also asked without their question.
    pub fn asks_options_alone(&self) -> bool {
        self.has_metric("acc_mutual_info")
    }

    /// Looks through the functions that make its requests for what is not known here, before any row is read.
    ///
    /// # Errors
    ///
    /// The first that is not all known, with its file and line; or what of the task is more than text.
    pub fn check_requests(&self) -> Result<(), TaskError> {
        if let Some(key) = &self.beyond {
            return Err(TaskError::task(&self.name, format!("`{key}` cannot be asked here")));
        }
        let fewshot = &self.fewshot;
        let function = |field: &Option<Field>| match field {
            Some(Field::Function(function)) => Some(function.clone()),
            _ => None,
        };
        let made = match &fewshot.examples {
            Examples::Made(function) => Some(function.clone()),
            _ => None,
        };
        let named = [
            ("process_docs", self.process_docs.clone()),
            ("description", function(&self.description)),
            ("doc_to_text", function(&self.doc_to_text)),
            ("doc_to_target", function(&self.doc_to_target)),
            ("doc_to_choice", function(&self.doc_to_choice)),
            ("gen_prefix", function(&self.gen_prefix)),
            ("fewshot_config.process_docs", fewshot.process_docs.clone()),
            ("fewshot_config.samples", made),
            ("fewshot_config.doc_to_text", function(&fewshot.doc_to_text)),
            ("fewshot_config.doc_to_target", function(&fewshot.doc_to_target)),
            ("fewshot_config.doc_to_choice", function(&fewshot.doc_to_choice)),
        ];
        for (key, function) in named {
            if let Some(Err(error)) = function.map(|function| function.check()) {
                return Err(TaskError::task(&self.name, format!("`{key}`: {error}")));
            }
        }
        Ok(())
    }

    /// Whether the file names a metric.
    pub(super) fn has_metric(&self, name: &str) -> bool {
        let mut metrics = self.metrics.iter().flatten();
        metrics.any(|metric| metric.get("metric").and_then(Value::as_str) == Some(name))
    }
}

/// How text is generated: greedily up to the delimiter of examples, where the file does not say otherwise.
fn generation(
    keys: &Keys<'_>,
    output_type: OutputType,
    fewshot_delimiter: &str,
) -> Result<Map<String, Value>, TaskError> {
    if keys.get("generation_kwargs").is_none() {
        let defaults = json!({"temperature": 0.0, "do_sample": false, "max_gen_toks": 256, "until": [fewshot_delimiter]});
        return Ok(match defaults {
            Value::Object(defaults) if output_type == OutputType::GenerateUntil => defaults,
            _ => Map::new(),
        });
    }
    let mut own = keys.mapping("generation_kwargs")?;
    if let Some(temperature) = own.get_mut("temperature")
        && let Some(number) = temperature.as_f64()
    {
        *temperature = number.into();
    }
    own.entry("until").or_insert_with(|| json!([fewshot_delimiter]));
    Ok(own)
}

/// Every function that a value names, with the key it is the value of.
fn collect_functions(key: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => match fields.get(FUNCTION) {
            Some(Value::String(reference)) => found.push((key.to_owned(), reference.clone())),
            _ => {
                for (inner, value) in fields {
                    collect_functions(&format!("{key}.{inner}"), value, found);
                }
            }
        },
        Value::Array(items) => items.iter().for_each(|item| collect_functions(key, item, found)),
        _ => {}
    }
}
