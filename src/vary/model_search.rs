//! The search of all data sets under one model, step by step.

use super::{Findings, RungRun, VaryError, best_config, plan_search::VaryOptions, search::Search};
use crate::{
    config::Node,
    kept_run::{RunError, run::KeptRun},
    plan::{ModelPlan, RunPlan},
    prepare::Progress,
    report::grouped,
    run::{RunOptions, execute},
};

/// All data sets under one model, step by step.
pub(super) struct ModelSearch<'s> {
    /// The model; its data sets are those of the step.
    pub(super) plan: RunPlan,
    pub(super) searches: Vec<Search<'s>>,
    /// Most tokens for this model.
    pub(super) budget: Option<usize>,
    pub(super) options: &'s VaryOptions,
    pub(super) progress: &'s dyn Progress,
}

impl ModelSearch<'_> {
    fn model(&self) -> &str {
        &self.plan.models[0].abbr
    }

    /// Asks step by step until formats are found or the budget ends.
    pub(super) fn search(&mut self, findings: &mut Findings) -> Result<(), VaryError> {
        let rungs = self.searches.iter().map(|search| search.rungs.len()).max().unwrap_or(0);
        let mut spent = 0;
        for rung in 0..rungs {
            // A data set with fewer steps is found by then.
            let open: Vec<usize> = (0..self.searches.len())
                .filter(|&place| rung < self.searches[place].rungs.len())
                .collect();
            if rung > 0 {
                for &place in &open {
                    self.searches[place].narrow(rung, self.options.find);
                }
            }
            self.plan.datasets.clear();
            for &place in &open {
                let plans = self.searches[place].plans(rung, self.options)?;
                self.plan.datasets.extend(plans);
            }
            let formats = self.plan.datasets.len();
            let samples = open.iter().map(|&at| self.searches[at].rungs[rung].samples).max();
            let samples = samples.unwrap_or(0);
            let step = format!(
                "{}: step {} of {rungs}: {} formats, {} samples each",
                self.model(),
                rung + 1,
                grouped(formats),
                grouped(samples)
            );
            self.progress.note(&step);
            let left = self.budget.map_or(usize::MAX, |budget| budget.saturating_sub(spent));
            let run = RunOptions {
                most_tokens: Some(left),
                has_page: false,
                now: (self.options.run.clock)(),
                ..self.options.run.clone()
            };
            let outcome = match execute(&self.plan, &run, self.progress) {
                Err(RunError::OverBudget { needed, budget }) if rung == 0 => {
                    let model = self.model().to_owned();
                    return Err(VaryError::Budget { model, formats, samples, needed, budget });
                }
                Err(RunError::OverBudget { needed, budget }) => {
                    findings.notes.push(format!(
                        "{step}: not begun; it may compute {} tokens, and the budget leaves {}",
                        grouped(needed),
                        grouped(budget)
                    ));
                    // Those of this step stay where they were: nothing new is known of them.
                    break;
                }
                other => other?,
            };
            spent += outcome.work.computed_tokens;
            findings.computed_tokens += outcome.work.computed_tokens;
            findings.reused_tokens += outcome.work.reused_tokens;
            findings.warnings.extend(outcome.warnings.iter().cloned());
            findings.errors.extend(outcome.errors.iter().cloned());
            findings.failed_samples = findings.failed_samples.max(outcome.failed_samples);
            findings.runs.push(RungRun {
                run: outcome.name.clone(),
                model: self.model().to_owned(),
                rung: rung + 1,
                rungs,
                formats,
                samples,
                questions: outcome.work.questions,
                reused_questions: outcome.work.reused_questions,
                computed_tokens: outcome.work.computed_tokens,
                reused_tokens: outcome.work.reused_tokens,
            });
            let kept = KeptRun::open(&run.work_dir, &outcome.name, self.progress)?;
            for &place in &open {
                self.searches[place].hear(rung, &kept, self.options)?;
            }
        }
        Ok(())
    }

    /// Says what was found, and writes the best formats.
    pub(super) fn tell(
        &self,
        findings: &mut Findings,
        summarizer: Option<&Node>,
        are_several: bool,
    ) -> Result<(), VaryError> {
        let model = &self.plan.models[0];
        let (mut datasets, mut head) = (Vec::new(), Vec::new());
        for search in &self.searches {
            let Some(found) = search.findings(&model.abbr, self.options) else {
                let dataset = &search.dataset.abbr;
                findings.errors.push(format!(
                    "data set {dataset}, model {}: no format has a figure",
                    model.abbr
                ));
                continue;
            };
            let best = &found.formats[found.best];
            let figure = best.value.map(|value| format!("{value:.2} {}", found.unit));
            head.push(format!(
                "{} under {}: {} of {} formats, {} {} on {} samples, seed {}",
                found.dataset,
                found.model,
                best.name,
                found.formats.len(),
                found.metric,
                figure.unwrap_or_default(),
                best.samples,
                self.options.seed
            ));
            let values = best.values.iter();
            let values: Vec<String> =
                values.map(|own| format!("{} {}", own.element, own.value)).collect();
            head.push(format!("  {}", values.join(", ")));
            datasets.push(search.best_plan(found.best, self.options)?);
            findings.searches.push(found);
        }
        if let Some(output) = self.options.output.as_deref().filter(|_| !datasets.is_empty()) {
            let path = if are_several {
                best_config::path_of_model(output, &model.abbr)
            } else {
                output.to_owned()
            };
            let model = ModelPlan::from_node(&model.node, &self.options.config)?;
            let plan = RunPlan {
                tasks: None,
                models: vec![model],
                datasets,
                summarizer: summarizer.cloned(),
                judge: self.plan.judge.clone(),
            };
            best_config::write(&head, plan, &self.options.config, &path)?;
            findings.configs.push(path);
        }
        Ok(())
    }
}
