//! Which rows the samples of a unit are.

use crate::{kept_run::row_content::RowContent, plan::Variant};

/// The data set and the variant that an abbr names; `all` are those of the run.
pub(super) fn variant_of<'a>(
    abbr: &str,
    mut all: impl Iterator<Item = &'a str>,
) -> (String, Option<String>) {
    let own = Variant::of_abbr(abbr);
    let is_named = own.dataset != abbr;
    let has_others =
        all.any(|other| other != abbr && Variant::of_abbr(other).dataset == own.dataset);
    (own.dataset, (is_named || has_others).then_some(own.name))
}

/// The rows of the data sets of a page, by which groups are known to have the same.
#[derive(Default)]
pub(super) struct KnownRows {
    found: Vec<(String, Vec<RowContent>)>,
}

impl KnownRows {
    /// A name for the rows of a data set, the same for the same rows. Rows that differ mean something else, whatever
    /// their data set is called.
    pub(super) fn name(&mut self, dataset: &str, rows: Vec<RowContent>) -> String {
        let same: Vec<&Vec<RowContent>> =
            self.found.iter().filter(|(name, _)| name == dataset).map(|(_, own)| own).collect();
        let place = same.iter().position(|own| **own == rows);
        let number = place.unwrap_or(same.len());
        if place.is_none() {
            self.found.push((dataset.to_owned(), rows));
        }
        if number == 0 { dataset.to_owned() } else { format!("{dataset} #{}", number + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Sample;

    #[test]
    fn variants_are_known_by_their_mark() {
        let all = ["a", "a@short", "ab"];
        let found = all.map(|abbr| variant_of(abbr, all.into_iter()));
        let expected = [("a", Some("base")), ("a", Some("short")), ("ab", None)];
        let expected = expected.map(|(dataset, own)| (dataset.to_owned(), own.map(str::to_owned)));
        assert_eq!(found, expected);
    }

    #[test]
    fn only_the_same_rows_have_the_same_name() {
        let row = |text: &str| {
            RowContent::of(&Sample::new(vec![("q".to_owned(), text.into())]), ["d", "d"], &[])
        };
        let mut rows = KnownRows::default();
        let (one, other) = (vec![row("a"), row("b")], vec![row("ab")]);
        let names = [
            rows.name("d", one.clone()),
            rows.name("d", other.clone()),
            rows.name("d", one),
            rows.name("e", other),
        ];
        assert_eq!(names, ["d", "d #2", "d", "e"]);
    }
}
