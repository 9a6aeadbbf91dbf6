//! Exams of several choices, their questions in files by subject.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own, stepped_items, tables},
    file::{Encoding, cell_rows, document, items, json_lines},
    row::{Fields, Flaw, Made, Row, letter_at, object, row},
    step::Step::{Constant, Own, Remove, Take},
};
use crate::dataset::DatasetError;

const BY_SUBJECT: &[&str] = &["path", "name"];

const SIX: Format =
    Format::Cells { names: &["input", "A", "B", "C", "D", "target"], columns: 6, header: false };

const NUMBERED: Format =
    Format::Cells { names: &["question", "A", "B", "C", "D", "answer"], columns: 7, header: true };

const DEV_AND_TEST: &[(&str, &str)] =
    &[("dev", "{path}/dev/{name}_dev.csv"), ("test", "{path}/test/{name}_test.csv")];

const PLAIN_DEV_AND_TEST: &[(&str, &str)] =
    &[("dev", "{path}/dev/{name}.csv"), ("test", "{path}/test/{name}.csv")];

pub(super) const MMLU: ClassForm = files(&["path", "name", "*"], DEV_AND_TEST, SIX, &[]);

pub(super) const MMLU_ARABIC: ClassForm = files(BY_SUBJECT, DEV_AND_TEST, SIX, &[]).unnamed();

pub(super) const CMMLU: ClassForm =
    files(&["path", "name", "*"], PLAIN_DEV_AND_TEST, NUMBERED, &[]);

pub(super) const FINANCE_IQ: ClassForm =
    files(BY_SUBJECT, PLAIN_DEV_AND_TEST, NUMBERED, &[]).unnamed();

pub(super) const CHEM_BENCH: ClassForm = files(
    BY_SUBJECT,
    &[("dev", "{path}/dev/{name}_benchmark.json"), ("test", "{path}/test/{name}_benchmark.json")],
    Format::List,
    &[Take(&[
        ("input", "question"),
        ("A", "A"),
        ("B", "B"),
        ("C", "C"),
        ("D", "D"),
        ("target", "answer"),
    ])],
);

pub(super) const RACE: ClassForm = files(
    BY_SUBJECT,
    &[("validation", "{path}/validation/{name}.jsonl"), ("test", "{path}/test/{name}.jsonl")],
    Format::Lines,
    &[Take(&[
        ("article", "article"),
        ("question", "question"),
        ("A", "options.0"),
        ("B", "options.1"),
        ("C", "options.2"),
        ("D", "options.3"),
        ("answer", "answer"),
    ])],
);

pub(super) const CEVAL: ClassForm = own(&["path", "name", "local_mode?"], ceval);

pub(super) const ARC: ClassForm = own(&["path", "name"], arc);

pub(super) const GAOKAO_BENCH: ClassForm = own(&["path", "filename", "name"], |arguments| {
    arguments.text("name")?;
    let document = document(&arguments.file("{path}{filename}")?)?;
    document.make(|value| objects(value.list("example")?)).map(Tables::Single)
});

pub(super) const MMMLU_LITE: ClassForm = own(BY_SUBJECT, |arguments| {
    let language = arguments.text("name")?.rsplit('_').next().unwrap_or_default();
    let path = arguments.path("path")?.join(language).join("test.jsonl");
    let items = json_lines(&path, Encoding::Strict)?;
    let rows = items.iter().map(|item| item.make(|value| Ok(object(value)?.clone())));
    Ok(Tables::Splits(vec![("test".into(), rows.collect::<Result<_, _>>()?)]))
});

pub(super) const GPQA: ClassForm = own(&["path", "name", "*"], gpqa).unnamed();

pub(super) const XIEZHI: ClassForm = own(BY_SUBJECT, xiezhi).unnamed();

pub(super) const CMB: ClassForm = own(&["path"], |arguments| {
    let table =
        |file: &str, steps| stepped_items(&items(&arguments.path("path")?.join(file))?, steps);
    // The answers of the test are not published.
    let unanswered = &[Own(cmb), Constant("answer", "NULL")];
    Ok(Tables::Splits(vec![
        ("val".into(), table("val.json", &[Own(cmb)])?),
        ("test".into(), table("test.json", unanswered)?),
    ]))
})
.unnamed();

pub(super) const COMMONSENSE_QA_CN: ClassForm = own(&["path"], |arguments| {
    let class = one(
        Format::Lines,
        &[
            Own(|row| {
                for (index, letter) in ('A'..='E').enumerate() {
                    let text = row.at(&format!("choices.text.{index}"))?.clone();
                    row.insert(letter.to_string(), text);
                }
                Ok(())
            }),
            Remove(&["question_concept", "id", "choices"]),
        ],
    );
    let Tables::Single(rows) = tables(&class, arguments)? else {
        return Ok(Tables::Splits(Vec::new()));
    };
    Ok(Tables::Splits(vec![("train".into(), rows.clone()), ("validation".into(), rows)]))
})
.unnamed();

/// The objects of a list.
pub(super) fn objects(values: &[Value]) -> Made<Vec<Row>> {
    values.iter().map(|value| Ok(object(value)?.clone())).collect()
}

