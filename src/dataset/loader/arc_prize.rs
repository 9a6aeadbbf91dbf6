//! Puzzles of the ARC Prize: a file for each task, of which the public evaluation names which ones it has.

use super::{
    class::{ClassForm, Tables, own},
    file::document,
    row::{Fields, row},
};
use crate::{dataset::DatasetError, hub::files_below};

/// The tasks of the first public evaluation.
const FIRST: &str = include_str!("arc_agi_1_tasks.txt");

/// The tasks of the second.
const SECOND: &str = include_str!("arc_agi_2_tasks.txt");

/// The original takes files as the file system lists them; here they come by name, so that rows have an order.
pub(super) const PUZZLES: ClassForm = own(&["path", "version"], |arguments| {
    let version = arguments.one_of("version", &["arc_agi_1", "arc_agi_2"])?;
    let tasks = if version == "arc_agi_1" { FIRST } else { SECOND };
    let folder = arguments.path("path")?;
    let mut files = files_below(&folder);
    files.retain(|file| {
        let name = file.strip_suffix(".json");
        name.is_some_and(|name| tasks.split_whitespace().any(|task| task == name))
    });
    files.sort_unstable();
    if files.is_empty() {
        return Err(DatasetError::Empty { path: folder });
    }
    let puzzle = |file: &String| {
        document(&folder.join(file))?.make(|task| {
            Ok(row([
                ("training_data", task.at("train")?.clone()),
                ("input_test_data", task.at("test.0.input")?.clone()),
                ("output_test_data", task.at("test.0.output")?.clone()),
            ]))
        })
    };
    files.iter().map(puzzle).collect::<Result<_, _>>().map(Tables::Single)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_evaluations_have_their_tasks() {
        for (tasks, count) in [(FIRST, 400), (SECOND, 120)] {
            let tasks: Vec<&str> = tasks.split_whitespace().collect();
            assert!(tasks.is_sorted_by(|left, right| left < right));
            assert!(tasks.iter().all(|task| task.len() == 8));
            assert_eq!(tasks.len(), count);
        }
    }
}
