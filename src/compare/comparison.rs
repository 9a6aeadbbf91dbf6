//! Members on the same rows: each, every pair, and what may be said of them.

use serde::Serialize;

use super::{
    Flip, Member, Pair, Part, RankOfPrompts, SpreadFigures,
    common_rows::CommonRows,
    judgement::{Judgement, Numbers},
    measured_sample::MeasuredSample,
    measured_unit::MeasuredUnit,
    metric,
    verdict::Words,
};
use crate::{
    evaluate::Unit,
    kept_run::PosixFacts,
    statistics::{Power, Resampling},
};

/// Members that differ in one part, judged on the rows that they have in common.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What is compared, in a line.
    pub title: String,
    /// The data set, without variants.
    pub dataset: String,
    /// What the members differ in.
    pub by: Part,
    /// The metric.
    pub metric: String,
    /// Its unit; differences of percentages are points.
    pub unit: Unit,
    /// Whether the larger figure is the better one.
    pub is_more_better: bool,
    /// The unit of margins.
    pub margin_unit: &'static str,
    /// Rows that are compared.
    pub samples: usize,
    /// The column whose values make clusters.
    pub cluster: Option<String>,
    /// How many of them there are.
    pub clusters: Option<usize>,
    /// Resamples of every interval and p that is made of them.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
    /// How many standard errors a difference must have, all pairs being judged together.
    pub critical_value: Option<f64>,
    /// The members.
    pub members: Vec<Member>,
    /// Each pair of them once.
    pub pairs: Vec<Pair>,
    /// The best less the worst.
    pub spread: Option<SpreadFigures>,
    /// Whether prompts that the model finds likely do better.
    pub rank_of_prompts: RankOfPrompts,
    /// Prompt sensitivity of the variants, if the run was to find it out.
    pub posix: Option<PosixFacts>,
    /// What may be said of all of it.
    pub verdict: String,
    /// What is to be known about it.
    pub notes: Vec<String>,
}

/// How comparisons are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings<'a> {
    pub(super) by: Part,
    pub(super) metric: &'a str,
    pub(super) unit: Unit,
    pub(super) cluster: Option<&'a str>,
    pub(super) with_flips: bool,
    pub(super) resampling: Resampling,
}

impl Comparison {
    /// Of the members that have rows in common; two at least, and one row.
    pub(super) fn of(all: &[&MeasuredUnit], rows: CommonRows, settings: Settings<'_>) -> Self {
        let Settings { by, metric, unit, cluster, .. } = settings;
        let units: Vec<&MeasuredUnit> = rows.members.iter().map(|&member| all[member]).collect();
        // For each member its samples, row by row.
        let samples: Vec<Vec<&MeasuredSample>> = (0..units.len())
            .map(|member| {
                rows.places.iter().map(|row| &units[member].samples[row[member]]).collect()
            })
            .collect();
        let members: Vec<Member> = units
            .iter()
            .zip(&samples)
            .map(|(own, samples)| Member::of(own, samples, by, unit, cluster.is_some()))
            .collect();
        let labels: Option<Vec<String>> =
            cluster.map(|_| samples[0].iter().map(|sample| sample.cluster.clone()).collect());
        let numbers = |of: fn(&MeasuredSample) -> Option<f64>, factor: f64| Numbers {
            columns: samples
                .iter()
                .map(|own| own.iter().map(|sample| of(sample)).collect())
                .collect(),
            factor,
            clusters: labels.as_deref(),
            resampling: settings.resampling,
        };
        let judged = numbers(|sample| sample.score, metric::factor(unit)).judged();
        let rules_differ = members.iter().any(|member| member.key.rule != members[0].key.rule);
        let have_margins = members.iter().all(|member| member.margin.is_some());
        let margins =
            (have_margins && !rules_differ).then(|| numbers(|sample| sample.margin, 1.0).judged());
        let words = Words {
            by,
            unit,
            is_more_better: metric::is_more_better(unit),
            pairs: judged.pairs.len(),
        };
        let pairs = pairs(&words, &members, &samples, &judged, margins.as_ref(), settings);
        let spread = SpreadFigures::of(&judged, unit);
        let mut comparison = Self {
            title: title(&members, by),
            dataset: units[0].key.dataset.clone(),
            by,
            metric: metric.to_owned(),
            unit,
            is_more_better: words.is_more_better,
            margin_unit: units[0].score_unit,
            samples: rows.places.len(),
            cluster: cluster.map(str::to_owned),
            clusters: labels
                .as_ref()
                .map(|labels| labels.iter().collect::<std::collections::BTreeSet<_>>().len()),
            resamples: settings.resampling.resamples,
            seed: settings.resampling.seed,
            critical_value: judged.critical_value.filter(|value| value.is_finite()),
            rank_of_prompts: RankOfPrompts::of(&members),
            posix: None,
            verdict: String::new(),
            notes: rows.notes,
            members,
            pairs,
            spread,
        };
        comparison.verdict = comparison.overall(&words, &judged);
        comparison.add_notes(&judged, margins.as_ref(), rules_differ);
        comparison
    }

