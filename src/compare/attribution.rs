//! Which stage of a chain loses the points that its last stage misses.
//!
//! Let s₀ be what the last stage scores on a row, s₁ the same with the gold of the first stage in the place of what it said,
//! s₂ with the golds of the first two, and so on. The first stage loses s₁ − s₀, the second s₂ − s₁, and the last what is
//! left to 1 with all golds before it. A row for which no passage is relevant cannot be answered by any search: all that
//! it loses is a part of its own. Whatever the rows, the parts sum to the gap 1 − s₀; a part may be negative, where a gold
//! does harm. Chains that hold golds are runs like others; they are found by what their stages say.

use serde::Serialize;

use super::{CompareError, metric, verdict::amount};
use crate::{
    evaluate::Unit,
    kept_run::run::{KeptRun, KeptUnit},
    passages::relevances,
    plan::{ChainLink, STAGE_MARK, Variant},
    statistics::{Interval, Mean, normal_95},
};

/// What is lost on rows without anything relevant.
const UNANSWERABLE: &str = "unanswerable";
/// How a search is asked.
const SEARCH: &str = "search";

/// The lost points of a chain, part by part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attribution {
    /// The data set, without stage and variant.
    pub dataset: String,
    /// The variant whose chain it is; `base` for the entry itself.
    pub variant: String,
    /// The model.
    pub model: String,
    /// The metric of the last stage.
    pub metric: String,
    /// Rows that every chain has scored.
    pub samples: usize,
    /// Rows that one of the chains has not.
    pub left_out: usize,
    /// The metric over these rows, in percent.
    pub value: f64,
    /// What it misses to 100.
    pub gap_points: f64,
    /// The parts, in the order of the stages.
    pub parts: Vec<LostPart>,
}

/// What one stage loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LostPart {
    /// The stage, or `unanswerable`.
    pub name: String,
    /// Points of a hundred.
    pub points: f64,
    /// Their standard error, from row to row.
    pub standard_error: Option<f64>,
    /// Lower bound of the 95 % interval.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
}

/// The last stage of a chain.
struct Last<'r> {
    unit: &'r KeptUnit,
    dataset: String,
    variant: String,
}

/// Every attribution that the chains of a run allow; `metric` is the one that the last stages are held to, or the first
/// share that they have.
pub(super) fn attributions(
    run: &KeptRun,
    metric: Option<&str>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Attribution>, CompareError> {
    let lasts: Vec<Last<'_>> = run.units.iter().filter_map(Last::of).collect();
    let mut found = Vec::new();
    for own in &lasts {
        let links = &own.unit.facts.links;
        if !is_wanted(&own.unit.facts.dataset) || links.first().is_none_or(ChainLink::is_gold) {
            continue;
        }
        let with_golds = (1..links.len()).map(|golds| own.with_golds(&lasts, golds));
        let Some(chains) = with_golds.collect::<Option<Vec<_>>>() else { continue };
        if chains.is_empty() {
            continue;
        }
        let Some(metric) = metric.or_else(|| first_share(own.unit)) else { continue };
        let scores = std::iter::once(own.unit).chain(chains.iter().map(|chain| chain.unit));
        let scores = scores.map(|unit| shares(unit, metric));
        let Some(scores) = scores.collect::<Option<Vec<&[f64]>>>() else { continue };
        let unanswerable = unanswerable(run, own)?;
        found.extend(attributed(own, metric, &scores, unanswerable.as_deref()));
    }
    Ok(found)
}

impl<'r> Last<'r> {
    fn of(unit: &'r KeptUnit) -> Option<Self> {
        let Variant { dataset, name } = Variant::of_abbr(&unit.facts.dataset);
        let stage = &unit.facts.links.last()?.name;
        let dataset = dataset.strip_suffix(stage)?.strip_suffix(STAGE_MARK)?.to_owned();
        Some(Self { unit, dataset, variant: name })
    }

    /// The same chain with golds in the place of its first stages.
    fn with_golds<'l>(&self, lasts: &'l [Self], golds: usize) -> Option<&'l Self> {
        let wanted: Vec<ChainLink> = self
            .unit
            .facts
            .links
            .iter()
            .enumerate()
            .map(|(place, link)| if place < golds { link.as_gold() } else { link.clone() })
            .collect();
        lasts.iter().find(|other| {
            other.dataset == self.dataset
                && other.unit.facts.model == self.unit.facts.model
                && other.unit.facts.links == wanted
        })
    }
}

/// The first metric that is a share of rows.
fn first_share(unit: &KeptUnit) -> Option<&str> {
    unit.scores.iter().map(|row| &*row.metric).find(|name| shares(unit, name).is_some())
}

