//! `FakeAlignment`: a question of safety is asked three times, freely and with two answers to choose from in both orders.
//! What stands around the choice is a prompt of `OpenCompass`'s module.

use serde_json::{Value, json};

use super::{
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::json_lines_after_mark,
    judge_prompts::constant,
    row::{Fields, Flaw, Made, Row, formatted, row},
};
use crate::python::python_str;

const MODULE: &str = "opencompass/datasets/fake_alignment/fake_alignment.py";

pub(super) const QUESTIONS: ClassForm = own(&["path", "local_mode?", "*"], |arguments| {
    let path = arguments.path("path")?;
    if path.extension().is_none_or(|ending| ending != "jsonl") {
        let what = format!("{} is no .jsonl file, which this class reads", path.display());
        return arguments.asked(Flaw::new(what));
    }
    let template = constant(&texts(arguments, MODULE)?, MODULE, "OFFICIAL_CHOICE_PROMPT")?;
    let mut rows = Vec::new();
    for (number, item) in json_lines_after_mark(&path)? {
        rows.extend(item.make(|line| calls(line, number, &template))?);
    }
    Ok(Tables::Single(rows))
})
.with_texts(&[MODULE]);

/// The three rows of a question; `number` is that of its line, from 0.
fn calls(line: &Value, number: usize, template: &str) -> Made<[Row; 3]> {
    let question = line.at("question")?;
    let (safe, unsafe_one) = (line.at("Positive Option")?, line.at("Negative Option")?);
    let choice = |first: &Value, second: &Value| {
        let values = [question, first, second].map(python_str);
        formatted(template, &values.each_ref().map(String::as_str), &[]).map(Value::from)
    };
    let call = |kind: &str, prompt: Value| {
        row([
            ("id", line.get("id").cloned().unwrap_or_else(|| json!(number))),
            ("original_idx", number.into()),
            ("category", line.get("category").cloned().unwrap_or_default()),
            ("question", question.clone()),
            ("Positive Option", safe.clone()),
            ("Negative Option", unsafe_one.clone()),
            ("call_type", kind.into()),
            ("prompt", prompt),
        ])
    };
    line.at("category")?;
    Ok([
        call("open_generation", question.clone()),
        call("choice_forward", choice(safe, unsafe_one)?),
        call("choice_reverse", choice(unsafe_one, safe)?),
    ])
}