    /// The pair of two members, in either order.
    pub fn pair(&self, one: usize, other: usize) -> Option<&Pair> {
        let wanted = (one.max(other), one.min(other));
        self.pairs.iter().find(|pair| (pair.left, pair.right) == wanted)
    }

    fn overall(&self, words: &Words, judged: &Judgement) -> String {
        if let [pair] = &*self.pairs {
            return pair.verdict.clone();
        }
        let Some(spread) = &self.spread else {
            return format!("no sample has a score under every {}", self.by);
        };
        let pair = self.pair(spread.best, spread.worst);
        let interval = spread.low.zip(spread.high).ok_or_else(|| {
            let why = pair.and_then(|pair| pair.metric.why_unstated("simultaneous interval"));
            why.unwrap_or("too little is known").to_owned()
        });
        let is_real = pair.is_some_and(|pair| pair.metric.is_real);
        let real_pairs = judged.pairs.iter().filter(|pair| pair.is_real).count();
        let name = |member: usize| self.members[member].name.as_str();
        words.of_all(
            self.members.len(),
            (name(spread.best), name(spread.worst)),
            (spread.value, interval),
            (is_real, real_pairs),
        )
    }
}

fn pairs(
    words: &Words,
    members: &[Member],
    samples: &[Vec<&MeasuredSample>],
    judged: &Judgement,
    margins: Option<&Judgement>,
    settings: Settings<'_>,
) -> Vec<Pair> {
    let places = (0..members.len())
        .flat_map(|right| (right + 1..members.len()).map(move |left| (left, right)));
    let power = judged.critical_value.and_then(Power::of_critical_value);
    places
        .zip(&judged.pairs)
        .enumerate()
        .map(|(index, ((left, right), metric))| {
            let changed: Vec<Flip> = samples[left]
                .iter()
                .zip(&samples[right])
                .filter_map(|(left, right)| Flip::of(left, right))
                .collect();
            let gained = changed.iter().filter(|flip| flip.is_gained).count();
            let lost = changed.len() - gained;
            let discordant = changed.len() as f64 / metric.samples as f64;
            // Clusters are no independent samples, and other numbers have no points.
            let samples_for_one_point = power
                .filter(|_| metric.mid_p.is_some())
                .and_then(|power| power.pairs_for_share_difference(0.01, discordant));
            let names = (members[left].name.as_str(), members[right].name.as_str());
            Pair {
                left,
                right,
                gained,
                lost,
                margin: margins.map(|margins| margins.pairs[index].clone()),
                samples_for_one_point,
                verdict: words.of_pair(names, metric, samples_for_one_point),
                metric: metric.clone(),
                flips: if settings.with_flips { changed } else { Vec::new() },
            }
        })
        .collect()
}

/// How many of what, and what all of them have in common.
fn title(members: &[Member], by: Part) -> String {
    let mut parts = vec![format!("{}: {} {by}s", members[0].key.dataset, members.len())];
    for part in Part::ALL.into_iter().filter(|part| *part != by) {
        let is_same =
            members.iter().all(|member| member.key.part(part) == members[0].key.part(part));
        if is_same && part != Part::Rule {
            parts.push(format!("{part} {}", members[0].key.part(part)));
        }
    }
    parts.join(", ")
}
