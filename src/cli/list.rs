//! `surprisal list`: the parts that a config may name.

use std::{iter, process::ExitCode};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{args::ListArguments, print};
use crate::{
    evaluate::EVALUATORS,
    infer::INFERENCERS,
    model::families::FAMILIES,
    plan::MODEL_CLASSES,
    postprocess::POSTPROCESSORS,
    prompt::TEMPLATES,
    registry::RegistryLine,
    report::{Align, aligned_table},
    retrieve::RETRIEVERS,
    score::RULES,
};

/// A registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Parts {
    /// Which training rows are shown as examples.
    Retrievers,
    /// How a prompt is written.
    Templates,
    /// What a model is asked.
    Inferencers,
    /// What makes one number of a candidate's surprisals.
    Rules,
    /// What takes the answer out of a generation.
    Postprocessors,
    /// What compares answers with golds.
    Evaluators,
    /// How a model is given its prompts.
    Models,
    /// Which checkpoints are read.
    Families,
}

impl Parts {
    /// The word on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Retrievers => "retrievers",
            Self::Templates => "templates",
            Self::Inferencers => "inferencers",
            Self::Rules => "rules",
            Self::Postprocessors => "postprocessors",
            Self::Evaluators => "evaluators",
            Self::Models => "models",
            Self::Families => "families",
        }
    }

    fn lines(self) -> Vec<RegistryLine> {
        match self {
            Self::Retrievers => RETRIEVERS.lines(),
            Self::Templates => TEMPLATES.lines(),
            Self::Inferencers => INFERENCERS.lines(),
            Self::Rules => RULES.lines(),
            Self::Postprocessors => POSTPROCESSORS.lines(),
            Self::Evaluators => EVALUATORS.lines(),
            Self::Models => MODEL_CLASSES.lines(),
            Self::Families => FAMILIES.lines(),
        }
    }
}

/// Prints one registry, or all.
pub(super) fn list(arguments: &ListArguments) -> anyhow::Result<ExitCode> {
    let wanted = arguments.parts.map_or_else(|| Parts::value_variants().to_vec(), |one| vec![one]);
    if arguments.json {
        let lists = wanted.iter().map(|parts| (parts.word().to_owned(), json!(parts.lines())));
        print(&serde_json::to_string_pretty(&Value::Object(lists.collect()))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tables: Vec<String> =
        wanted.iter().map(|parts| table(parts.word(), &parts.lines())).collect();
    print(&tables.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Columns of the whole table.
const TABLE_COLUMNS: usize = 80;

/// Columns between two columns of the table.
const GAP: usize = 2;

/// One other name to a row, and beside them the words that say what it is.
fn table(parts: &str, lines: &[RegistryLine]) -> String {
    let heading = [parts, "other names", "what it is"].map(str::to_owned);
    // The table makes a column a little wider than its heading.
    let widest = |names: &mut dyn Iterator<Item = &'static str>, heading: &str| {
        names.map(|name| name.chars().count()).max().unwrap_or_default().max(heading.len() + 2)
    };
    let names = widest(&mut lines.iter().map(|line| line.name), parts);
    let aliases = lines.iter().flat_map(|line| line.aliases.iter().copied());
    let aliases = widest(&mut aliases.into_iter(), &heading[1]);
    let about = TABLE_COLUMNS.saturating_sub(names + aliases + 2 * GAP);
    let rows: Vec<Vec<String>> = lines.iter().flat_map(|line| rows(line, about)).collect();
    aligned_table(&heading, &rows, &[Align::Left; 3])
}

fn rows(line: &RegistryLine, about_columns: usize) -> Vec<Vec<String>> {
    let about = filled(line.about, about_columns);
    let count = line.aliases.len().max(about.len()).max(1);
    let names = iter::once(line.name).chain(iter::repeat(""));
    let aliases = line.aliases.iter().copied().chain(iter::repeat(""));
    let about = about.iter().map(String::as_str).chain(iter::repeat(""));
    let row = |((name, alias), about): ((&str, &str), &str)| {
        [name, alias, about].map(str::to_owned).to_vec()
    };
    names.zip(aliases).zip(about).take(count).map(row).collect()
}

/// A text in lines of at most `columns`, as far as its words are not longer.
fn filled(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_registry_is_sorted_and_has_each_name_once_and_says_what_each_part_is() {
        for &parts in Parts::value_variants() {
            let lines = parts.lines();
            assert!(lines.is_sorted_by(|left, right| left.name < right.name), "{parts:?}");
            let mut names = BTreeSet::new();
            for line in lines {
                for name in iter::once(&line.name).chain(line.aliases) {
                    assert!(names.insert(*name), "{parts:?}: {name} is there twice");
                    assert!(!name.is_empty() && !name.contains(['.', ' ']), "{parts:?}: {name}");
                }
                assert!(!line.about.is_empty(), "{line:?}");
            }
        }
    }

    #[test]
    fn every_table_fits_80_columns_and_loses_no_word() {
        for &parts in Parts::value_variants() {
            let lines = parts.lines();
            let table = table(parts.word(), &lines);
            for row in table.lines() {
                assert!(row.chars().count() <= TABLE_COLUMNS, "{row}");
            }
            let words: BTreeSet<&str> = table.split_whitespace().collect();
            for line in lines {
                let mut said = line.about.split(' ').chain(line.aliases.iter().copied());
                assert!(words.contains(line.name) && said.all(|word| words.contains(word)));
            }
        }
    }

    #[test]
    fn the_word_of_every_registry_is_what_the_command_line_takes() {
        for &parts in Parts::value_variants() {
            assert_eq!(Parts::from_str(parts.word(), false), Ok(parts));
        }
    }
}
