//! The rows that members have in common: the same number and the same content.

use std::collections::HashMap;

use super::{Part, measured_unit::MeasuredUnit};
use crate::report::grouped;

/// Which samples of which members are compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommonRows {
    /// The members that have rows in common, as places in the list of all.
    pub(super) members: Vec<usize>,
    /// For each common row the place of its sample in each of these members.
    pub(super) places: Vec<Vec<usize>>,
    /// Members that have no row in common with the first, in words.
    pub(super) refused: Vec<String>,
    /// What is to be said about rows that are left out.
    pub(super) notes: Vec<String>,
}

impl CommonRows {
    /// Of members that differ in one part. The first one is what the others are held against.
    pub(super) fn of(units: &[&MeasuredUnit], by: Part) -> Self {
        let samples_by_row: Vec<HashMap<usize, usize>> = units
            .iter()
            .map(|unit| {
                let rows = unit.samples.iter().enumerate();
                rows.map(|(place, sample)| (sample.row, place)).collect()
            })
            .collect();
        let first = &units[0].samples;
        // Where the sample lies that is row for row the first member's.
        let place = |member: usize, of_first: usize| {
            let place = *samples_by_row[member].get(&first[of_first].row)?;
            let is_same = units[member].samples[place].content == first[of_first].content;
            is_same.then_some(place)
        };
        let name = |member: usize| units[member].key.part(by);
        let (mut members, mut refused) = (Vec::new(), Vec::new());
        for (member, unit) in units.iter().enumerate() {
            if (0..first.len()).any(|of_first| place(member, of_first).is_some()) {
                members.push(member);
            } else {
                refused.push(format!(
                    "{} {} of {} is left out: none of its {} rows is the row of that number of {}",
                    by.name(),
                    name(member),
                    unit.key.dataset,
                    grouped(unit.samples.len()),
                    name(0)
                ));
            }
        }
        let common = |of_first| -> Option<Vec<usize>> {
            members.iter().map(|&member| place(member, of_first)).collect()
        };
        let places: Vec<Vec<usize>> = (0..first.len()).filter_map(common).collect();
        let mut notes = Vec::new();
        let more = members.iter().filter(|&&member| units[member].samples.len() > places.len());
        let more: Vec<String> = more
            .map(|&member| {
                let left_out = units[member].samples.len() - places.len();
                format!("{} of {}", grouped(left_out), name(member))
            })
            .collect();
        if !more.is_empty() {
            notes.push(format!(
                "rows differ: compared are the {} that all have in common, number and content; left out are {}",
                grouped(places.len()),
                more.join(", ")
            ));
        }
        let gold = |member: usize, place: usize| &units[members[member]].samples[place].gold;
        let other_golds = places
            .iter()
            .filter(|row| (1..row.len()).any(|member| gold(member, row[member]) != gold(0, row[0])))
            .count();
        if other_golds > 0 {
            notes.push(format!(
                "rows in which members have different golds: {}",
                grouped(other_golds)
            ));
        }
        Self { members, places, refused, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::{MemberKey, measured_sample::MeasuredSample},
        dataset::Sample,
        kept_run::row_content::RowContent,
    };

    /// A member whose samples are written as rows and contents.
    fn unit(variant: &str, rows: &[(usize, u8)]) -> MeasuredUnit {
        let sample = |&(row, content): &(usize, u8)| MeasuredSample {
            row,
            content: row_content(content),
            gold: content.to_string(),
            ..MeasuredSample::default()
        };
        let [run, dataset, model, rule] = ["r", "d", "m", "oc"].map(str::to_owned);
        MeasuredUnit {
            key: MemberKey { run, dataset, variant: variant.to_owned(), model, rule },
            mode: "ppl".to_owned(),
            samples: rows.iter().map(sample).collect(),
            asked_tokens: 0,
            alone_tokens: 0,
            score_unit: "nats",
        }
    }

    fn row_content(value: u8) -> RowContent {
        RowContent::of(
            &Sample::new([("a".to_owned(), value.into())].into_iter().collect()),
            ["d"; 2],
            &[],
        )
    }

    #[test]
    fn number_and_content_of_a_row_must_agree() {
        let a = unit("a", &[(0, 1), (1, 2), (2, 3), (5, 4)]);
        let b = unit("b", &[(1, 2), (2, 9), (5, 4), (6, 7)]);
        let c = unit("c", &[(0, 2), (1, 1)]);
        let found = CommonRows::of(&[&a, &b, &c], Part::Variant);
        assert_eq!(found.members, [0, 1]);
        assert_eq!(found.places, [[1, 0], [3, 2]]);
        assert!(found.refused[0].starts_with("variant c of d is left out"), "{found:?}");
        assert!(found.notes[0].ends_with("left out are 2 of a, 2 of b"), "{found:?}");
        assert_eq!((found.refused.len(), found.notes.len()), (1, 1));
    }

    #[test]
    fn equal_rows_need_no_word_and_other_golds_do() {
        let (a, mut b) = (unit("a", &[(0, 1), (1, 2)]), unit("b", &[(0, 1), (1, 2)]));
        let found = CommonRows::of(&[&a, &b], Part::Variant);
        assert!(found.notes.is_empty() && found.refused.is_empty(), "{found:?}");
        b.samples[1].gold = "other".to_owned();
        let found = CommonRows::of(&[&a, &b], Part::Variant);
        assert_eq!(found.notes, ["rows in which members have different golds: 1"]);
    }
}
