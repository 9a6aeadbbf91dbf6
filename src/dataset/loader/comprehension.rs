//! Questions on a passage: the layout of `SQuAD`, its kin, and others.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own},
    file::{Encoding, document, items, json_lines},
    row::{Fields, Flaw, Made, Row, letter, letter_at, once, row},
    step::Step::{Own, Take},
};
use crate::dataset::DatasetError;

pub(super) const C3: ClassForm = own(&["path"], |arguments| c3(arguments, false)).unnamed();

pub(super) const C3_LETTERS: ClassForm = own(&["path"], |arguments| c3(arguments, true)).unnamed();

pub(super) const CMRC: ClassForm =
    own(&["path"], |arguments| squad(arguments, |qa| texts(qa, "answers")));

pub(super) const SQUAD: ClassForm = own(&["path"], |arguments| {
    squad(arguments, |qa| {
        if qa.at("is_impossible")? != true {
            return texts(qa, "answers");
        }
        let mut answers = texts(qa, "plausible_answers")?;
        answers.push("impossible to answer".into());
        Ok(answers)
    })
})
.unnamed();

pub(super) const MULTI_RC: ClassForm =
    own(&["path"], |arguments| multi_rc(arguments, |answer| Ok(answer.at("label")?.clone())))
        .unnamed();

pub(super) const MULTI_RC_LETTERS: ClassForm = own(&["path"], |arguments| {
    multi_rc(arguments, |answer| Ok(letter("BA", answer.whole("label")?)?.into()))
})
.unnamed();

pub(super) const RECORD: ClassForm =
    own(&["path"], |arguments| record(arguments, |text| text.replace("@highlight", ""))).unnamed();

pub(super) const RECORD_LINES: ClassForm = own(&["path"], |arguments| {
    record(arguments, |text| text.replace("@highlight", "").replace("\n\n", "\n"))
})
.unnamed();

pub(super) const QUALITY: ClassForm = own(&["path"], |arguments| {
    expanded(arguments, Encoding::Strict, |line| {
        let article = line.at("article")?;
        let question = |question: &Value| {
            let option = |index: usize| Ok(question.at(&format!("options.{index}"))?.clone());
            Ok(row([
                ("article", article.clone()),
                ("question", question.at("question")?.clone()),
                ("A", option(0)?),
                ("B", option(1)?),
                ("C", option(2)?),
                ("D", option(3)?),
                ("gold_label", letter("ABCD", question.whole("gold_label")? - 1)?.into()),
                ("difficult", question.at("difficult")?.clone()),
            ]))
        };
        line.list("questions")?.iter().map(question).collect()
    })
})
.unnamed();

pub(super) const TYDI_QA: ClassForm = files(
    &["path", "lang"],
    &[("", "{path}/dev/{lang}-dev.jsonl")],
    Format::Lines,
    &[Own(|row| {
        let answers = texts_of(row.list("answers")?)?;
        row.insert("answer".to_owned(), answers.into());
        Ok(())
    })],
);

pub(super) const DROP_PROMPTS: ClassForm = files(
    &["path"],
    &[("validation", "{path}")],
    Format::Lines,
    &[Take(&[("prompt", "context"), ("answers", "ref_text")])],
)
.unnamed();

pub(super) const STRATEGY_QA: ClassForm = one(Format::List, &[]);

/// Rows of a file of JSON lines, each of which makes several.
pub(super) fn expanded(
    arguments: &Arguments<'_>,
    encoding: Encoding,
    rows: impl Fn(&Value) -> Made<Vec<Row>>,
) -> Result<Tables, DatasetError> {
    let mut table = Vec::new();
    for item in json_lines(&arguments.path("path")?, encoding)? {
        table.extend(item.make(&rows)?);
    }
    Ok(Tables::Single(table))
}

/// The texts of records, each once.
fn texts_of(answers: &[Value]) -> Made<Vec<Value>> {
    let texts = answers.iter().map(|answer| answer.at("text")).collect::<Made<Vec<_>>>()?;
    Ok(once(texts))
}

fn texts(value: &Value, path: &str) -> Made<Vec<Value>> {
    texts_of(value.list(path)?)
}

