//! Rows of a file, folder or repository that go through the steps of a class: those that the library would read
//! and the class only makes over. Classes that know their files read on their own ([`Loader`](super::Loader)).

use std::sync::Arc;

use indexmap::IndexMap;

use super::{
    NAMELESS,
    arguments::value_of,
    class::{ClassForm, Reading, Tables},
    file::malformed,
    row::Row,
    step::{self, Step},
    turning::Turning,
    turning_of,
};
use crate::{
    config::{ConfigError, Node},
    dataset::{ColumnRule, DatasetError, DatasetLocation, RepeatedKeys, Rows, Sample},
};

/// Rows of a place that go through the steps of a class.
#[derive(Clone, Debug)]
pub struct Stepped {
    pub(in crate::dataset) location: DatasetLocation,
    pub(in crate::dataset) columns: ColumnRule,
    steps: &'static [Step],
    abbr: String,
    turning: Option<Turning>,
}

impl Stepped {
    /// The rows of a place after the steps of a class, with what the entry says of them.
    pub(crate) fn new(
        location: DatasetLocation,
        class: &ClassForm,
        entry: &mut Node,
        abbr: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let steps = match class.reading {
            Reading::Library(steps) => steps,
            Reading::Files { .. } | Reading::Own(_) => &[],
        };
        let turning = turning_of(class, entry)?;
        let columns = class.columns;
        Ok(Self { location, columns, steps, abbr: abbr.unwrap_or(NAMELESS).to_owned(), turning })
    }

    /// Rows after the steps, at least `most_rows` of each table unless it has fewer. `read` gives the first so many before the steps.
    ///
    /// Steps leave rows out, and how many they do is known when it is done: as long as too few are left of a table that goes on, more
    /// of it are read.
    pub(in crate::dataset) fn read(
        &self,
        most_rows: usize,
        read: &dyn Fn(usize) -> Result<Rows, DatasetError>,
    ) -> Result<Rows, DatasetError> {
        // Turns of a question need not stand one after the other.
        let mut asked = if self.turning.is_some() { usize::MAX } else { most_rows };
        loop {
            let before = read(asked)?;
            let goes_on = lengths(&before).into_iter().map(|rows| rows >= asked);
            let goes_on: Vec<bool> = goes_on.collect();
            let made = with_steps(before, self)?;
            let mut tables = goes_on.into_iter().zip(lengths(&made));
            if !tables.any(|(goes_on, rows)| goes_on && rows < most_rows) {
                return Ok(made);
            }
            asked = asked.saturating_mul(MORE);
        }
    }
}

/// How many times as many rows are read where those that were are too few.
const MORE: usize = 4;

/// How many rows each table has.
fn lengths(rows: &Rows) -> Vec<usize> {
    match rows {
        Rows::Single(rows) => vec![rows.len()],
        Rows::Splits(splits) => splits.values().map(Vec::len).collect(),
    }
}

/// Rows after the steps of a class.
fn with_steps(rows: Rows, stepped: &Stepped) -> Result<Rows, DatasetError> {
    let Stepped { steps, abbr, turning, .. } = stepped;
    let mut repeated = IndexMap::new();
    let mut made = |rows: &[Sample], table: String| {
        let (rows, keys): (Vec<Row>, Vec<Told>) =
            stepped_rows(rows, steps, &table)?.into_iter().unzip();
        if keys.iter().any(Option::is_some) {
            repeated.insert(table, keys);
        }
        Ok(rows)
    };
    let tables = match rows {
        Rows::Single(rows) => Tables::Single(made(&rows, abbr.clone())?),
        Rows::Splits(splits) => {
            let split = |(split, rows): (String, Vec<Sample>)| {
                let rows = made(&rows, format!("{abbr}_{split}"))?;
                Ok((split.into(), rows))
            };
            Tables::Splits(splits.into_iter().map(split).collect::<Result<_, DatasetError>>()?)
        }
    };
    let rows = tables.turned(turning.as_ref(), abbr)?.rows(abbr)?;
    let tell = |rows: Vec<Sample>, table: &str| match repeated.get(table) {
        Some(keys) => told(rows, keys),
        None => rows,
    };
    Ok(match rows {
        Rows::Single(rows) => Rows::Single(tell(rows, abbr)),
        Rows::Splits(splits) => Rows::Splits(
            splits
                .into_iter()
                .map(|(split, rows)| {
                    let rows = tell(rows, &format!("{abbr}_{split}"));
                    (split, rows)
                })
                .collect(),
        ),
    })
}

/// The keys that stood twice in a row, if any did.
type Told = Option<Arc<RepeatedKeys>>;

