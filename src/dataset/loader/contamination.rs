//! Questions with what a search of the web has found of them: whether a question, or its answer too, is out there.
//!
//! The annotations are a file of their own, made by others. The original fetches it into the folder of the data; here
//! it has to lie there, and what is missing is told with its address.

use std::path::Path;

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own, tables},
    commonsense, exams,
    file::{Encoding, Item, document, json_lines},
    row::{Fields, Flaw, Made, Row, object},
};
use crate::dataset::DatasetError;

/// What a question is that nobody has looked for.
const UNKNOWN: &str = "not labeled";

/// Where annotations of this release lie.
const RELEASES: &str = "https://github.com/liyucheng09/Contamination_Detector/releases/download";

const ARC_FILE: &str = "ARC_c_test_contamination_annotations.json";

pub(super) const ARC: ClassForm = own(&["path", "name"], |arguments| {
    arguments.text("name")?;
    let path = arguments.path("path")?;
    let file = path.with_file_name(ARC_FILE);
    let annotations = Annotations::read(&file, "v0.1.1rc/ARC_annotations.json", arguments)?;
    let mut rows = Vec::new();
    for item in json_lines(&path, Encoding::Ignoring)? {
        rows.extend(item.make(|value| {
            let label = annotations.of(value.text("id")?)?;
            Ok(exams::four_choices(value)?.map(|row| labelled(row, label)))
        })?);
    }
    Ok(Tables::Single(rows))
})
.with_files(&[ARC_FILE]);

pub(super) const CEVAL: ClassForm = own(&["path", "name"], |arguments| {
    let name = arguments.text("name")?;
    let file = arguments.path("path")?.join("val").join("ceval_contamination_annotations.json");
    let annotations = Annotations::read(&file, "v0.1.1rc/ceval_annotations.json", arguments)?;
    let exam = tables(&exams::CEVAL, arguments)?;
    arguments.asked(annotations.added(exam, "val", |index| format!("{name}-{index}")))
});

const HELLASWAG_FILE: &str = "hellaswag_val_contamination_annotations.json";

pub(super) const HELLASWAG: ClassForm = own(&["path"], |arguments| {
    let file = arguments.path("path")?.with_file_name(HELLASWAG_FILE);
    let release = "v0.1.1rc2/hellaswag_annotations_with_line_index.json";
    let annotations = Annotations::read(&file, release, arguments)?;
    let endings = tables(&commonsense::HELLASWAG, arguments)?;
    arguments.asked(annotations.added(endings, "", |index| index.to_string()))
})
.with_files(&[HELLASWAG_FILE]);

pub(super) const MMLU: ClassForm = own(&["path", "name"], |arguments| {
    let name = arguments.text("name")?;
    let file =
        arguments.path("path")?.join("test").join("MMLU_test_contamination_annotations.json");
    let annotations = Annotations::read(&file, "v0.1.1rc2/mmlu_annotations.json", arguments)?;
    let exam = tables(&exams::MMLU, arguments)?;
    arguments.asked(annotations.added(exam, "test", |index| format!("{name} {index}")))
});

/// What has been found, by the name of a question.
struct Annotations(Item);

impl Annotations {
    fn read(file: &Path, release: &str, arguments: &Arguments<'_>) -> Result<Self, DatasetError> {
        if !file.is_file() {
            let what = format!(
                "there is no {}, the annotations of contamination; get {RELEASES}/{release} and save it under that name",
                file.display()
            );
            return arguments.asked(Flaw::new(what));
        }
        let annotations = document(file)?;
        annotations.make(|value| object(value).map(drop))?;
        Ok(Self(annotations))
    }

    /// What is known of a question.
    fn of(&self, question: &str) -> Made<Value> {
        match self.0.value.step(question) {
            None => Ok(UNKNOWN.into()),
            Some(found) => found.at("0").cloned(),
        }
    }

    /// Tables whose rows of one split say what is known of them; a single table is that split.
    fn added(
        &self,
        tables: Tables,
        split: &str,
        question: impl Fn(usize) -> String,
    ) -> Made<Tables> {
        let add = |rows: Vec<Row>| {
            let row = |(index, row)| Ok(labelled(row, self.of(&question(index))?));
            rows.into_iter().enumerate().map(row).collect::<Made<Vec<Row>>>()
        };
        Ok(match tables {
            Tables::Single(rows) => Tables::Single(add(rows)?),
            Tables::Splits(splits) => {
                let splits = splits.into_iter().map(|(own, rows)| {
                    let rows = if own == split { add(rows)? } else { rows };
                    Ok((own, rows))
                });
                Tables::Splits(splits.collect::<Made<_>>()?)
            }
            finished @ Tables::Finished(_) => finished,
        })
    }
}

fn labelled(mut row: Row, label: Value) -> Row {
    row.insert("is_clean".to_owned(), label);
    row
}
