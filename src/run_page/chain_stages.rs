//! What the stages of a chain have said of each row, for the page: a sample shows them above its own texts.

use serde_json::Value as Json;

use crate::{
    infer::Outcome,
    kept_run::{
        RunError,
        kept_sample::KeptSample,
        run::{KeptRun, KeptUnit},
    },
    passages::relevances,
    plan::{STAGE_MARK, Variant},
    python::python_str,
    report::page::{FoundPassage, StageSaid},
};

/// The stages of a unit's chain up to its own, row by row; none where it is no stage.
#[derive(Debug, Default)]
pub(super) struct ChainStages {
    rows: Vec<Vec<StageSaid>>,
}

impl ChainStages {
    /// Reads the stages before a unit of a run; `own` are its own samples.
    pub(super) fn of(run: &KeptRun, unit: &KeptUnit, own: &[KeptSample]) -> Result<Self, RunError> {
        let mut rows: Vec<Vec<StageSaid>> = vec![Vec::new(); own.len()];
        let Variant { dataset, name: variant } = Variant::of_abbr(&unit.facts.dataset);
        for link in &unit.facts.links {
            let is_own =
                dataset.strip_suffix(&link.name).is_some_and(|rest| rest.ends_with(STAGE_MARK));
            if is_own {
                add(&mut rows, unit, own);
                break;
            }
            if link.is_gold() {
                for stages in &mut rows {
                    let name = link.name.clone();
                    stages.push(StageSaid { name, is_gold: true, ..StageSaid::default() });
                }
                continue;
            }
            let is_meant = |other: &&KeptUnit| {
                let known = Variant::of_abbr(&other.facts.dataset);
                let stage = known.dataset.rsplit_once(STAGE_MARK);
                let base = dataset.rsplit_once(STAGE_MARK);
                other.facts.model == unit.facts.model
                    && known.name == variant
                    && stage.zip(base).is_some_and(|(own, base)| own == (base.0, &link.name))
            };
            if let Some(earlier) = run.units.iter().find(is_meant) {
                add(&mut rows, earlier, &run.samples(earlier)?);
            }
        }
        Ok(Self { rows })
    }

    /// What the stages said of the sample at a place.
    pub(super) fn of_sample(&self, place: usize) -> Vec<StageSaid> {
        self.rows.get(place).cloned().unwrap_or_default()
    }
}

/// Adds what a stage said of each row.
fn add(rows: &mut [Vec<StageSaid>], unit: &KeptUnit, samples: &[KeptSample]) {
    let Some(link) = unit.facts.links.iter().find(|link| {
        let Variant { dataset, .. } = Variant::of_abbr(&unit.facts.dataset);
        dataset.rsplit_once(STAGE_MARK).is_some_and(|(_, stage)| stage == link.name)
    }) else {
        return;
    };
    let evaluation = unit.evaluation(samples);
    for (stages, kept) in rows.iter_mut().zip(samples) {
        let gold = kept.record.gold.as_ref().filter(|gold| !gold.is_null());
        let mut said = StageSaid {
            name: link.name.clone(),
            gold: gold.map(python_str),
            ..StageSaid::default()
        };
        match &kept.record.outcome {
            Outcome::Retrieved { query, passages } => {
                said.query = Some(query.clone());
                let relevant = relevances(gold.unwrap_or(&Json::Null)).unwrap_or_default();
                let is_relevant =
                    |id: &str| relevant.iter().any(|(own, worth)| own == id && *worth > 0.0);
                let found = passages.iter().map(|own| FoundPassage {
                    is_relevant: is_relevant(&own.id)
                        || own.document.as_deref().is_some_and(is_relevant),
                    id: own.id.clone(),
                    title: own.title.clone(),
                    text: own.text.clone(),
                    score: own.score,
                });
                said.passages = found.collect();
            }
            Outcome::Failed { error } => said.said = Some(error.clone()),
            outcome => {
                let replies: Vec<&str> =
                    outcome.continuations().iter().map(|own| own.text.as_str()).collect();
                let prediction = evaluation.prediction(kept).ok().filter(|own| !own.is_null());
                said.said = prediction.as_ref().map(python_str);
                said.reply = Some(replies.join("\n"))
                    .filter(|reply| !reply.is_empty() && said.said.as_ref() != Some(reply));
            }
        }
        stages.push(said);
    }
}