/// Rows that know which keys stood twice in what they were made of. All turns of a question stand one after the other.
fn told(rows: Vec<Sample>, keys: &[Told]) -> Vec<Sample> {
    let turns = (rows.len() / keys.len().max(1)).max(1);
    let of_row = |index: usize| keys.get(index / turns).cloned().flatten();
    rows.into_iter().enumerate().map(|(index, row)| row.repeating(of_row(index))).collect()
}

/// Rows of a table after steps, without those that are left out.
pub(super) fn stepped_samples(
    rows: &[Sample],
    steps: &[Step],
    table: &str,
) -> Result<Vec<Row>, DatasetError> {
    Ok(stepped_rows(rows, steps, table)?.into_iter().map(|(row, _)| row).collect())
}

fn stepped_rows(
    rows: &[Sample],
    steps: &[Step],
    table: &str,
) -> Result<Vec<(Row, Told)>, DatasetError> {
    let step = |(index, sample): (usize, &Sample)| {
        let made = step::stepped(&value_of(sample), steps);
        let place = || format!("data set {table}, row {}", index + 1);
        let made = made.map_err(|flaw| malformed(&place(), flaw)).transpose();
        made.map(|row| Ok((row?, sample.repeated_keys().cloned())))
    };
    rows.iter().enumerate().filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{
        dataset::{TableChoice, loader::class_of},
        hub::Silent,
    };

    #[test]
    fn every_turn_of_a_question_knows_the_keys_that_its_row_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.jsonl");
        let rows = "{\"A\": \"x\", \"B\": \"y\", \"answer\": \"A\"}\n\
                    {\"A\": \"x\", \"B\": \"y\", \"A\": \"z\", \"answer\": \"B\"}\n";
        fs::write(&path, rows).unwrap();
        for (class, expected) in [
            ("CustomDataset", vec![false, true]),
            ("CircularCustomDataset", vec![false, false, true, true]),
        ] {
            let mut entry = Node::from_json(&json!({"type": class, "option_keys": ["A", "B"]}));
            let class = class_of(&entry).unwrap().unwrap();
            let place = DatasetLocation::Local(path.clone());
            let place = place.stepped(class, &mut entry, Some("own")).unwrap();
            let read = place.read(&TableChoice::default(), &["test"], &Silent).unwrap();
            let Rows::Single(rows) = read else { panic!("a file is one table") };
            let told: Vec<bool> = rows.iter().map(|row| row.repeated_keys().is_some()).collect();
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn so_many_rows_are_read_as_are_left_by_the_steps() {
        let entry = json!({"type": "ScienceQAImageDataset"});
        let mut entry = Node::from_json(&entry);
        let class = class_of(&entry).unwrap().unwrap();
        let nowhere = DatasetLocation::Local("nowhere".into());
        let DatasetLocation::Stepped(stepped) =
            nowhere.stepped(class, &mut entry, Some("own")).unwrap()
        else {
            panic!("a class with steps")
        };
        // One row in five has an image.
        let row = |place: usize| {
            let image =
                if place % 5 == 4 { json!("https://example.org/a.png") } else { json!(null) };
            json!({"image": image, "question": "Q", "choices": ["x"], "answer": 0, "hint": place.to_string()})
        };
        let all: Vec<serde_json::Value> = (0..100).map(row).collect();
        let asked = std::cell::RefCell::new(Vec::new());
        let read = |most_rows: usize| {
            asked.borrow_mut().push(most_rows);
            Rows::from_json(&json!(all[..most_rows.min(all.len())]))
        };
        for (wanted, found, reads) in [
            (1, 3, vec![1, 4, 16]),
            (3, 9, vec![3, 12, 48]),
            (usize::MAX, 20, vec![usize::MAX]),
            (30, 20, vec![30, 120]),
        ] {
            asked.borrow_mut().clear();
            let Rows::Single(rows) = stepped.read(wanted, &read).unwrap() else {
                panic!("one table")
            };
            assert_eq!((rows.len(), asked.take()), (found, reads));
            assert_eq!(rows[0].get("hint"), Some(&json!("4\n")));
        }
    }

    #[test]
    fn the_first_row_names_the_columns_where_the_class_makes_a_list_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.jsonl");
        fs::write(&path, "{\"A\": 1}\n{\"A\": 2, \"C\": 3}\n").unwrap();
        for (class, expected) in [("CustomDataset", false), ("HFDataset", true)] {
            let mut entry = Node::from_json(&json!({"type": class}));
            let class = class_of(&entry).unwrap().unwrap();
            let place = DatasetLocation::Local(path.clone());
            let place = place.stepped(class, &mut entry, Some("own")).unwrap();
            let read = place.read(&TableChoice::default(), &["test"], &Silent).unwrap();
            let Rows::Single(rows) = read else { panic!("a file is one table") };
            assert_eq!(rows.iter().all(|row| row.get("C").is_some()), expected);
        }
    }
}
