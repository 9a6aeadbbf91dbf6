//! `surprisal list`: the parts that a config may name, and the ready configs of benchmarks.

use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{
    args::ListArguments,
    benchmarks,
    output::{print, print_json, stdout_columns},
    table::{Column, Table},
    tasks,
};
use crate::{
    dataset::LOADERS,
    evaluate::EVALUATORS,
    evaluate::judge::JUDGE_RULES,
    infer::INFERENCERS,
    model::families::FAMILIES,
    plan::{MODEL_CLASSES, SERVED_CLASSES},
    postprocess::POSTPROCESSORS,
    prompt::TEMPLATES,
    registry::RegistryLine,
    retrieve::RETRIEVERS,
    score::RULES,
    tasks::{AGGREGATIONS, FILTERS, METRICS},
};

/// A registry, or the ready configs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Parts {
    /// Which classes of data sets are read.
    Loaders,
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
    /// What makes scores of a judge's replies.
    JudgeRules,
    /// How a model is given its prompts.
    Models,
    /// Which checkpoints are read.
    Families,
    /// What is done to answers to tasks before they are scored.
    TaskFilters,
    /// What answers to tasks are worth.
    TaskMetrics,
    /// What makes one figure of what the answers to a task are worth.
    TaskAggregations,
    /// Ready configs, each with a card; not among the parts that are listed without a name.
    Benchmarks,
    /// Tasks, groups and tags of lm-evaluation-harness; not among those either.
    Tasks,
}

impl Parts {
    /// Those that a config or a task file may name.
    const REGISTRIES: [Self; 13] = [
        Self::Loaders,
        Self::Retrievers,
        Self::Templates,
        Self::Inferencers,
        Self::Rules,
        Self::Postprocessors,
        Self::Evaluators,
        Self::JudgeRules,
        Self::Models,
        Self::Families,
        Self::TaskFilters,
        Self::TaskMetrics,
        Self::TaskAggregations,
    ];

    /// The word on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Loaders => "loaders",
            Self::Retrievers => "retrievers",
            Self::Templates => "templates",
            Self::Inferencers => "inferencers",
            Self::Rules => "rules",
            Self::Postprocessors => "postprocessors",
            Self::Evaluators => "evaluators",
            Self::JudgeRules => "judge-rules",
            Self::Models => "models",
            Self::Families => "families",
            Self::TaskFilters => "task-filters",
            Self::TaskMetrics => "task-metrics",
            Self::TaskAggregations => "task-aggregations",
            Self::Benchmarks => "benchmarks",
            Self::Tasks => "tasks",
        }
    }

    fn lines(self) -> Vec<RegistryLine> {
        match self {
            Self::Loaders => LOADERS.lines(),
            Self::Retrievers => RETRIEVERS.lines(),
            Self::Templates => TEMPLATES.lines(),
            Self::Inferencers => INFERENCERS.lines(),
            Self::Rules => RULES.lines(),
            Self::Postprocessors => POSTPROCESSORS.lines(),
            Self::Evaluators => EVALUATORS.lines(),
            Self::JudgeRules => JUDGE_RULES.lines(),
            Self::Models => [MODEL_CLASSES.lines(), SERVED_CLASSES.lines()].concat(),
            Self::Families => FAMILIES.lines(),
            Self::TaskFilters => FILTERS.lines(),
            Self::TaskMetrics => METRICS.lines(),
            Self::TaskAggregations => AGGREGATIONS.lines(),
            Self::Benchmarks | Self::Tasks => Vec::new(),
        }
    }
}

/// Prints one registry, or all, or the ready configs.
pub(super) fn list(arguments: &ListArguments) -> anyhow::Result<ExitCode> {
    if arguments.parts == Some(Parts::Benchmarks) {
        return benchmarks::list(arguments.json);
    }
    if arguments.parts == Some(Parts::Tasks) {
        let pattern = arguments.pattern.as_deref();
        return tasks::list(arguments.tasks_path.as_deref(), pattern, arguments.json);
    }
    if arguments.pattern.is_some() || arguments.tasks_path.is_some() {
        anyhow::bail!("PATTERN and --tasks-path go with `surprisal list tasks`");
    }
    let wanted = arguments.parts.map_or_else(|| Parts::REGISTRIES.to_vec(), |one| vec![one]);
    if arguments.json {
        let lists = wanted.iter().map(|parts| (parts.word().to_owned(), json!(parts.lines())));
        print_json(&Value::Object(lists.collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = stdout_columns();
    let tables: Vec<String> = wanted.iter().map(|parts| table(*parts).text(columns)).collect();
    print(&tables.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn table(parts: Parts) -> Table {
    let mut table =
        Table::new([Column::text(parts.word()), Column::text("what it is (other names)").folds()]);
    for line in parts.lines() {
        let others = match line.aliases {
            [] => String::new(),
            aliases => format!(" ({})", aliases.join(" ")),
        };
        table.row([line.name.to_owned(), format!("{}{others}", line.about)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, iter};

    use super::*;

    #[test]
    fn every_registry_is_sorted_and_has_each_name_once_and_says_what_each_part_is() {
        for parts in Parts::REGISTRIES {
            let lines = parts.lines();
            assert!(lines.is_sorted_by(|left, right| left.name < right.name), "{parts:?}");
            let mut names = BTreeSet::new();
            for line in lines {
                for name in iter::once(&line.name).chain(line.aliases) {
                    assert!(names.insert(*name), "{parts:?}: {name} is there twice");
                    assert!(!name.is_empty() && !name.contains(' '), "{parts:?}: {name}");
                }
                // A point in another program's name says in which of its modules the part is.
                assert!(!line.name.contains('.') && !line.about.is_empty(), "{line:?}");
            }
        }
    }

    #[test]
    fn every_table_fits_80_columns_and_names_every_part() {
        for parts in Parts::REGISTRIES {
            let lines = parts.lines();
            let table = table(parts).text(80);
            for row in table.lines() {
                assert!(row.chars().count() <= 80, "{row}");
            }
            for line in lines {
                assert!(table.lines().any(|row| row.starts_with(line.name)), "{table}");
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