/// What each row scores, from 0 to 1, where the metric is a share.
fn shares<'u>(unit: &'u KeptUnit, name: &str) -> Option<&'u [f64]> {
    let row = unit.scores.iter().find(|row| row.metric == name)?;
    (metric::unit_of_mean(row).ok()? == Unit::Percent).then_some(&row.scores)
}

/// Of each row whether nothing is relevant for it, as the golds of the chain's search say; nothing without a search.
fn unanswerable(run: &KeptRun, own: &Last<'_>) -> Result<Option<Vec<bool>>, CompareError> {
    let is_search = |unit: &&KeptUnit| {
        let Variant { dataset, .. } = Variant::of_abbr(&unit.facts.dataset);
        let name =
            dataset.strip_prefix(&own.dataset).and_then(|rest| rest.strip_prefix(STAGE_MARK));
        unit.facts.mode == SEARCH
            && unit.facts.model == own.unit.facts.model
            && name.is_some_and(|name| own.unit.facts.links.iter().any(|link| link.name == name))
    };
    let Some(search) = run.units.iter().find(is_search) else { return Ok(None) };
    let samples = run.samples(search)?;
    if samples.iter().all(|kept| kept.record.gold.is_none()) {
        return Ok(None);
    }
    let is_empty = |gold: &serde_json::Value| {
        let relevant = relevances(gold).unwrap_or_default();
        relevant.iter().all(|(_, relevance)| *relevance <= 0.0)
    };
    let gold = samples.iter().map(|kept| kept.record.gold.as_ref().is_none_or(is_empty));
    Ok(Some(gold.collect()))
}

/// The parts of a chain's gap: `scores` are those of the chain, of it with the gold of its first stage, and so on. Nothing
/// where no row is scored by all.
fn attributed(
    own: &Last<'_>,
    metric: &str,
    scores: &[&[f64]],
    unanswerable: Option<&[bool]>,
) -> Option<Attribution> {
    let rows = scores.first()?.len();
    let at = |chain: usize, row: usize| scores.get(chain).and_then(|own| own.get(row)).copied();
    let is_scored =
        |row: &usize| (0..scores.len()).all(|chain| at(chain, *row).is_some_and(f64::is_finite));
    let scored: Vec<usize> = (0..rows).filter(is_scored).collect();
    if scored.is_empty() {
        return None;
    }
    let is_lost =
        |row: usize| unanswerable.is_some_and(|own| own.get(row).copied().unwrap_or(false));
    let part = |name: &str, of: &dyn Fn(usize) -> f64| {
        LostPart::of(name, &scored.iter().map(|&row| 100.0 * of(row)).collect::<Vec<f64>>())
    };
    let score = |chain: usize, row: usize| at(chain, row).unwrap_or(1.0);
    let mut parts: Vec<LostPart> = own
        .unit
        .facts
        .links
        .iter()
        .enumerate()
        .map(|(stage, link)| {
            part(&link.name, &|row| {
                if is_lost(row) { 0.0 } else { score(stage + 1, row) - score(stage, row) }
            })
        })
        .collect();
    if unanswerable.is_some_and(|own| own.contains(&true)) {
        parts.push(part(UNANSWERABLE, &|row| if is_lost(row) { 1.0 - score(0, row) } else { 0.0 }));
    }
    let value =
        Mean::of(&scored.iter().map(|&row| 100.0 * score(0, row)).collect::<Vec<f64>>()).value;
    Some(Attribution {
        dataset: own.dataset.clone(),
        variant: own.variant.clone(),
        model: own.unit.facts.model.clone(),
        metric: metric.to_owned(),
        samples: scored.len(),
        left_out: rows - scored.len(),
        value,
        gap_points: 100.0 - value,
        parts,
    })
}

impl Attribution {
    /// What the chain misses, and which stage loses it, with standard errors.
    pub fn line(&self) -> String {
        let points = |value: f64| amount(value, Unit::Percent);
        let part = |part: &LostPart| {
            let error = part.standard_error.map(|error| format!(" ± {}", points(error)));
            format!("{} {}{}", part.name, points(part.points), error.unwrap_or_default())
        };
        let parts: Vec<String> = self.parts.iter().map(part).collect();
        format!("{} misses {}: {}", self.variant, points(self.gap_points), parts.join(", "))
    }
}

impl LostPart {
    fn of(name: &str, points: &[f64]) -> Self {
        let Mean { value, standard_error } = Mean::of(points);
        let interval: Option<Interval> = standard_error.map(|error| normal_95(value, error));
        Self {
            name: name.to_owned(),
            points: value,
            standard_error,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
        }
    }
}
