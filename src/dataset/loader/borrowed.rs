//! Classes whose prompts stand in OpenCompass's own modules. Those are other people's texts and not shipped: they are
//! read in the user's package, and a class without them is refused with what to do.

use std::{collections::BTreeSet, env, path::PathBuf};

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::{document, items, malformed},
    row::{Fields, Flaw, Made, Row, formatted, row, strip},
};
use crate::{
    config::{ConfigError, ModuleTexts, Piece},
    dataset::DatasetError,
    python::{is_truthy, python_str},
};

/// The variable that names the folder with the package, as in `site-packages`.
pub(crate) const PACKAGES: &str = "SURPRISAL_OPENCOMPASS";

/// Where a module of the package lies, if the package is named.
pub(crate) fn module_path(module: &str) -> Option<PathBuf> {
    let folder = env::var_os(PACKAGES).filter(|folder| !folder.is_empty())?;
    Some(PathBuf::from(folder).join(module))
}

/// What a name is bound to in a module of the package; nothing if no package is named.
pub(crate) fn module_value(module: &str, name: &str) -> Option<Result<Value, ConfigError>> {
    let read = |path: PathBuf| {
        let texts = ModuleTexts::read(&path)?;
        Ok(texts.value(name).unwrap_or_default())
    };
    module_path(module).map(read)
}

/// A file of the package; where none is named, what to do.
pub(super) fn module_file(
    arguments: &Arguments<'_>,
    module: &str,
) -> Result<PathBuf, DatasetError> {
    let missing = || {
        let what = format!(
            "its prompts are OpenCompass's own and not shipped; install opencompass 0.5.4 and name the folder that holds `opencompass/` in {PACKAGES}"
        );
        malformed(&format!("data set {}", arguments.abbr), Flaw(what))
    };
    module_path(module).ok_or_else(missing)
}

/// The texts of a module of the package.
pub(super) fn texts(arguments: &Arguments<'_>, module: &str) -> Result<ModuleTexts, DatasetError> {
    let path = module_file(arguments, module)?;
    ModuleTexts::read(&path).map_err(|error| {
        let what = format!("its prompts cannot be read in {PACKAGES}: {error}");
        malformed(&format!("data set {}", arguments.abbr), Flaw(what))
    })
}

/// The pieces of an f-string put together.
pub(super) fn joined(pieces: &[Piece], fields: &[(&str, &str)]) -> Made<String> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(own) => text.push_str(own),
            Piece::Field(name) => {
                let value = fields.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
                text.push_str(value.ok_or_else(|| Flaw(format!("nothing fills {{{name}}}")))?);
            }
        }
    }
    Ok(text)
}

const BABI_LONG_PROMPTS: &str = "opencompass/datasets/babilong/prompts.py";

const BABI_TASKS: &[&str] =
    &["qa1", "qa2", "qa3", "qa4", "qa5", "qa6", "qa7", "qa8", "qa9", "qa10"];

const BABI_LENGTHS: &[&str] =
    &["0k", "1k", "2k", "4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m"];

pub(super) const BABI_LONG: ClassForm = own(
    &["path", "task", "split_name", "use_instruction?", "use_examples?", "use_post_prompt?"],
    |arguments| {
        let task = arguments.one_of("task", BABI_TASKS)?;
        let length = arguments.one_of("split_name", BABI_LENGTHS)?;
        let path = arguments.path("path")?.join(task).join(format!("{length}.json"));
        let samples = items(&path)?;
        let texts = texts(arguments, BABI_LONG_PROMPTS)?;
        let prompts = texts.value("DEFAULT_PROMPTS").unwrap_or_default();
        let template = texts.value("DEFAULT_TEMPLATE").unwrap_or_default();
        let text = |part: &str| -> Result<&str, DatasetError> {
            if !arguments.flag(&format!("use_{part}"), true) {
                return Ok("");
            }
            let found = prompts.text(&format!("{task}.{part}"));
            found.map_err(|flaw| malformed(BABI_LONG_PROMPTS, flaw))
        };
        let parts = (text("instruction")?, text("examples")?, text("post_prompt")?);
        let make = |sample: &Value| {
            let (context, question) = (sample.text("input")?, python_str(sample.at("question")?));
            let prompt = formatted(
                template.as_str().unwrap_or_default(),
                &[],
                &[
                    ("instruction", parts.0),
                    ("examples", parts.1),
                    ("post_prompt", parts.2),
                    ("context", strip(context)),
                    ("question", &question),
                ],
            )?;
            Ok(row([
                ("prompt", vec![strip(&prompt)].into()),
                ("answer", vec![sample.at("target")?.clone()].into()),
            ]))
        };
        if template.as_str().is_none_or(str::is_empty) {
            return arguments.asked(Flaw::new(format!("{BABI_LONG_PROMPTS} has no template")));
        }
        samples.iter().map(|sample| sample.make(make)).collect::<Result<_, _>>().map(Tables::Single)
    },
)
.with_texts(&[BABI_LONG_PROMPTS]);

const MUSR_PROMPTS: &str = "opencompass/datasets/musr/musr.py";

/// What marks the hint in a prompt.
const HINT: &str = "config[\"hint\"]";

