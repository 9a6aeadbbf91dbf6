//! Taking a run up: a new one, one that was not finished, or one that another process has done.

use super::{RunOptions, files, identity::KnownModel, served_models};
use crate::{
    config::Node,
    kept_run::{RunError, RunFacts, RunOutcome, UnitFacts, WorkDone, find::next_asked},
    plan::RunPlan,
    prepare::Progress,
    store::{Begun, Renewal, RunFolder, RunKey, RunRow, RunState, Store, write_atomically},
};

/// Whether there is anything to do.
pub(super) enum Start {
    /// Another run has done it.
    Done(RunOutcome),
    /// This process does it.
    Own(RunRow, Box<RunFacts>),
}

/// Takes the run up, or waits for the process that is at it.
pub(super) fn begin(
    store: &mut Store,
    plan: &RunPlan,
    options: &RunOptions,
    (command, work): (RunKey, RunKey),
    models: &[&KnownModel],
    progress: &dyn Progress,
) -> Result<Start, RunError> {
    let new = RunFacts {
        command_line: options.command_line.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: options.machine.clone(),
        devices: options.devices.iter().map(ToString::to_string).collect(),
        started: options.now.to_string(),
        asked: next_asked(store)?,
        config: plan.dump(),
        summarizer: plan.summarizer.as_ref().map(Node::to_json).unwrap_or_default(),
        ..RunFacts::default()
    };
    let mut renewal = served_models::renewal(plan, options);
    let mut told = 0;
    loop {
        let begun = store.begin(command, work, &new.to_text(), renewal)?;
        let (mut run, is_resumed) = match begun {
            Begun::Finished(mut run) => {
                if let Some(outcome) = kept_outcome(&run, store) {
                    become_latest(&run, store)?;
                    return Ok(Start::Done(outcome));
                }
                // What it says of itself or one of its files is gone: made again from its answers.
                let is_known = serde_json::from_str::<RunFacts>(&run.facts).is_ok();
                run.state = if is_known { RunState::Unfinished } else { RunState::Replaced };
                store.update(&run)?;
                continue;
            }
            Begun::Own { run, is_resumed } => (run, is_resumed),
            Begun::Elsewhere { process, .. } => {
                // Whoever waits is given what the other computes, fresh or not.
                renewal = Renewal::Nothing;
                if told != process {
                    told = process;
                    progress.note(&format!("waiting for process {process}, which runs the same"));
                }
                store.wait();
                continue;
            }
        };
        let asked = new.asked;
        let mut facts: RunFacts = serde_json::from_str(&run.facts).unwrap_or(new);
        facts.asked = asked;
        let folder = if let Some(folder) = &facts.folder {
            RunFolder::of(store.folder(), folder)
        } else {
            let stamp = options.now.strftime("%Y%m%d_%H%M%S").to_string();
            RunFolder::create(store.folder(), &stamp)?
        };
        if is_resumed {
            progress.note(&format!("going on with {}", folder.root().display()));
            if models.iter().any(|known| known.identity.is_served) {
                progress.note(
                    "answers that are there are those of the server as it was then; if another model stands behind its address \
                     now, run with --fresh",
                );
            }
        }
        facts.folder = Some(folder.time_stamp().to_owned());
        facts.askings = served_models::askings(store, &run, &facts, models, options)?;
        run.facts = facts.to_text();
        store.update(&run)?;
        write_atomically(&folder.config(), facts.config.as_bytes())?;
        return Ok(Start::Own(run, Box::new(facts)));
    }
}

/// Makes a finished run that is asked for again the one that `latest` names; writes nothing if it is that already.
pub(super) fn become_latest(run: &RunRow, store: &Store) -> Result<(), RunError> {
    let Ok(mut facts) = serde_json::from_str::<RunFacts>(&run.facts) else { return Ok(()) };
    let next = next_asked(store)?;
    if facts.asked + 1 < next {
        facts.asked = next;
        store.update_facts(run, facts.to_text())?;
    }
    Ok(())
}

/// What a finished run came to; nothing if that cannot be read or its files are not there.
pub(super) fn kept_outcome(run: &RunRow, store: &Store) -> Option<RunOutcome> {
    let facts: RunFacts = serde_json::from_str(&run.facts).ok()?;
    let folder = RunFolder::of(store.folder(), facts.folder.as_deref()?);
    let units = store.all_units(run, facts.units).ok()?;
    let units: Vec<UnitFacts> = units.iter().map(UnitFacts::of).collect::<Result<_, _>>().ok()?;
    if !files::are_there(&folder, &units, &facts.results) {
        return None;
    }
    Some(RunOutcome {
        name: folder.time_stamp().to_owned(),
        folder: folder.root().to_owned(),
        page: RunFolder::are_files([folder.page()].into_iter()).then(|| folder.page()),
        results: facts.results,
        families: facts.families,
        posix: facts.posix,
        failed_samples: facts.failed_samples,
        work: WorkDone {
            computed_tokens: 0,
            reused_questions: facts.work.questions,
            reused_tokens: facts.work.reused_tokens + facts.work.computed_tokens,
            ..facts.work
        },
        is_from_store: true,
        warnings: facts.warnings,
        unscored: facts.unscored,
        errors: Vec::new(),
    })
}
