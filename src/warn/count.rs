//! Warnings of all samples, counted.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS,
    kind::{Finding, Kind, Severity},
    same_prompts,
    sample_ranges::SampleRanges,
    subject::Subject,
};
use crate::infer::{Outcome, Prepared};

/// How often there is one kind of warning about one field in a data set under a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningCount {
    /// What it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// Short name of the data set.
    pub dataset: String,
    /// Short name of the model.
    pub model: String,
    /// Samples that it is about.
    pub count: usize,
    /// All samples.
    pub of: usize,
    /// Index of the first of them in the test split.
    pub first_sample: usize,
    /// All of them.
    #[serde(default)]
    pub samples: SampleRanges,
    /// The field of a template or the column that it is about, if it is about one.
    pub field: Option<String>,
    /// What is wrong with the first of them, for people.
    pub message: String,
}

/// One kind and field while samples are looked through.
struct Tally {
    kind: Kind,
    finding: Finding,
    samples: Vec<usize>,
    first_sample: usize,
}

/// Checks all samples of a data set under a model.
pub(crate) fn count(subject: &Subject<'_>, samples: &[Prepared]) -> Vec<WarningCount> {
    let of_one = |mut tallies: Vec<Tally>, prepared: &Prepared| {
        // Nothing is asked about a sample that is known to fail, because an earlier stage has no answer for it.
        let is_lost = matches!(prepared.known, Some(Outcome::Failed { .. }));
        if let Some(asked) = subject.asked(prepared).filter(|_| !is_lost) {
            for (kind, find) in CHECKS {
                for finding in find(subject, &asked) {
                    let (kind, first_sample) = (*kind, prepared.sample);
                    add(
                        &mut tallies,
                        Tally { kind, finding, samples: vec![first_sample], first_sample },
                    );
                }
            }
        }
        tallies
    };
    let both = |mut tallies: Vec<Tally>, others: Vec<Tally>| {
        for other in others {
            add(&mut tallies, other);
        }
        tallies
    };
    let mut tallies = samples.par_iter().fold(Vec::new, of_one).reduce(Vec::new, both);
    // A field that nothing fills in says it already.
    if !tallies.iter().any(|tally| tally.kind == Kind::UnfilledField) {
        tallies.extend(same_prompts::find(subject, samples).map(|finding| Tally {
            kind: Kind::SamePrompts,
            finding,
            samples: samples.iter().map(|prepared| prepared.sample).collect(),
            first_sample: samples.first().map_or(0, |prepared| prepared.sample),
        }));
    }
    tallies.sort_by(|left, right| {
        let order = |tally: &Tally| (tally.kind, tally.first_sample);
        order(left).cmp(&order(right)).then_with(|| left.finding.field.cmp(&right.finding.field))
    });
    let counted = tallies.into_iter().map(|Tally { kind, finding, samples: own, first_sample }| {
        let (dataset, of) = (subject.dataset.abbr.clone(), samples.len());
        let model = subject.model.map(|model| model.abbr.clone()).unwrap_or_default();
        let Finding { field, message } = finding;
        let severity = kind.severity();
        let (count, samples) = (own.len(), SampleRanges::new(own));
        WarningCount {
            kind,
            severity,
            dataset,
            model,
            count,
            of,
            first_sample,
            samples,
            field,
            message,
        }
    });
    counted.collect()
}

fn add(tallies: &mut Vec<Tally>, other: Tally) {
    let is_same =
        |tally: &&mut Tally| tally.kind == other.kind && tally.finding.field == other.finding.field;
    match tallies.iter_mut().find(is_same) {
        None => tallies.push(other),
        Some(tally) => {
            tally.samples.extend(other.samples);
            if other.first_sample < tally.first_sample {
                (tally.first_sample, tally.finding) = (other.first_sample, other.finding);
            }
        }
    }
}

/// Whether there is more than notes.
pub fn has_warnings(counts: &[WarningCount]) -> bool {
    counts.iter().any(|count| count.severity == Severity::Warning)
}

/// A line for each kind and field, over all data sets and models; warnings before notes.
pub fn lines(counts: &[WarningCount]) -> Vec<String> {
    let mut groups: Vec<Vec<&WarningCount>> = Vec::new();
    for count in counts {
        let is_same = |group: &&mut Vec<&WarningCount>| {
            group.iter().any(|own| (own.kind, &own.field) == (count.kind, &count.field))
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(count),
            None => groups.push(vec![count]),
        }
    }
    groups.sort_by_key(|group| group.first().map(|first| (first.severity, first.kind)));
    groups.iter().filter_map(|group| line(group)).collect()
}

fn line(group: &[&WarningCount]) -> Option<String> {
    let first = group.first()?;
    let sum =
        |number: fn(&WarningCount) -> usize| group.iter().map(|own| number(own)).sum::<usize>();
    let field = first.field.as_ref().map(|field| format!(" {field}")).unwrap_or_default();
    let (several, from) = match distinct(group, |own| &own.dataset) {
        1 => (String::new(), ""),
        datasets => (format!(" of {datasets} data sets"), "first "),
    };
    Some(format!(
        "{}: {}{field}: {} of {} samples{several} ({from}data set {}, model {}, sample {}): {}",
        first.severity,
        first.kind,
        sum(|own| own.count),
        sum(|own| own.of),
        first.dataset,
        first.model,
        first.first_sample,
        first.message
    ))
}

fn distinct(group: &[&WarningCount], name: fn(&WarningCount) -> &String) -> usize {
    let mut names: Vec<&String> = group.iter().map(|own| name(own)).collect();
    names.sort();
    names.dedup();
    names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(kind: Kind, dataset: &str, first_sample: usize) -> WarningCount {
        WarningCount {
            kind,
            severity: kind.severity(),
            dataset: dataset.to_owned(),
            model: "tiny".to_owned(),
            count: 2,
            of: 5,
            first_sample,
            samples: SampleRanges::new(vec![first_sample]),
            field: (kind == Kind::UnfilledField).then(|| "qestion".to_owned()),
            message: "what is wrong".to_owned(),
        }
    }

    #[test]
    fn a_kind_is_told_once_for_all_data_sets() {
        let counts = [
            counted(Kind::DifferentTokenLengths, "a", 0),
            counted(Kind::UnfilledField, "a", 3),
            counted(Kind::UnfilledField, "b", 0),
        ];
        assert_eq!(
            lines(&counts),
            [
                "warning: unfilled_field qestion: 4 of 10 samples of 2 data sets (first data set a, model tiny, sample \
                 3): what is wrong",
                "note: different_token_lengths: 2 of 5 samples (data set a, model tiny, sample 0): what is wrong",
            ]
        );
        assert!(has_warnings(&counts) && !has_warnings(&counts[..1]));
    }
}
