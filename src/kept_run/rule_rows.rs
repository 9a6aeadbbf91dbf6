//! A run's figures under every scoring rule, from the surprisals that it kept.

use std::path::Path;

use serde::Serialize;

use super::{
    RunError, find,
    kept_sample::KeptSample,
    run::{KeptRun, KeptUnit},
};
use crate::{
    config::{Component, Node},
    evaluate::EvaluateError,
    infer::Choice,
    plan::PlanError,
    prepare::Progress,
    report::ResultRow,
    score::{self, Closeness, RULES, Rule},
};

/// A metric of a model on a data set, had a rule chosen among the candidates.
#[derive(Clone, Debug, Serialize)]
pub struct RuleRow {
    /// Name of the rule.
    pub rule: &'static str,
    /// Whether the run chose by it.
    pub is_own: bool,
    /// The figure.
    #[serde(flatten)]
    pub result: ResultRow,
    /// Samples in which it chooses another candidate than the run's rule.
    pub other_choices: usize,
    /// Samples whose two best candidates are equal under it; the first was taken.
    pub ties: usize,
    /// Samples whose two best candidates are closer than what the type computed in can tell apart.
    pub near_ties: usize,
    /// Samples whose candidates' answers have different numbers of tokens.
    pub unequal_lengths: usize,
}

/// The figures of a finished run of a working folder under every rule. What a rule cannot score is told.
pub fn by_rule(
    work_dir: &Path,
    run: &str,
    progress: &dyn Progress,
) -> Result<Vec<RuleRow>, RunError> {
    find::mended(work_dir, progress, || {
        let mut run = KeptRun::open(work_dir, run, progress)?;
        let mut rows = Vec::new();
        for mut unit in std::mem::take(&mut run.units) {
            let samples = run.samples(&unit)?;
            if samples.iter().any(|kept| kept.record.outcome.choice().is_some()) {
                let noise_nats = score::noise_nats(&unit.facts.dtype);
                rows.extend(of_unit(&mut unit, &samples, noise_nats, progress)?);
            }
        }
        if rows.is_empty() {
            return Err(RunError::NoCandidates { run: run.name });
        }
        Ok(rows)
    })
}

/// The figures of one data set under one model.
fn of_unit(
    unit: &mut KeptUnit,
    samples: &[KeptSample],
    noise_nats: f64,
    progress: &dyn Progress,
) -> Result<Vec<RuleRow>, RunError> {
    let choices: Vec<Choice<'_>> =
        samples.iter().filter_map(|kept| kept.record.outcome.choice()).collect();
    let chosen = |rule: &dyn Rule| -> Vec<Option<usize>> {
        choices.iter().map(|choice| score::chosen(rule, *choice)).collect()
    };
    let is_unequal = |choice: &&Choice<'_>| score::has_unequal_lengths(choice.candidates);
    let unequal_lengths = choices.iter().filter(is_unequal).count();
    let own_rule = unit.plan.rule_name;
    let own_choices = chosen(unit.evaluation(samples).rule());
    let (mut rows, mut not_asked) = (Vec::new(), Vec::new());
    // Beginning with the run's own, which may have parameters that none made anew has.
    let names = std::iter::once(own_rule).chain(RULES.names().filter(|name| *name != own_rule));
    for name in names {
        if name != own_rule {
            let component =
                Component::parse(&Node::from_json(&name.into())).map_err(PlanError::from)?;
            (unit.plan.rule_name, unit.plan.rule) =
                score::build(Some(&component)).map_err(PlanError::from)?;
        }
        let evaluation = unit.evaluation(samples);
        let evaluated = match evaluation.evaluate(samples) {
            Err(RunError::Evaluate { source, .. })
                if matches!(*source, EvaluateError::NotAsked { .. }) =>
            {
                not_asked.push(name);
                continue;
            }
            Err(error @ RunError::Evaluate { .. }) => {
                progress.note(&error.to_string());
                continue;
            }
            other => other?,
        };
        let rule = evaluation.rule();
        let (mut ties, mut near_ties) = (0, 0);
        for choice in &choices {
            let closeness = score::closeness(rule, *choice, noise_nats);
            ties += usize::from(closeness == Some(Closeness::Tie));
            near_ties += usize::from(closeness == Some(Closeness::NearTie));
        }
        let other_choices =
            chosen(rule).iter().zip(&own_choices).filter(|(one, own)| one != own).count();
        rows.extend(evaluated.rows.into_iter().map(|result| RuleRow {
            rule: name,
            is_own: name == own_rule,
            result,
            other_choices,
            ties,
            near_ties,
            unequal_lengths,
        }));
    }
    rows.sort_by_key(|row| row.rule);
    if !not_asked.is_empty() {
        progress.note(&format!(
            "{}: {} {} more than this run has asked; a run with eval_cfg=dict(rule=…) asks only what is missing",
            unit.name(),
            not_asked.join(", "),
            if not_asked.len() == 1 { "wants" } else { "want" },
        ));
    }
    Ok(rows)
}