/// Articles, their paragraphs, their questions.
fn squad(
    arguments: &Arguments<'_>,
    answers: fn(&Value) -> Made<Vec<Value>>,
) -> Result<Tables, DatasetError> {
    let document = document(&arguments.path("path")?)?;
    document.make(|value| {
        let mut rows = Vec::new();
        for article in value.list("data")? {
            for paragraph in article.list("paragraphs")? {
                let context = paragraph.at("context")?;
                for qa in paragraph.list("qas")? {
                    rows.push(row([
                        ("context", context.clone()),
                        ("question", qa.at("question")?.clone()),
                        ("answers", answers(qa)?.into()),
                    ]));
                }
            }
        }
        Ok(Tables::Single(rows))
    })
}

fn multi_rc(
    arguments: &Arguments<'_>,
    label: fn(&Value) -> Made<Value>,
) -> Result<Tables, DatasetError> {
    expanded(arguments, Encoding::Ignoring, |line| {
        let text = line.at("passage.text")?;
        let mut rows = Vec::new();
        for question in line.list("passage.questions")? {
            let asked = question.at("question")?;
            for answer in question.list("answers")? {
                rows.push(row([
                    ("text", text.clone()),
                    ("question", asked.clone()),
                    ("answer", answer.at("text")?.clone()),
                    ("label", label(answer)?),
                ]));
            }
        }
        Ok(rows)
    })
}

fn record(arguments: &Arguments<'_>, clean: fn(&str) -> String) -> Result<Tables, DatasetError> {
    expanded(arguments, Encoding::Ignoring, |line| {
        let text = clean(line.text("passage.text")?);
        let question = |qa: &Value| {
            let answers = qa.list("answers")?.iter().map(|answer| Ok(answer.at("text")?.clone()));
            Ok(row([
                ("text", text.clone().into()),
                ("question", qa.text("query")?.replace("@placeholder", "____").into()),
                ("answers", Value::Array(answers.collect::<Made<_>>()?)),
            ]))
        };
        line.list("qas")?.iter().map(question).collect()
    })
}

/// Dialogues with questions of two to four choices, filled up to four.
fn c3(arguments: &Arguments<'_>, has_letters: bool) -> Result<Tables, DatasetError> {
    let mut rows = Vec::new();
    for item in items(&arguments.path("path")?)? {
        rows.extend(item.make(|line| {
            let content = paragraphs(line.list("0")?, if has_letters { "" } else { " " })?;
            let question = |question: &Value| dialogue_question(question, &content, has_letters);
            line.list("1")?.iter().map(question).collect::<Made<Vec<Row>>>()
        })?);
    }
    Ok(Tables::Single(rows))
}

/// Paragraphs, which are texts or lists of texts.
fn paragraphs(content: &[Value], separator: &str) -> Made<String> {
    let text = |paragraph: &Value| match paragraph {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => parts
            .iter()
            .map(|part| {
                part.as_str().ok_or_else(|| Flaw("a part of a paragraph is no text".to_owned()))
            })
            .collect(),
        _ => Flaw::new("a paragraph is no text"),
    };
    Ok(content.iter().map(text).collect::<Made<Vec<String>>>()?.join(separator))
}

fn dialogue_question(question: &Value, content: &str, has_letters: bool) -> Made<Row> {
    let mut choices = question.list("choice")?.clone();
    let answer = question.at("answer")?;
    let Some(gold) = choices.iter().position(|choice| choice == answer) else {
        return Flaw::new(format!("the answer {answer} is none of the choices"));
    };
    let filler = if has_letters { "[NULL]".into() } else { choices[0].clone() };
    choices.resize(choices.len().max(4), filler);
    let label = if has_letters { letter_at("ABCD", gold)?.into() } else { gold.into() };
    let mut made =
        row([("content", content.into()), ("question", question.at("question")?.clone())]);
    for (index, choice) in choices.iter().take(4).enumerate() {
        made.insert(format!("choice{index}"), choice.clone());
    }
    if !has_letters {
        made.insert("choices".to_owned(), choices.into());
    }
    made.insert("label".to_owned(), label);
    Ok(made)
}