pub(super) const MUSR: ClassForm = own(
    &[
        "path",
        "name",
        "self_consistency_n?",
        "exclude_contrastive_examples?",
        "reverse_contrastive_sample?",
        "skip_ablated?",
        "randomize?",
        "offset?",
        "sample_size?",
        "*",
    ],
    |arguments| {
        let name = arguments.one_of("name", MUSR_TASKS)?;
        let document = document(&arguments.path("path")?.join(format!("{name}.json")))?;
        let texts = texts(arguments, MUSR_PROMPTS)?;
        let tasks = texts.value("DATASET_CONFIGS").unwrap_or_default();
        let odd = |flaw| malformed(MUSR_PROMPTS, flaw);
        let task = Task::new(&tasks, name, &texts).map_err(odd)?;
        let times = arguments.whole("self_consistency_n", 1)?;
        let rows = document.make(|value| {
            let examples = value.as_array().ok_or_else(|| Flaw("expected a list".to_owned()))?;
            let mut rows = Vec::new();
            for example in chosen(arguments, examples)? {
                for question in example.list("questions")? {
                    for number in 0..times {
                        rows.push(task.row(example, question, number, times)?);
                    }
                }
            }
            Ok(rows)
        })?;
        Ok(Tables::Single(rows))
    },
)
.with_texts(&[MUSR_PROMPTS]);

const MUSR_TASKS: &[&str] = &["murder_mysteries", "object_placements", "team_allocation"];

/// The examples that are asked: perhaps one of each story, perhaps from one on, perhaps so many.
fn chosen<'a>(arguments: &Arguments<'_>, examples: &'a [Value]) -> Made<Vec<&'a Value>> {
    let is_contrastive = arguments.flag("exclude_contrastive_examples", false);
    let is_reversed = arguments.flag("reverse_contrastive_sample", false);
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for example in examples {
        let story = example.at("questions.0.intermediate_data.0.story_hash_id").ok();
        let story = story.filter(|story| is_truthy(story) && is_contrastive);
        let is_kept = match story {
            None => true,
            Some(story) => seen.insert(python_str(story)) != is_reversed,
        };
        if is_kept {
            kept.push(example);
        }
    }
    let number = |field: &str| match arguments.fields.get(field).filter(|value| !value.is_null()) {
        Some(_) => arguments.fields.whole(field),
        None => Ok(0),
    };
    let (offset, most) = (number("offset")?, number("sample_size")?);
    let (Ok(offset), Ok(most)) = (usize::try_from(offset), usize::try_from(most)) else {
        return Flaw::new("offset and sample_size cannot be negative");
    };
    let most = if most == 0 { kept.len() } else { most.min(kept.len()) };
    Ok(kept.into_iter().skip(offset).take(most).collect())
}

/// What a task is asked with.
struct Task {
    system: String,
    hint: String,
    modifier: i64,
    prompt: Vec<Piece>,
}

impl Task {
    fn new(tasks: &Value, name: &str, texts: &ModuleTexts) -> Made<Self> {
        let task = tasks.at(name)?;
        let is_hinted = |piece: &Piece| matches!(piece, Piece::Field(field) if field == HINT);
        let mut templates = texts.templates("prompt");
        templates.retain(|template| template.iter().any(is_hinted));
        let hint_is_first = task.at("hint_before_question").is_ok_and(is_truthy);
        let Ok([before, behind]) = <[_; 2]>::try_from(templates) else {
            return Flaw::new("there are not two prompts with a hint; opencompass 0.5.4 has them");
        };
        Ok(Self {
            system: task.text("system_prompt")?.to_owned(),
            hint: task.text("hint")?.to_owned(),
            modifier: task.whole("answer_index_modifier")?,
            prompt: if hint_is_first { before } else { behind },
        })
    }

    fn row(&self, example: &Value, question: &Value, number: i64, times: i64) -> Made<Row> {
        let choices = question.list("choices")?;
        let lines = (1..).zip(choices);
        let lines = lines.map(|(number, choice)| format!("{number} - {}", python_str(choice)));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let context = example.at("context")?;
        let mut prompt = String::new();
        for piece in &self.prompt {
            match piece {
                Piece::Text(text) => prompt.push_str(text),
                Piece::Field(field) => match field.as_str() {
                    "ex_str" => {}
                    "context" => prompt.push_str(&python_str(context)),
                    "choices_str" => prompt.push_str(&lines),
                    "question[\"question\"]" => {
                        prompt.push_str(&python_str(question.at("question")?));
                    }
                    HINT => prompt.push_str(&self.hint),
                    other => return Flaw::new(format!("nothing fills {{{other}}} of its prompt")),
                },
            }
        }
        let none = || Value::Array(Vec::new());
        let answer = question.whole("answer")?;
        Ok(row([
            ("context", context.clone()),
            ("question_text", question.at("question")?.clone()),
            ("question", question.clone()),
            ("answer", question.at("answer")?.clone()),
            ("choices", choices.clone().into()),
            ("choices_str", lines.into()),
            (
                "intermediate_trees",
                question.get("intermediate_trees").cloned().unwrap_or_else(none),
            ),
            ("intermediate_data", question.get("intermediate_data").cloned().unwrap_or_else(none)),
            ("prompt", prompt.into()),
            ("system_prompt", self.system.as_str().into()),
            ("gold_answer", answer.saturating_add(self.modifier).into()),
            ("scidx", number.into()),
            ("self_consistency_n", times.into()),
            ("ablation_name", "cot+".into()),
        ]))
    }
}
