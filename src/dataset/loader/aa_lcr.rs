//! `AA-LCR`: questions on several long documents, these in an archive beside the questions. What stands around documents
//! and question is a prompt of `OpenCompass`'s module.

use serde_json::Value;

use super::{
    borrowed::texts,
    cells::cells,
    class::{ClassForm, own},
    file::{Encoding, malformed, text_as_written},
    judge_prompts::constant,
    packed_texts::PackedTexts,
    row::{Fields, Flaw, Made, Row, formatted, int, row, strip},
    sciences::twice,
};
use crate::dataset::DatasetError;

const MODULE: &str = "opencompass/datasets/aa_lcr.py";

const QUESTION_FILE: &str = "AA-LCR_Dataset.csv";
const DOCUMENT_FILE: &str = "extracted_text/AA-LCR_extracted-text.zip";

pub(super) const QUESTIONS: ClassForm =
    own(&["path", "csv_filename?", "zip_filename?"], |arguments| {
        let files = [
            arguments.text_or("csv_filename", QUESTION_FILE)?,
            arguments.text_or("zip_filename", DOCUMENT_FILE)?,
        ];
        let Some([table, archive]) = arguments.whole_files(files)? else {
            return Ok(twice(Vec::new()));
        };
        let template = constant(&texts(arguments, MODULE)?, MODULE, "PROMPT_TEMPLATE")?;
        let mut documents = PackedTexts::open(&archive)?;
        // Line ends within cells are part of them.
        let text = text_as_written(&table, Encoding::Strict)?;
        let mut lines = cells(&text, ',').into_iter().filter(|(_, cells)| !cells.is_empty());
        let (_, header) = lines.next().unwrap_or_default();
        let mut rows = Vec::new();
        for (number, (line, cells)) in lines.enumerate() {
            let record: Row = header
                .iter()
                .enumerate()
                .map(|(place, name)| {
                    let cell = cells.get(place).map_or(Value::Null, |cell| cell.as_str().into());
                    (name.clone(), cell)
                })
                .collect();
            let place = format!("{}, line {line}", table.display());
            let flawed = |flaw| malformed(&place, flaw);
            let texts: Vec<String> = names(&record)
                .map_err(flawed)?
                .iter()
                .map(|name| documents.text(name))
                .collect::<Result<_, DatasetError>>()?;
            rows.push(question(&record, number, &texts, &template).map_err(flawed)?);
        }
        Ok(twice(rows))
    })
    .unnamed()
    .with_texts(&[MODULE]);

/// The parts of a cell between semicolons.
fn parts(text: &str) -> Vec<&str> {
    text.split(';').map(strip).filter(|part| !part.is_empty()).collect()
}

/// The names of a question's documents in the archive.
fn names(record: &Row) -> Made<Vec<String>> {
    let folders = [record.text("document_category")?, record.text("document_set_id")?];
    let files = parts(record.text("data_source_filenames")?);
    Ok(files.into_iter().map(|file| joined(folders.into_iter().chain([file]))).collect())
}

/// Python's `posixpath.join('lcr', …)`.
fn joined<'p>(parts: impl Iterator<Item = &'p str>) -> String {
    let mut path = "lcr".to_owned();
    for part in parts {
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(part);
    }
    path
}

/// A question behind its documents.
fn question(record: &Row, number: usize, documents: &[String], template: &str) -> Made<Row> {
    let question = record.text("question")?;
    let shown = (1..)
        .zip(documents)
        .map(|(number, text)| format!("BEGIN DOCUMENT {number}:\n{text}\nEND DOCUMENT {number}"));
    let shown = shown.collect::<Vec<_>>().join("\n\n");
    let prompt = formatted(template, &[], &[("documents_text", &shown), ("question", question)])?;
    let whole = |name: &str| int(record.at(name)?);
    let urls = match record.get("data_source_urls") {
        Some(Value::String(urls)) => parts(urls),
        None => Vec::new(),
        Some(_) => return Flaw::new("there is no `data_source_urls`"),
    };
    Ok(row([
        ("id", record.get("").map_or_else(|| Ok(number.into()), |own| int(own).map(Value::from))?),
        ("question_id", whole("question_id")?.into()),
        ("document_category", record.at("document_category")?.clone()),
        ("document_set_id", record.at("document_set_id")?.clone()),
        ("question", question.into()),
        ("answer", parts(record.text("answer")?).into()),
        ("data_source_filenames", parts(record.text("data_source_filenames")?).into()),
        ("data_source_urls", urls.into()),
        ("input_tokens", whole("input_tokens")?.into()),
        ("prompt", prompt.into()),
    ]))
}
