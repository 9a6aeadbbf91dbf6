//! `AGIEval`: questions of exams, for people who write on and for a choice.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    class::{ClassForm, Tables, own},
    file::{Encoding, json_lines},
    row::{Fields, Flaw, Made, Row, letter_at, row, text_or_empty},
};
use crate::{
    dataset::DatasetError,
    python::{is_truthy, python_str},
};

const FIELDS: &[&str] = &["path", "name", "setting_name"];

pub(super) const AGIEVAL: ClassForm = own(FIELDS, |arguments| read(arguments, written_out));

pub(super) const AGIEVAL_V2: ClassForm = own(FIELDS, |arguments| read(arguments, in_parts));

/// How the question of a subject is written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    English,
    Chinese,
    EnglishCloze,
    ChineseCloze,
}

const ENGLISH: &[&str] = &[
    "aqua-rat",
    "gaokao-english",
    "logiqa-en",
    "lsat-ar",
    "lsat-lr",
    "lsat-rc",
    "sat-en",
    "sat-en-without-passage",
    "sat-math",
];

const CHINESE: &[&str] = &[
    "gaokao-biology",
    "gaokao-chemistry",
    "gaokao-chinese",
    "gaokao-geography",
    "gaokao-history",
    "gaokao-mathqa",
    "gaokao-physics",
    "jec-qa-ca",
    "jec-qa-kd",
    "logiqa-zh",
];

fn style(subject: &str) -> Made<Style> {
    match subject {
        "math" => Ok(Style::EnglishCloze),
        "gaokao-mathcloze" => Ok(Style::ChineseCloze),
        _ if ENGLISH.contains(&subject) => Ok(Style::English),
        _ if CHINESE.contains(&subject) => Ok(Style::Chinese),
        _ => unknown("name", subject, &[ENGLISH, CHINESE, &["math", "gaokao-mathcloze"]].concat()),
    }
}

fn read(
    arguments: &Arguments<'_>,
    make: fn(&Value, usize, &str) -> Made<Row>,
) -> Result<Tables, DatasetError> {
    let setting = arguments.text("setting_name")?;
    if setting != "zero-shot" {
        return arguments.asked(unknown("setting_name", setting, &["zero-shot"]));
    }
    let subject = arguments.text("name")?;
    let items = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let rows = items.iter().enumerate();
    rows.map(|(index, item)| item.make(|value| make(value, index, subject)))
        .collect::<Result<_, _>>()
        .map(Tables::Single)
}

fn gold(value: &Value) -> Made<&Value> {
    let label = value.at("label")?;
    if is_truthy(label) { Ok(label) } else { value.at("answer") }
}

/// One text that the model goes on with.
fn written_out(value: &Value, index: usize, subject: &str) -> Made<Row> {
    let passage = value.at("passage")?;
    let passage = if passage.is_null() { "" } else { value.text("passage")? };
    let question = value.text("question")?;
    let style = style(subject)?;
    let last = |lone: usize| {
        let count = value.list("options")?.len();
        let count = if count == 1 { lone } else { count };
        let last = count.checked_sub(1).ok_or_else(|| Flaw("there are no options".to_owned()))?;
        letter_at("ABCDEFG", last)
    };
    let text = match style {
        Style::English => format!(
            "{passage}Q: {question} Answer Choices: {}\nA: Among A through {}, the answer is",
            value.texts("options")?.join(" "),
            last(5)?
        ),
        Style::Chinese => format!(
            "{passage}问题：{question} 选项：{}\n答案：从A到{}, 我们应选择",
            value.texts("options")?.join(" "),
            last(4)?
        ),
        Style::EnglishCloze => format!("{passage}Q: {question}\nA: The answer is"),
        Style::ChineseCloze => format!("{passage}问题：{question}\n答案："),
    };
    Ok(row([("id", index.into()), ("problem_input", text.into()), ("label", gold(value)?.clone())]))
}

/// Question, options and gold apart.
fn in_parts(value: &Value, _: usize, _: &str) -> Made<Row> {
    let question = format!("{}{}", text_or_empty(value, "passage")?, value.text("question")?);
    let options = if is_truthy(value.at("options")?) {
        value.texts("options")?.join("\n")
    } else {
        String::new()
    };
    let label = match gold(value)? {
        Value::Null => Value::Null,
        Value::Array(letters) => letters.iter().map(python_str).collect::<String>().into(),
        other => python_str(other).into(),
    };
    Ok(row([("question", question.into()), ("options", options.into()), ("label", label)]))
}
