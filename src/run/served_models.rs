//! Models behind servers in a run: what is wanted of them, the probe, and whose answers count.

use super::{RunOptions, identity::KnownModel};
use crate::{
    answer::served::{MediaFiles, Served, ServerNeeds, ServerRefusal},
    infer::Prepared,
    kept_run::{RunError, RunFacts, ServedAsking},
    plan::RunPlan,
    prepare::{Progress, ReadyModel},
    store::{Renewal, RunRow, Store},
};

/// What a run wants of each model.
pub(super) struct Wants {
    needs: ServerNeeds,
    /// The data set that wants surprisals, for messages.
    wanted: String,
}

impl Wants {
    /// What the data sets of a plan want.
    ///
    /// # Errors
    /// A model is behind a server, and something is wanted that no server gives.
    pub(super) fn of(plan: &RunPlan, options: &RunOptions) -> Result<Self, RunError> {
        let served = plan.models.iter().find(|model| model.served.is_some());
        if let (Some(model), true) = (served, options.with_posix) {
            return Err(RunError::NotServed {
                model: model.abbr.clone(),
                what: "POSIX scores its answers by the ids of their tokens; leave --posix out",
            });
        }
        let mut wants = Self { needs: ServerNeeds::default(), wanted: String::new() };
        for dataset in &plan.datasets {
            let inferencer = &dataset.inferencer;
            if inferencer.unasked().is_some() {
                continue;
            }
            if inferencer.max_new_tokens() > 0 {
                wants.needs.continuations = true;
                continue;
            }
            if !wants.needs.surprisals {
                wants.wanted = format!("data set {} needs", dataset.abbr);
            }
            wants.needs.surprisals = true;
            wants.needs.places |= inferencer.ranks() && dataset.evaluation.rule.needs_context();
        }
        Ok(wants)
    }

    /// What is wanted of a judge: its replies.
    pub(super) fn of_judge() -> Self {
        let needs = ServerNeeds { continuations: true, ..ServerNeeds::default() };
        Self { needs, wanted: String::new() }
    }
}

/// Connects to a model's server, finds out what it can do, and tells it.
pub(super) fn connect(
    ready: &ReadyModel<'_>,
    wants: &Wants,
    progress: &dyn Progress,
) -> Result<KnownModel, RunError> {
    let model = ready.plan;
    let failed = |source| RunError::Server { model: model.abbr.clone(), source: Box::new(source) };
    let settings = model.served.clone().ok_or(RunError::NotServed {
        model: model.abbr.clone(),
        what: "its entry has no address",
    })?;
    progress.phase(&format!("asking the server of {} what it can do", model.abbr), 1);
    let served = Served::connect(settings, wants.needs, &wants.wanted).map_err(failed)?;
    progress.end();
    let abilities = served.abilities();
    for note in abilities.line().iter().chain(&abilities.notes) {
        progress.note(&format!("model {}: {note}", model.abbr));
    }
    let texts = ready.units.iter().flat_map(|unit| &unit.samples).flat_map(Prepared::all_prompts);
    let mut texts = texts.map(|prompt| &*prompt.text);
    if !served.settings().sends_files {
        if texts.any(|text| text.contains("file://")) {
            progress.note(&format!(
                "model {}: messages name files by file://, which the server opens itself; send_files=True sends them",
                model.abbr
            ));
        }
        return Ok(KnownModel::behind(served));
    }
    let files = MediaFiles::look(texts).map_err(|what| {
        let name = served.settings().name();
        failed(ServerRefusal::Unclear {
            name,
            what: format!("a file that a message names: {what}"),
        })
    })?;
    progress.note(&format!("model {}: files that are sent: {}", model.abbr, files.len()));
    Ok(KnownModel::behind(served.with_files(files)))
}

/// Which earlier runs of the same work do not count. A server is asked anew by every run, unless that is not wanted.
pub(super) fn renewal(plan: &RunPlan, options: &RunOptions) -> Renewal {
    let is_served = plan.models.iter().chain(plan.judges()).any(|model| model.served.is_some());
    match (options.is_fresh, is_served && !options.reuses_served) {
        (true, _) => Renewal::Everything,
        (false, true) => Renewal::Finished,
        (false, false) => Renewal::Nothing,
    }
}

/// Under which asking each model behind a server has its answers: that which the run began with, on request the newest
/// that another run has, or a new one.
pub(super) fn askings(
    store: &Store,
    run: &RunRow,
    facts: &RunFacts,
    models: &[&KnownModel],
    options: &RunOptions,
) -> Result<Vec<ServedAsking>, RunError> {
    let mut askings = facts.askings.clone();
    let mut earlier: Vec<ServedAsking> = Vec::new();
    if options.reuses_served && !options.is_fresh {
        let facts = |run: &RunRow| serde_json::from_str::<RunFacts>(&run.facts).ok();
        let newest = store.runs()?.into_iter().rev().filter_map(|run| facts(&run));
        earlier = newest.flat_map(|facts| facts.askings).collect();
    }
    for known in models.iter().filter(|known| known.identity.is_served) {
        let model = known.identity.key.to_string();
        if askings.iter().any(|own| own.model == model) {
            continue;
        }
        let found = earlier.iter().find(|own| own.model == model).cloned();
        askings.push(found.unwrap_or(ServedAsking { model, number: run.id }));
    }
    Ok(askings)
}
