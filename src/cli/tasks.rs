//! `surprisal list tasks`: what lm-evaluation-harness' task files offer.

use std::{path::Path, process::ExitCode};

use serde_json::{Value, json};

use super::{
    output::{print, print_json, stdout_columns, talk},
    table::{Column, Table},
};
use crate::{
    report::grouped,
    tasks::{Kind, Member, TaskIndex, tasks_folder},
    view::Pattern,
};

/// What is said of one name.
struct Line {
    name: String,
    kind: &'static str,
    asks: String,
    data: String,
    tasks: usize,
    functions: Vec<String>,
}

/// Prints the names that a pattern means, or all.
pub(super) fn list(
    folder: Option<&Path>,
    pattern: Option<&str>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let folder = tasks_folder(folder)?;
    let index = TaskIndex::read(&folder)?;
    let pattern = pattern.map(Pattern::new);
    let is_meant =
        |name: &str| pattern.as_ref().is_none_or(|pattern: &Pattern| pattern.matches(name));
    let lines: Vec<Line> = index
        .iter()
        .filter(|(name, _)| is_meant(name))
        .map(|(name, entry)| line(&index, name, entry.kind))
        .collect();
    if let Some(pattern) = pattern.filter(|_| lines.is_empty()) {
        anyhow::bail!(
            "no task, group or tag in {} matches {:?}",
            folder.display(),
            pattern.written()
        );
    }
    if json {
        let lines: Vec<Value> = lines.iter().map(Line::to_json).collect();
        print_json(&json!({"folder": folder, "tasks": lines, "passed_over": index.passed_over}))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&table(&lines).text(stdout_columns()))?;
    let of_kind = |kind: &str| grouped(lines.iter().filter(|line| line.kind == kind).count());
    talk(&format!(
        "\n{} tasks, {} groups, {} tags in {}; {} files there are no tasks (--json names them)",
        of_kind("task"),
        of_kind("group"),
        of_kind("tag"),
        folder.display(),
        index.passed_over.len()
    ));
    Ok(ExitCode::SUCCESS)
}

/// What a name stands for; where it cannot be understood, why.
fn line(index: &TaskIndex, name: &str, kind: Kind) -> Line {
    let word = match kind {
        Kind::Task | Kind::Class => "task",
        Kind::Group => "group",
        Kind::Tag => "tag",
    };
    let mut line = Line {
        name: name.to_owned(),
        kind: word,
        asks: String::new(),
        data: String::new(),
        tasks: 0,
        functions: Vec::new(),
    };
    let members = match index.select(name) {
        Ok(members) => members,
        Err(error) => {
            line.asks = error.to_string();
            return line;
        }
    };
    let tasks: Vec<_> = members.iter().flat_map(Member::tasks).collect();
    line.tasks = tasks.len();
    match &tasks[..] {
        [task] if kind == Kind::Task => {
            task.output_type.name().clone_into(&mut line.asks);
            let places = [&task.dataset_path, &task.dataset_name];
            line.data = places.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
        }
        tasks => line.asks = format!("{} tasks", grouped(tasks.len())),
    }
    for task in tasks {
        for (key, _) in &task.functions {
            if !line.functions.contains(key) {
                line.functions.push(key.clone());
            }
        }
    }
    line
}

impl Line {
    fn to_json(&self) -> Value {
        let Self { name, kind, asks, data, tasks, functions } = self;
        json!({"name": name, "kind": kind, "asks": asks, "data": data, "tasks": tasks, "functions": functions})
    }
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new([
        Column::text("name"),
        Column::text("kind"),
        Column::text("asks").folds(),
        Column::text("data").folds(),
        Column::text("Python in").folds(),
    ]);
    for line in lines {
        table.row([
            line.name.clone(),
            line.kind.to_owned(),
            line.asks.clone(),
            line.data.clone(),
            line.functions.join(", "),
        ]);
    }
    table
}
