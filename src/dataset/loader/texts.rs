//! Files that are taken almost as they are: lists and lines by name, texts to be scored whole, first cells.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, own, stepped_items},
    file::{Encoding, Item, cell_rows, json_lines, json_rows},
    row::{Fields, lettered, object, row, strip},
    step::{Step, Step::Own},
};
use crate::dataset::DatasetError;

pub(super) const EXAM: ClassForm = own(&["path", "name"], |arguments| {
    let has_options = ["single_choice", "multi_choice"].contains(&arguments.text("name")?);
    let make = |value: &Value| {
        let mut made = object(value)?.clone();
        if has_options {
            let options = lettered(value.list("options")?);
            let question = format!("{}\n{options}", strip(value.text("question")?));
            made.insert("question".to_owned(), question.into());
        }
        Ok(made)
    };
    let lines = json_lines(&arguments.path("path")?, Encoding::Strict)?;
    lines.iter().map(|line| line.make(make)).collect::<Result<_, _>>().map(Tables::Single)
})
.unnamed();

/// Texts to be compressed or scored whole, empty ones left out.
pub(super) const COMPRESSED: ClassForm = own(&["path", "name?", "samples?"], |arguments| {
    texts(arguments, "content", &["json", "jsonl"])
})
.unnamed();

pub(super) const SCORED_TEXTS: ClassForm =
    own(&["path", "name?", "samples?"], |arguments| texts(arguments, "text", &["jsonl"])).unnamed();

fn texts(
    arguments: &Arguments<'_>,
    column: &str,
    endings: &[&str],
) -> Result<Tables, DatasetError> {
    let folder = arguments.path("path")?;
    let name = arguments.text_or("name", "None")?;
    let places: Vec<_> =
        endings.iter().map(|ending| folder.join(format!("{name}.{ending}"))).collect();
    let place = places.iter().find(|place| place.exists()).or(places.last());
    let items = json_rows(place.unwrap_or(&folder))?;
    let most = arguments.whole("samples", i64::MAX)?;
    let most = usize::try_from(most).unwrap_or(0);
    let mut rows = Vec::new();
    for item in items.iter().take(most) {
        rows.extend(item.make(|value| {
            let is_empty = value.text(column)?.is_empty();
            Ok(if is_empty { None } else { Some(object(value)?.clone()) })
        })?);
    }
    Ok(Tables::Single(rows))
}

const FIRST_OF_LIST: &[Step] = &[Own(|row| {
    let first = row.at("answer.0")?.clone();
    row.insert("answer".to_owned(), first);
    Ok(())
})];

pub(super) const NATURAL_QUESTIONS_CN: ClassForm = own(&["path"], |arguments| {
    let folder = arguments.path("path")?;
    let table = |split: &str, steps| {
        let items = json_lines(&folder.join(format!("{split}.jsonl")), Encoding::Strict)?;
        stepped_items(&items, steps)
    };
    Ok(Tables::Splits(vec![
        ("dev".into(), table("dev", FIRST_OF_LIST)?),
        ("test".into(), table("test", &[])?),
    ]))
})
.unnamed();

pub(super) const NAMED_LIST: ClassForm =
    files(&["path", "name"], &[("", "{path}/{name}.json")], Format::List, &[]).unnamed();

pub(super) const INDEXED_LIST: ClassForm =
    files(&["path", "index"], &[("", "{path}/{index}.json")], Format::List, &[]).unnamed();

pub(super) const NAMED_EXAMPLES: ClassForm =
    files(&["path", "name"], &[("", "{path}/{name}.json")], Format::ListAt("examples"), &[])
        .unnamed();

/// Whether each file is one text, the first cell of a line.
pub(super) const FIRST_CELL: ClassForm = own(&["path"], |arguments| {
    let lines = cell_rows(&arguments.path("path")?, ';')?;
    let make = |cells: &Value| {
        let text = cells.at("0").cloned().unwrap_or_else(|_| "".into());
        Ok(row([("input", text)]))
    };
    lines.iter().map(|line| line.make(make)).collect::<Result<_, _>>().map(Tables::Single)
})
.unnamed();

/// A task for each file, the rows counted.
pub(super) const TASKS: ClassForm = own(&["path", "name", "setting_name"], |arguments| {
    arguments.one_of("setting_name", &["zero-shot"])?;
    let lines = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let make = |(index, line): (usize, &Item)| {
        line.make(|value| {
            Ok(row([
                ("id", index.into()),
                ("problem_input", value.at("question")?.clone()),
                ("label", value.at("answer")?.clone()),
            ]))
        })
    };
    lines.iter().enumerate().map(make).collect::<Result<_, _>>().map(Tables::Single)
})
.unnamed();
