//! `surprisal models`: which checkpoints can be read.

use std::process::ExitCode;

use serde_json::json;

use super::{
    args::ModelsArguments,
    output::{print, print_json, stdout_columns},
    table::{Column, Table},
    width::folded,
};
use crate::model::{FILE_KINDS, architectures, families::FAMILIES};

/// Prints families and files.
pub(super) fn models(arguments: &ModelsArguments) -> anyhow::Result<ExitCode> {
    let families = FAMILIES.lines();
    if arguments.json {
        let families: Vec<_> = families
            .iter()
            .map(|family| {
                json!({
                    "model_type": family.name,
                    "architecture": family.aliases.join(", "),
                    "traits": family.about,
                })
            })
            .collect();
        let value = json!({
            "families": families,
            "gguf_architectures": architectures::names().collect::<Vec<_>>(),
            "files": FILE_KINDS,
        });
        print_json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = stdout_columns();
    let mut table = Table::new([
        Column::text("model_type"),
        Column::text("architecture").shortest(24),
        Column::text("what is special").folds(),
    ]);
    for family in &families {
        table.row([family.name.to_owned(), family.aliases.join(", "), family.about.to_owned()]);
    }
    print(&table.text(columns))?;
    let mut files =
        Table::new([Column::text("files").folds(), Column::text("what is read").folds()]);
    for kind in FILE_KINDS {
        files.row([kind.files.join(", "), kind.content.to_owned()]);
    }
    print(&format!("\n{}", files.text(columns)))?;
    let names: Vec<&str> = architectures::names().collect();
    let names = format!("\narchitectures of GGUF files: {}", names.join(", "));
    print(&folded(&names, columns, 2).join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