/// Cells under the header's names, a short row having fewer; some files lack the answer.
fn ceval(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let mut splits = Vec::new();
    for split in ["dev", "val", "test"] {
        let path = arguments.file(&format!("{{path}}/{split}/{{name}}_{split}.csv"))?;
        let items = cell_rows(&path, ',')?;
        let mut cells =
            items.iter().map(|item| item.value.as_array().map_or(&[][..], Vec::as_slice));
        let header: Vec<String> = cells
            .next()
            .ok_or_else(|| DatasetError::Empty { path: path.clone() })?
            .iter()
            .filter_map(|cell| cell.as_str().map(str::to_owned))
            .collect();
        let rows: Vec<Row> = cells
            .map(|cells| {
                let mut row: Row = header.iter().cloned().zip(cells.iter().cloned()).collect();
                for missing in ["explanation", "answer"] {
                    row.entry(missing).or_insert_with(|| "".into());
                }
                row
            })
            .collect();
        if !rows.is_empty() {
            splits.push((split.into(), rows));
        }
    }
    Ok(Tables::Splits(splits))
}

/// Questions of four choices; the others are left out.
fn arc(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    arguments.text("name")?;
    let mut rows = Vec::new();
    for item in json_lines(&arguments.path("path")?, Encoding::Ignoring)? {
        rows.extend(item.make(four_choices)?);
    }
    Ok(Tables::Single(rows))
}

/// A question of four choices; nothing if it has more or fewer.
pub(super) fn four_choices(value: &Value) -> Made<Option<Row>> {
    let choices = value.list("question.choices")?;
    if choices.len() != 4 {
        return Ok(None);
    }
    let labels = choices.iter().map(|choice| choice.at("label")).collect::<Made<Vec<_>>>()?;
    let key = value.at("answerKey")?;
    let Some(gold) = labels.iter().position(|label| *label == key) else {
        return Flaw::new(format!("answerKey is {key}, which is the label of no choice"));
    };
    let text = |index: usize| Ok(value.at(&format!("question.choices.{index}.text"))?.clone());
    Ok(Some(row([
        ("question", value.at("question.stem")?.clone()),
        ("answerKey", letter_at("ABCD", gold)?.into()),
        ("textA", text(0)?),
        ("textB", text(1)?),
        ("textC", text(2)?),
        ("textD", text(3)?),
    ])))
}

/// The right answer stands first in the file; options are turned by the number of the row.
fn gpqa(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let mut rows: Vec<Row> = Vec::new();
    for item in cell_rows(&arguments.file("{path}/{name}")?, ',')? {
        let number = rows.len() + 1;
        rows.extend(item.make(|cells| {
            let question =
                cells.at("7").map_err(|_| Flaw("the row has fewer than 8 cells".to_owned()))?;
            if question == "Question" {
                return Ok(None);
            }
            let options =
                (8..12).map(|cell| cells.at(&cell.to_string())).collect::<Made<Vec<_>>>()?;
            let turned: Vec<&Value> =
                options.iter().cycle().skip(number % 4).take(4).copied().collect();
            let mut made = row([("question", question.clone())]);
            for (letter, option) in ["A", "B", "C", "D"].iter().zip(&turned) {
                made.insert((*letter).to_owned(), (*option).clone());
            }
            let gold = turned.iter().position(|option| Some(option) == options.first());
            made.insert("answer".to_owned(), letter_at("ABCD", gold.unwrap_or(0))?.into());
            Ok(Some(made))
        })?);
    }
    Ok(Tables::Single(rows))
}

fn xiezhi(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let is_chinese = arguments.text("name")?.contains("chn");
    let (train, labels) = if is_chinese {
        ("{path}/xiezhi_train_chn/xiezhi.v1.json", "labels")
    } else {
        ("{path}/xiezhi_train_eng/xiezhi.v1.json", "label")
    };
    let table = |pattern: &str| -> Result<Vec<Row>, DatasetError> {
        let mut rows = Vec::new();
        for item in json_lines(&arguments.file(pattern)?, Encoding::Strict)? {
            rows.extend(item.make(|value| {
                let options = value.text("options")?;
                let options: Vec<&str> =
                    options.strip_suffix("\"\n").unwrap_or(options).split('\n').collect();
                let [a, b, c, d] = options[..] else { return Ok(None) };
                let answer = value.text("answer")?;
                let Some(gold) = options.iter().position(|option| *option == answer) else {
                    return Flaw::new(format!("the answer '{answer}' is none of the options"));
                };
                let mut labels = value.texts(labels)?;
                labels.sort_by_key(|label| std::cmp::Reverse(label.chars().count()));
                Ok(Some(row([
                    ("question", value.at("question")?.clone()),
                    ("A", a.into()),
                    ("B", b.into()),
                    ("C", c.into()),
                    ("D", d.into()),
                    ("labels", labels.into()),
                    ("answer", letter_at("ABCD", gold)?.into()),
                ])))
            })?);
        }
        Ok(rows)
    };
    Ok(Tables::Splits(vec![
        ("train".into(), table(train)?),
        ("test".into(), table("{path}/{name}/xiezhi.v1.json")?),
    ]))
}

/// Options longer than a letter, each on its line.
fn cmb(row: &mut Row) -> Made<()> {
    let options = object(row.at("option")?)?;
    let mut lines = Vec::new();
    for (letter, option) in options {
        let Some(option) = option.as_str() else { return Flaw::new("an option is no text") };
        if option.chars().count() > 1 {
            lines.push(format!("{letter}. {option}"));
        }
    }
    let lines = lines.join("\n");
    row.insert("option_str".to_owned(), lines.into());
    Ok(())
}
