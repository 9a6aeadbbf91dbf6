//! `surprisal list tasks`: what lm-evaluation-harness' task files offer.

use std::{path::Path, process::ExitCode};

use serde_json::{Value, json};

use super::{
    output::{print, print_json, stdout_columns, talk},
    table::{Column, Table},
    visible::visible_line,
    width::{Cut, folded_hard, shortened, width},
};
use crate::{
    registry::Pattern,
    report::grouped,
    tasks::{Kind, Member, TaskIndex, tasks_folder},
};

/// A table is readable where it has so many columns beside its names.
const BESIDE_NAMES: usize = 56;

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
    print(&text(&lines, stdout_columns()))?;
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
    /// Everything but the name, in a sentence.
    fn about(&self) -> String {
        let functions = (!self.functions.is_empty())
            .then(|| format!("Python in {}", self.functions.join(", ")));
        let parts = [&self.asks, &self.data].into_iter().filter(|part| !part.is_empty()).cloned();
        std::iter::once(self.kind.to_owned())
            .chain(parts)
            .chain(functions)
            .collect::<Vec<_>>()
            .join("; ")
    }

    fn to_json(&self) -> Value {
        let Self { name, kind, asks, data, tasks, functions } = self;
        json!({"name": name, "kind": kind, "asks": asks, "data": data, "tasks": tasks, "functions": functions})
    }
}

/// The lines in at most `columns`: a table where names leave room for one, else each name on a line of its own.
fn text(lines: &[Line], columns: usize) -> String {
    let longest = lines.iter().map(|line| width(&line.name)).max().unwrap_or(0);
    if longest + BESIDE_NAMES <= columns {
        return table(lines).text(columns);
    }
    let entries = lines.iter().flat_map(|line| {
        let name = shortened(&visible_line(&line.name), columns, Cut::Middle);
        let about = format!("{INDENT}{}", visible_line(&line.about()));
        std::iter::once(name).chain(folded_hard(&about, columns, 0))
    });
    entries.collect::<Vec<_>>().join("\n")
}

/// Before what is said of a name on the line above.
const INDENT: &str = "    ";

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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str) -> Line {
        Line {
            name: name.to_owned(),
            kind: "task",
            asks: "multiple_choice".to_owned(),
            data: "org/data_with_a_long_name a_subset_with_a_name_that_is_longer_than_a_line_of_the_terminal_itself".to_owned(),
            tasks: 1,
            functions: vec!["doc_to_text".to_owned(), "process_docs".to_owned()],
        }
    }

    #[test]
    fn names_are_whole_and_no_line_is_wider_than_the_terminal() {
        let long = "a".repeat(40) + &"b".repeat(46);
        for columns in [40, 80, 200] {
            let lines =
                [line("short"), line("a_name_of_a_task_that_is_of_the_usual_length"), line(&long)];
            let text = text(&lines, columns);
            assert!(text.lines().all(|line| width(line) <= columns), "{text}");
            for part in ["short", "multiple_choice", "doc_to_text,"] {
                assert!(text.contains(part), "{text}");
            }
            let is_whole = |name: &str| text.split_whitespace().any(|word| word == name);
            assert_eq!(is_whole("a_name_of_a_task_that_is_of_the_usual_length"), columns > 44);
            assert_eq!(is_whole(&long), columns > 86);
        }
        let short = text(&[line("short"), line("shorter")], 80);
        assert!(short.starts_with("name "), "{short}");
        assert!(short.lines().all(|line| width(line) <= 80), "{short}");
    }
}
