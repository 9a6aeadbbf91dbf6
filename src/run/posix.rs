//! Prompt sensitivity: how much likelier an answer gets or loses when its question is asked in other words.
//!
//! POSIX (Chatterjee et al. 2024, "POSIX: A Prompt Sensitivity Index For Large Language Models",
//! arXiv:2410.02185): of N wordings x of a question and the answers y to each,
//! `1/(N(N−1)) Σ_i Σ_j |ln p(y_j|x_i) − ln p(y_j|x_j)| / L_j`, where answer j has `L_j` tokens; the mean over questions. The
//! answer to a wording with candidates is the one that its rule chooses.
//!
//! Every answer is scored after every wording, so that N variants ask up to N² times: it is done on request alone,
//! after the answers themselves are kept. What a run has scored anyhow is taken from there.

use super::{
    assignment::Assignment,
    wording::{WordedSample, Wording},
};
use crate::{
    answer::Answer,
    engine::plan::{PathEnd, PrefixTree, TokenPath},
    infer::{Prepared, ResponseScoring},
    kept_run::{
        PosixFacts, RunError, UnitFacts,
        evaluation::{self, UnitEvaluation},
        kept_sample,
    },
    plan::{DatasetPlan, RunPlan, Variant},
    prepare::Unit,
    report::grouped,
    statistics::{Mean, normal_95},
    store::{Store, UnitRow},
};

/// The variants of a data set: places in the plan.
pub(super) struct VariantGroup {
    dataset: String,
    names: Vec<String>,
    /// The first one is the entry itself.
    pub(super) places: Vec<usize>,
}

/// Everything that is scored for one group of variants under a model.
pub(super) struct CrossScoring {
    group: VariantGroup,
    model: String,
    /// For each row; nothing where it has no index.
    samples: Vec<Option<WordedSample>>,
}

impl VariantGroup {
    /// All data sets of a plan that have variants.
    pub(super) fn all(plan: &RunPlan) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for (place, dataset) in plan.datasets.iter().enumerate() {
            let Some(Variant { dataset, name }) = &dataset.variant else { continue };
            match groups.iter_mut().find(|group| group.dataset == *dataset) {
                Some(group) => {
                    group.names.push(name.clone());
                    group.places.push(place);
                }
                None => groups.push(Self {
                    dataset: dataset.clone(),
                    names: vec![name.clone()],
                    places: vec![place],
                }),
            }
        }
        groups.retain(|group| group.places.len() > 1);
        groups
    }
}

impl CrossScoring {
    /// Of the units of a model, which are kept; a text has at most `max_seq_len_tokens`.
    pub(super) fn read(
        group: VariantGroup,
        store: &Store,
        (datasets, units): (&[DatasetPlan], &[UnitRow]),
        model: &str,
        max_seq_len_tokens: usize,
    ) -> Result<Self, RunError> {
        // For each row, its wordings.
        let mut rows: Vec<Vec<Option<Wording>>> = Vec::new();
        for &place in &group.places {
            let (dataset, unit) = (&datasets[place], &units[place]);
            let name = format!("data set {}, model {model}", dataset.abbr);
            let samples = kept_sample::read(store, unit, &name)?;
            let facts = UnitFacts::of(unit)?;
            let postprocessor = evaluation::model_postprocessor(&facts)?;
            let evaluation = UnitEvaluation::new(
                &facts,
                &dataset.evaluation,
                postprocessor.as_deref(),
                &samples,
            );
            rows.resize_with(samples.len(), Vec::new);
            for (row, kept) in rows.iter_mut().zip(&samples) {
                row.push(Wording::of(&kept.record, evaluation.rule()));
            }
        }
        let samples = rows
            .into_iter()
            .map(|wordings| WordedSample::of(wordings, max_seq_len_tokens))
            .collect();
        Ok(Self { group, model: model.to_owned(), samples })
    }

    /// What it is about.
    pub(super) fn title(&self) -> String {
        format!("POSIX of {} · {}", self.group.dataset, self.model)
    }

    /// What it asks, as work that can be done like any other.
    pub(super) fn unit(&self) -> Unit {
        let prepared = |(row, sample): (usize, &Option<WordedSample>)| {
            let prompts =
                sample.iter().flat_map(WordedSample::unknown).map(|(context, response)| {
                    let own = sample.as_ref()?;
                    Some(ResponseScoring::prompt(&own.contexts[context], &own.responses[response]))
                });
            ResponseScoring::sample(row, prompts.flatten().collect())
        };
        Unit {
            inferencer: Box::new(ResponseScoring),
            samples: self.samples.iter().enumerate().map(prepared).collect(),
            notes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// What asking costs at most, in a line.
    pub(super) fn cost_line(&self, unit: &Unit) -> String {
        let prompts = || unit.samples.iter().flat_map(|sample: &Prepared| &sample.prompts);
        let paths = prompts()
            .map(|prompt| TokenPath::of_tokens(&prompt.ids, prompt.context_tokens))
            .collect();
        let tree = PrefixTree::new(paths, PathEnd::Target);
        format!(
            "POSIX of {}, model {}: {} scores of the answers to {} variants after each other's wording, {} tokens, of \
             which {} are computed at most",
            self.group.dataset,
            self.model,
            grouped(prompts().count()),
            self.group.names.len(),
            grouped(tree.nominal_tokens()),
            grouped(tree.computed_tokens())
        )
    }

    /// The index, once everything is asked.
    pub(super) fn facts(
        mut self,
        store: &Store,
        assignment: &Assignment<'_>,
    ) -> Result<PosixFacts, RunError> {
        for (sample, keys) in self.samples.iter_mut().zip(assignment.questions()) {
            let Some(own) = sample else { continue };
            let places: Vec<(usize, usize)> = own.unknown().collect();
            for ((context, response), key) in places.into_iter().zip(keys) {
                if let Some(Answer::Score(score)) = store.answer(key)?.map(|known| known.answer) {
                    let sum = score.nlls.iter().map(|&nll| f64::from(nll)).sum();
                    own.sums_nats[context][response] = Some(sum);
                }
            }
        }
        let indices: Vec<f64> =
            self.samples.iter().flatten().filter_map(WordedSample::index_nats_per_token).collect();
        let mean = Mean::of(&indices);
        let interval = mean.standard_error.map(|error| normal_95(mean.value, error));
        Ok(PosixFacts {
            dataset: self.group.dataset,
            model: self.model,
            variants: self.group.names,
            samples: indices.len(),
            left_out: self.samples.len() - indices.len(),
            nats_per_token: Some(mean.value).filter(|value| value.is_finite()),
            low: interval.map(|interval| interval.low.max(0.0)),
            high: interval.map(|interval| interval.high),
        })
    }
}
