//! The same question with its options turned: only who answers all turns right knows the answer.

use std::path::Path;

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, library, own},
    commonsense, exams,
    file::{Encoding, Item, json_lines},
    row::{Fields, Flaw, Made, Row, lettered as with_letters, object, row, strip},
    turning::{GoldForm, TurnForm},
};
use crate::dataset::DatasetError;

/// A class's options in the columns A to D, its gold in a column of the option's name.
const fn lettered(splits: Option<&'static [&'static str]>, gold: &'static str) -> TurnForm {
    TurnForm { splits, options: &["A", "B", "C", "D"], gold: GoldForm::Option(gold) }
}

pub(super) const ARC: ClassForm = exams::ARC.turned(TurnForm {
    splits: None,
    options: &["textA", "textB", "textC", "textD"],
    gold: GoldForm::LastLetter("answerKey"),
});
pub(super) const CEVAL: ClassForm = exams::CEVAL.turned(lettered(Some(&["val", "test"]), "answer"));
pub(super) const CMMLU: ClassForm = exams::CMMLU.turned(lettered(Some(&["test"]), "answer"));
pub(super) const COMMONSENSE_QA: ClassForm = commonsense::COMMONSENSE_QA.turned(TurnForm {
    splits: Some(&["validation"]),
    options: &["A", "B", "C", "D", "E"],
    gold: GoldForm::Option("answerKey"),
});
pub(super) const CUSTOM: ClassForm = library(&[]).of_first_row().turned(lettered(None, "answer"));
pub(super) const HELLASWAG: ClassForm =
    commonsense::HELLASWAG_LETTERS.turned(lettered(None, "label"));
pub(super) const MMLU: ClassForm = exams::MMLU.turned(lettered(Some(&["test"]), "target"));
pub(super) const OPEN_BOOK_QA: ClassForm =
    commonsense::OPEN_BOOK_QA.turned(lettered(None, "answerKey"));
pub(super) const PIQA: ClassForm = commonsense::PIQA_LETTERS.turned(TurnForm {
    splits: Some(&["validation"]),
    options: &["sol1", "sol2"],
    gold: GoldForm::LetterOfNumber("answer"),
});
pub(super) const RACE: ClassForm = exams::RACE.turned(lettered(Some(&["test"]), "answer"));
pub(super) const SIQA: ClassForm = commonsense::SIQA_LETTERS.turned(TurnForm {
    splits: Some(&["validation"]),
    options: &["A", "B", "C"],
    gold: GoldForm::Option("answer"),
});
/// The original names no split of it, and of tables with names it turns only those that are named: none.
pub(super) const XIEZHI: ClassForm = exams::XIEZHI.turned(lettered(Some(&[]), "answer"));

/// Which option stands where, turn by turn.
const TURNS: [&str; 4] = ["ABCD", "BCDA", "CDAB", "DABC"];

pub(super) const MATH_BENCH: ClassForm = own(&["path", "name", "with_circular?"], |arguments| {
    let is_cloze = arguments.text("name")?.contains("cloze");
    let is_circular = arguments.flag("with_circular", true);
    let items = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    rows(&items, |entry, number| {
        if is_cloze {
            cloze(entry)
        } else if is_circular {
            turned(entry, number)
        } else {
            let answer = strip(entry.text("answer")?).into();
            Ok(vec![row([("question", with_options(entry)?.into()), ("answer", answer)])])
        }
    })
})
.unnamed();

/// Some configs of the original give the whole path and no `filename`, which its class has no default for.
pub(super) const WIKI_BENCH: ClassForm = own(&["path", "filename?", "name"], |arguments| {
    let pattern = if arguments.is_given("filename") { "{path}{filename}" } else { "{path}" };
    by_name(arguments, &arguments.file(pattern)?, Encoding::Strict)
});

/// Questions in lines, whose data set's name says whether they have options and whether these are turned.
pub(super) fn by_name(
    arguments: &Arguments<'_>,
    path: &Path,
    encoding: Encoding,
) -> Result<Tables, DatasetError> {
    let name = arguments.text("name")?;
    rows(&json_lines(path, encoding)?, |entry, number| {
        if name.contains("cloze") {
            cloze(entry)
        } else if name.contains("circular") {
            turned(entry, number)
        } else {
            let mut made = object(entry)?.clone();
            made.insert("question".to_owned(), with_options(entry)?.into());
            Ok(vec![made])
        }
    })
}

fn rows(
    items: &[Item],
    make: impl Fn(&Value, usize) -> Made<Vec<Row>>,
) -> Result<Tables, DatasetError> {
    let made =
        items.iter().enumerate().map(|(number, item)| item.make(|entry| make(entry, number)));
    Ok(Tables::Single(made.collect::<Result<Vec<_>, _>>()?.concat()))
}

fn cloze(entry: &Value) -> Made<Vec<Row>> {
    Ok(vec![row([
        ("question", strip(entry.text("question")?).into()),
        ("answer", strip(entry.text("answer")?).into()),
    ])])
}

fn with_options(entry: &Value) -> Made<String> {
    Ok(format!("{}\n{}", strip(entry.text("question")?), with_letters(entry.list("options")?)))
}

/// Four rows; the gold names the question, the letter and the turn.
fn turned(entry: &Value, number: usize) -> Made<Vec<Row>> {
    let answer = entry.text("answer")?;
    let turn = |turn: &&str| {
        let options =
            turn.bytes().map(|letter| Ok(entry.at(&format!("options.{}", letter - b'A'))?.clone()));
        let options: Vec<Value> = options.collect::<Made<_>>()?;
        let place = turn.find(answer).filter(|_| answer.len() == 1);
        let Some(gold) = place.and_then(|place| "ABCD".get(place..=place)) else {
            return Flaw::new(format!("the answer '{answer}' is none of A, B, C, D"));
        };
        let question = format!("{}\n{}", strip(entry.text("question")?), with_letters(&options));
        let mut made = object(entry)?.clone();
        made.insert("options".to_owned(), options.into());
        made.insert("answer".to_owned(), format!("{number}--{gold}--{turn}").into());
        made.insert("question".to_owned(), question.into());
        Ok(made)
    };
    TURNS.iter().map(turn).collect()
}
