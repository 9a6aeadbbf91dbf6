//! `NeedleBench` with several sentences at once: each is hidden in the document and asked for.
//!
//! What their first draw leaves without a seed has a fixed one, and the run says so.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::{Encoding, split_lines, text},
    haystack::{Depths, Haystack},
    lineage::{UNSEEDED, UNSEEDED_SEED},
    needles::{Asking, files_of_several, pair, rows},
    row::{Fields, Flaw, Made},
};
use crate::{
    dataset::DatasetError,
    python::{PythonRandom, python_str},
};

const AT_ONCE: &str = "opencompass/datasets/needlebench/parallel.py";
const AT_ONCE_V2: &str = "opencompass/datasets/needlebench_v2/parallel.py";

pub(super) const PARALLEL: ClassForm = own(
    &[
        "path",
        "needle_file_name",
        "length",
        "depths",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "guide",
        "language",
        "position?",
    ],
    |arguments| parallel(arguments, &Asking::new(arguments, AT_ONCE, "position")?),
)
.with_texts(&[AT_ONCE])
.with_note(UNSEEDED);

pub(super) const PARALLEL_V2: ClassForm = own(
    &[
        "path",
        "needle_file_name",
        "length",
        "depths",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "language",
        "quesiton_position?",
    ],
    |arguments| parallel(arguments, &Asking::new(arguments, AT_ONCE_V2, "quesiton_position")?),
)
.with_texts(&[AT_ONCE_V2])
.with_note(UNSEEDED);

/// Several sentences in each document, each with a question of its own.
fn parallel(arguments: &Arguments<'_>, asking: &Asking) -> Result<Tables, DatasetError> {
    let listed = arguments.asked(arguments.fields.list("depths"))?;
    let haystack = Haystack::new(arguments, arguments.asked(Depths::listed(listed))?)?;
    let known = different(&haystack.needle_file()?, listed.len(), &asking.language)?;
    let depths: Vec<String> = listed.iter().map(python_str).collect();
    let (mark, stop) = if asking.language == "Chinese" { ('？', '。') } else { ('?', '.') };
    let made = haystack.documents(files_of_several(), |number, hide| {
        let mut needles: Vec<&Value> = known.iter().collect();
        PythonRandom::from_seed(number).shuffle(&mut needles);
        let (mut questions, mut formats) = (Vec::new(), Vec::new());
        for needle in &needles {
            let question = needle.text("retrieval_question")?;
            let asked = question.split(mark).next().unwrap_or_default();
            questions.push(format!("{asked}{mark}"));
            let format = question.split('\'').nth(1);
            let format = format.ok_or_else(|| Flaw(format!("no format is quoted: {question}")))?;
            formats.push(format.split(stop).next().unwrap_or_default());
        }
        let (questions, formats) = (questions.join("、"), formats.join("、"));
        let mut question = if asking.language == "Chinese" {
            format!("{questions}请按照'{formats}'的格式回答。")
        } else {
            format!("{questions}Please answer in the format of '{formats}'")
        };
        if asking.is_guided {
            question = asking.hinted(&question, "_modify_retrieval_question")?;
        }
        let keywords: Vec<&str> =
            needles.iter().map(|needle| needle.text("arg2")).collect::<Made<_>>()?;
        let answer = format!("{}#{}", keywords.join("*"), depths.join("*"));
        let hidden = needles.iter().map(|needle| Ok(format!("\n{}\n", needle.text("needle")?)));
        let document = hide(&hidden.collect::<Made<Vec<String>>>()?)?;
        Ok(pair(asking.prompt(&document, &question, "")?, answer))
    })?;
    Ok(rows(made))
}

/// So many needles of a language that share no key and no value, from the lines in a drawn order; lines that are not JSON are
/// passed over.
fn different(path: &Path, count: usize, language: &str) -> Result<Vec<Value>, DatasetError> {
    let text = text(path, Encoding::Strict)?;
    let mut lines: Vec<&str> = split_lines(&text).collect();
    PythonRandom::from_seed(UNSEEDED_SEED).shuffle(&mut lines);
    let (mut keys, mut values) = (BTreeSet::new(), BTreeSet::new());
    let mut found = Vec::new();
    let entries = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for entry in entries.filter(|entry| entry.get("language") == Some(&language.into())) {
        let part = |name: &str| entry.get(name).map_or_else(String::new, python_str);
        let (key, value) = (part("arg1"), part("arg2"));
        if !keys.contains(&key) && !values.contains(&value) {
            keys.insert(key);
            values.insert(value);
            found.push(entry);
        }
        if found.len() == count {
            break;
        }
    }
    Ok(found)
}
