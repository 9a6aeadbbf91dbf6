//! Questions on long documents: a whole story, a page of evidence, a paper.

use crate::python::is_truthy;
use std::path::Path;

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::{Encoding, cell_rows, document, text},
    row::{Fields, Flaw, Made, Row, object, once, row, text_or_empty},
};
use crate::dataset::DatasetError;

/// What is read of a document at most.
const MOST_LETTERS: usize = 100_000;

pub(super) const DROP: ClassForm = own(&["path", "only_number?"], drop_questions).unnamed();

pub(super) const NARRATIVE_QA: ClassForm = own(&["path"], narratives).unnamed();

pub(super) const TRIVIA_QA_EVIDENCE: ClassForm = own(&["path"], evidence).unnamed();

pub(super) const QASPER: ClassForm = own(&["path"], |arguments| papers(arguments, false)).unnamed();

pub(super) const QASPER_CUT: ClassForm =
    own(&["path"], |arguments| papers(arguments, true)).unnamed();

/// The beginning of a file.
fn beginning(path: &Path) -> Result<String, DatasetError> {
    Ok(text(path, Encoding::Strict)?.chars().take(MOST_LETTERS).collect())
}

/// Questions of DROP, those without a number among their answers left out unless they are wanted.
fn drop_questions(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let only_numbers = arguments.flag("only_number", true);
    let document = document(&arguments.path("path")?)?;
    let rows = document.make(|value| {
        let mut rows = Vec::new();
        for passage in object(value)?.values() {
            for qa in passage.list("qa_pairs")? {
                let validated = qa.list("validated_answers")?;
                let numbers = validated.iter().map(|answer| Ok(is_truthy(answer.at("number")?)));
                let has_number = numbers.collect::<Made<Vec<bool>>>()?.contains(&true);
                if only_numbers && !has_number {
                    continue;
                }
                let answers = validated.iter().map(drop_answers).collect::<Made<Vec<_>>>()?;
                rows.push(row([
                    ("prompt", passage.at("passage")?.clone()),
                    ("question", qa.at("question")?.clone()),
                    ("answers", once(answers.iter().flatten()).into()),
                ]));
            }
        }
        Ok(rows)
    })?;
    Ok(Tables::Splits(vec![("validation".into(), rows)]))
}

/// A number, or else a date, or else spans.
fn drop_answers(answer: &Value) -> Made<Vec<Value>> {
    let number = answer.at("number")?;
    if is_truthy(number) {
        return Ok(vec![number.clone()]);
    }
    let parts = ["day", "month", "year"].map(|part| answer.text(&format!("date.{part}")));
    let parts = parts.into_iter().collect::<Made<Vec<&str>>>()?;
    if parts.iter().any(|part| !part.is_empty()) {
        return Ok(vec![super::row::strip(&parts.join(" ")).into()]);
    }
    answer.list("spans").cloned()
}

/// Stories that lie in files of their own; a question whose story is missing is left out.
fn narratives(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let folder = arguments.path("path")?;
    let mut splits = ["train", "valid", "test"].map(|split| (split.into(), Vec::<Row>::new()));
    for item in cell_rows(&folder.join("qaps.csv"), ',')? {
        let cell =
            |index: usize| item.make(|cells| cells.text(&index.to_string()).map(str::to_owned));
        let split = cell(1)?;
        if split == "set" {
            continue;
        }
        let (story, question, answers) = (cell(0)?, cell(2)?, vec![cell(3)?, cell(4)?]);
        let Ok(evidence) = beginning(&folder.join("tmp").join(format!("{story}.content"))) else {
            continue;
        };
        let rows = splits.iter_mut().find(|(name, _)| *name == split);
        let (_, rows) = item.make(|_| {
            rows.ok_or_else(|| Flaw(format!("the split '{split}' is none of train, valid, test")))
        })?;
        rows.push(row([
            ("answer", answers.into()),
            ("question", question.into()),
            ("evidence", evidence.into()),
        ]));
    }
    Ok(Tables::Splits(splits.into_iter().collect()))
}

/// Questions with the first page that was found for them.
fn evidence(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let folder = arguments.path("path")?;
    let mut rows = Vec::new();
    for (file, pages, place, has_own_answers) in [
        ("verified-web-dev.json", "SearchResults", "web", true),
        ("verified-wikipedia-dev.json", "EntityPages", "wikipedia", false),
    ] {
        let document = document(&folder.join("qa").join(file))?;
        let questions = document.make(|value| value.list("Data").cloned())?;
        for question in &questions {
            let (answers, asked, page) = document.make(|_| {
                let mut answers = question.list("Answer.Aliases")?.clone();
                if has_own_answers {
                    answers.extend(question.list("Answer.HumanAnswers")?.iter().cloned());
                }
                let page = if is_truthy(question.at(pages)?) {
                    Some(question.text(&format!("{pages}.0.Filename"))?)
                } else {
                    None
                };
                Ok((answers, question.at("Question")?.clone(), page))
            })?;
            let evidence = match page {
                Some(page) => beginning(&folder.join("evidence").join(place).join(page))?,
                None => String::new(),
            };
            rows.push(row([
                ("answer", answers.into()),
                ("question", asked),
                ("evidence", evidence.into()),
            ]));
        }
    }
    Ok(Tables::Splits(vec![("dev".into(), rows)]))
}

/// Papers with the questions that have spans for an answer; from the first clue on, if they are cut.
fn papers(arguments: &Arguments<'_>, is_cut: bool) -> Result<Tables, DatasetError> {
    let document = document(&arguments.path("path")?.join("qasper-dev-v0.3.json"))?;
    let rows = document.make(|value| {
        let mut rows = Vec::new();
        for paper in object(value)?.values() {
            let section = |section: &Value| {
                let name = text_or_empty(section, "section_name")?;
                Ok(format!("{name}\n{}\n", section.texts("paragraphs")?.join("\n")))
            };
            let sections =
                paper.list("full_text")?.iter().map(section).collect::<Made<Vec<_>>>()?;
            let text = sections.join("\n");
            for qa in paper.list("qas")? {
                let mut answers = Vec::new();
                let mut begin = None;
                for answer in qa.list("answers")? {
                    answers.extend(answer.list("answer.extractive_spans")?.iter().cloned());
                    if is_cut {
                        for clue in answer.texts("answer.evidence")? {
                            // One that is not found counts as one at the beginning.
                            let place = text.find(clue).unwrap_or(0);
                            begin = Some(begin.map_or(place, |begin: usize| begin.min(place)));
                        }
                    }
                }
                if !answers.is_empty() {
                    let evidence = text.get(begin.unwrap_or(0)..).unwrap_or_default();
                    rows.push(row([
                        ("answer", answers.into()),
                        ("question", qa.at("question")?.clone()),
                        ("evidence", evidence.into()),
                    ]));
                }
            }
        }
        Ok(rows)
    })?;
    Ok(Tables::Splits(vec![("dev".into(), rows)]))
}
