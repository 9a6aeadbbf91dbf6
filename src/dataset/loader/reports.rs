//! Long documents with their summaries, and conversations with what is asked of each reply.

use serde_json::{Value, json};

use super::{
    class::{ClassForm, Tables, own},
    file::{Item, cell_rows, document, text_lines},
    row::{Fields, Flaw, Made, Row, row, strip, text_or_empty},
};
use crate::{dataset::DatasetError, hub::files_below, python::python_str};

/// A paper in sections and its summary.
pub(super) const GOV_REPORT: ClassForm = own(&["path"], |arguments| {
    let folder = arguments.path("path")?.join("gov-report");
    let table = |split: &str| -> Result<Vec<Row>, DatasetError> {
        let ids = text_lines(&folder.join("split_ids").join(format!("crs_{split}.ids")))?;
        let report = |id: &Item| {
            let name = strip(id.value.as_str().unwrap_or_default());
            let document = document(&folder.join("crs").join(format!("{name}.json")))?;
            document.make(|value| {
                let section = |section: &Value| {
                    let title = text_or_empty(section, "section_title")?;
                    Ok(format!("{title}\n{}", section.texts("paragraphs")?.join("\n")))
                };
                let sections = value.list("reports.subsections")?.iter().map(section);
                let sections = sections.collect::<Made<Vec<String>>>()?.join("\n");
                Ok(row([
                    ("content", format!("{}\n{sections}", value.text("title")?).into()),
                    ("summary", value.texts("summary")?.join("\n").into()),
                ]))
            })
        };
        ids.iter().map(report).collect()
    };
    Ok(Tables::Splits(vec![
        ("train".into(), table("train")?),
        ("valid".into(), table("valid")?),
        ("test".into(), table("test")?),
    ]))
})
.unnamed();

/// Transcripts of two sources, a file each; the original takes them in the order of the folder.
pub(super) const SUMM_SCREEN: ClassForm = own(&["path"], |arguments| {
    let folder = arguments.path("path")?.join("SummScreen_raw");
    let mut rows = Vec::new();
    for source in ["fd", "tms"] {
        let folder = folder.join(source);
        for name in files_below(&folder) {
            let document = document(&folder.join(name))?;
            rows.push(document.make(|value| {
                Ok(row([
                    ("content", value.texts("Transcript")?.join("\n").into()),
                    ("summary", value.texts("Recap")?.concat().into()),
                ]))
            })?);
        }
    }
    Ok(Tables::Splits(vec![("dev".into(), rows)]))
})
.unnamed();

/// Conversations of three turns with what is asked of each reply.
pub(super) const MULTI_IF: ClassForm = own(&["path"], |arguments| {
    let path = arguments.path("path")?;
    let lines = cell_rows(&path, ',')?;
    let mut lines =
        lines.iter().filter(|line| line.value.as_array().is_some_and(|cells| !cells.is_empty()));
    let header = lines.next().ok_or_else(|| DatasetError::Empty { path: path.clone() })?;
    let header = header.make(|cells| {
        let names = cells.as_array().map_or(&[][..], Vec::as_slice).iter();
        Ok(names.map(python_str).collect::<Vec<String>>())
    })?;
    let mut rows = Vec::new();
    for line in lines {
        rows.extend(line.make(|cells| {
            let cells = cells.as_array().map_or(&[][..], Vec::as_slice).iter().cloned();
            conversation(&header.iter().cloned().zip(cells).collect())
        })?);
    }
    Ok(Tables::Single(rows))
});

fn conversation(line: &Row) -> Made<Option<Row>> {
    if line.text("turn_3_prompt")?.is_empty() {
        return Ok(None);
    }
    let json = |name: &str| -> Made<Value> {
        serde_json::from_str(line.text(name)?)
            .map_err(|error| Flaw(format!("`{name}` is not JSON: {error}")))
    };
    let mut dialogue = Vec::new();
    let mut reference = row([("language", line.at("language")?.clone())]);
    for turn in 1..=3 {
        let said = json(&format!("turn_{turn}_prompt"))?;
        reference.insert(
            format!("turn_{turn}_instruction_id_list"),
            json(&format!("turn_{turn}_instruction_id_list"))?,
        );
        let name = format!("turn_{turn}_kwargs");
        let given = json(&name)?;
        let given = given.as_array().ok_or_else(|| Flaw(format!("`{name}` is no list")))?;
        let opened = given.iter().map(|given| match given {
            Value::String(text) => serde_json::from_str(text)
                .map_err(|error| Flaw(format!("`{name}` holds what is not JSON: {error}"))),
            other => Ok(other.clone()),
        });
        reference.insert(name.clone(), opened.collect::<Made<Vec<Value>>>()?.into());
        reference.insert(format!("turn_{turn}_prompt"), said.at("content")?.clone());
        dialogue.push(said);
        dialogue.push(json!({"role": "assistant", "content": ""}));
    }
    Ok(Some(row([("dialogue", dialogue.into()), ("reference", reference.into())])))
}
