//! All that two sides of the same samples say of each other.

use serde::Serialize;

use super::{
    cause::{Cause, Evidence, causes},
    likelihood_difference::LikelihoodDifferences,
    pair::Pair,
    pairing::Pairing,
    prediction_difference::PredictionDifferences,
    prompt_difference::PromptDifferences,
    side::{Figure, FigureScale, Side, SideFormat},
    side_settings::SideSettings,
    token_ids,
};
use crate::model::Tokenizer;

/// Figures are compared to so many decimals, as tables show them.
const FIGURE_TOLERANCE: f64 = 0.005;

/// How two sides differ, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffReport {
    /// The data set.
    pub dataset: String,
    /// The model of the left side.
    pub model: String,
    /// What both sides are called.
    pub sides: [String; 2],
    /// How many samples both sides have.
    pub samples: [usize; 2],
    /// Whether they agree: what they share has the same prompts and answers, and log-likelihoods within the tolerance.
    pub agree: bool,
    /// Which samples are the same.
    pub pairing: Pairing,
    /// Where prompts part.
    pub prompts: PromptDifferences,
    /// How far log-likelihoods are apart.
    pub likelihoods: LikelihoodDifferences,
    /// Which answers differ.
    pub predictions: PredictionDifferences,
    /// Figures that both sides have, each over all of its own samples.
    pub figures: Vec<FigurePair>,
    /// Why they differ, the likeliest first.
    pub causes: Vec<Cause>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// A metric on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigurePair {
    /// Its name on the left side.
    pub metric: String,
    /// Both figures.
    pub values: [f64; 2],
    /// Whether they differ in what a table shows.
    pub differs: bool,
}

impl DiffReport {
    /// Of a data set under a model. `tolerance` is in nats. With a tokenizer, the left side's, ids are made where the right
    /// side tells none.
    pub fn of(
        [dataset, model]: [&str; 2],
        left: &Side,
        right: &Side,
        tolerance: f64,
        tokenizer: &dyn Fn() -> Option<Tokenizer>,
    ) -> Self {
        let pairing = Pairing::of(left, right);
        let pairs = Pair::all(left, right, &pairing.places);
        let mut prompts = PromptDifferences::of(&pairs);
        if prompts.first_ids.is_none()
            && token_ids::is_needed(&pairs, right)
            && let Some(tokenizer) = tokenizer()
        {
            prompts.first_ids = token_ids::first_difference(&pairs, &tokenizer);
        }
        let likelihoods = LikelihoodDifferences::of(&pairs, tolerance);
        let predictions = PredictionDifferences::of(&pairs);
        let quantity = likelihoods.quantity;
        let causes = causes(&Evidence { left, right, pairs: &pairs, quantity, tolerance });
        let notes = left.notes.iter().chain(&right.notes).cloned().chain(notes(&pairs)).collect();
        let mut report = Self {
            dataset: dataset.to_owned(),
            model: model.to_owned(),
            sides: [left, right].map(|side| side.name.clone()),
            samples: [left, right].map(|side| side.samples.len()),
            agree: false,
            pairing,
            prompts,
            likelihoods,
            predictions,
            figures: figures(left, right),
            causes,
            notes,
        };
        report.agree = report.is_equal();
        let is_unsaid =
            right.format == SideFormat::LmEval && right.settings == SideSettings::default();
        if !report.agree && is_unsaid && report.likelihoods.above_tolerance > 0 {
            report.notes.push(format!(
                "there is no results file of the same date beside {}: whether its model was given BOS, its window and its \
                 type are not known, and in numbers alone they look alike",
                right.name
            ));
        }
        report
    }

    /// Whether nothing differs of what both sides have. That one has only a part of the samples is no difference; that each
    /// has samples of its own is.
    fn is_equal(&self) -> bool {
        let has_common_samples = self.pairing.paired > 0
            && (self.pairing.only_left == 0 || self.pairing.only_right == 0);
        has_common_samples
            && self.prompts.differing + self.prompts.unaligned + self.prompts.ids_differing == 0
            && self.prompts.images_differing == 0
            && self.likelihoods.above_tolerance + self.likelihoods.other_answers == 0
            && self.predictions.changed.is_empty()
            && self.predictions.texts_differing == 0
    }

    /// The cause that explains most of what it could explain; nothing if none does.
    pub fn likeliest(&self) -> Option<&Cause> {
        self.causes.first().filter(|cause| cause.is_conclusive())
    }
}

/// Figures of the same metric, shares of a hundred where one side writes them so.
fn figures(left: &Side, right: &Side) -> Vec<FigurePair> {
    let pair = |own: &Figure| {
        let other =
            right.figures.iter().find(|other| is_same_metric(&own.metric, &other.metric))?;
        let scales = match [own.scale, other.scale] {
            [FigureScale::OfHundred, FigureScale::OfOne] => [1.0, 100.0],
            [FigureScale::OfOne, FigureScale::OfHundred] => [100.0, 1.0],
            _ => [1.0, 1.0],
        };
        let values = [own.value * scales[0], other.value * scales[1]];
        let differs = (values[0] - values[1]).abs() > FIGURE_TOLERANCE;
        Some(FigurePair { metric: own.metric.clone(), values, differs })
    };
    left.figures.iter().filter_map(pair).collect()
}

/// Whether two names mean one metric: `metric` means it under whatever filter, and lm-eval's `acc` is OpenCompass's
/// `accuracy`.
fn is_same_metric(own: &str, other: &str) -> bool {
    let parts = |name: &'_ str| -> (String, Option<String>) {
        let (metric, filter) = match name.split_once(',') {
            Some((metric, filter)) => (metric, Some(filter).filter(|filter| *filter != "none")),
            None => (name, None),
        };
        let metric = if metric == "accuracy" { "acc" } else { metric };
        (metric.to_owned(), filter.map(str::to_owned))
    };
    let ((metric, filter), (other_metric, other_filter)) = (parts(own), parts(other));
    let is_same_filter = filter.is_none() || other_filter.is_none() || filter == other_filter;
    metric == other_metric && is_same_filter
}

/// What pairs leave open.
fn notes(pairs: &[Pair<'_>]) -> Vec<String> {
    let failed =
        |is_failed: fn(&Pair<'_>) -> bool| pairs.iter().filter(|pair| is_failed(pair)).count();
    let both = failed(|pair| pair.left.error.is_some() && pair.right.error.is_some());
    let mut notes = Vec::new();
    if both > 0 {
        notes.push(format!("samples without an answer on both sides: {both}"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::is_same_metric;

    #[test]
    fn metrics_go_by_their_filters() {
        assert!(is_same_metric("accuracy", "acc") && is_same_metric("acc,none", "acc"));
        assert!(is_same_metric("exact_match,strict", "exact_match,strict"));
        assert!(!is_same_metric("exact_match,flexible", "exact_match,strict"));
        assert!(!is_same_metric("acc_norm", "acc"));
    }
}
