//! What is to be known about the figures of a comparison.

use super::{Comparison, Part, judgement::Judgement};
use crate::{
    kept_run::{PosixFacts, run::KeptRun},
    report::grouped,
};

impl Comparison {
    /// Adds the prompt sensitivity of its members, if they are the variants that it was found for in this run.
    pub(super) fn add_posix(&mut self, run: &KeptRun) {
        let Some(first) = self.members.first().map(|member| &member.key) else { return };
        let keys = || self.members.iter().map(|member| &member.key);
        if self.by != Part::Variant || !keys().all(|key| key.run == run.name) {
            return;
        }
        let is_of_members = |facts: &&PosixFacts| {
            (&facts.dataset, &facts.model) == (&first.dataset, &first.model)
                && facts.variants.len() == self.members.len()
                && keys().all(|key| facts.variants.contains(&key.variant))
        };
        let Some(facts) = run.facts.posix.iter().find(is_of_members).cloned() else { return };
        self.notes.push(facts.line());
        self.posix = Some(facts);
    }

    /// Adds what is to be known about figures that are there.
    pub(super) fn add_notes(
        &mut self,
        judged: &Judgement,
        margins: Option<&Judgement>,
        rules_differ: bool,
    ) {
        let mut notes = Vec::new();
        for member in &self.members {
            let counts = [(member.failed, "no answer"), (member.unscored, "no score")];
            for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
                notes.push(format!(
                    "{}: {} of {} samples have {what} and are left out of its pairs",
                    member.name,
                    grouped(count),
                    grouped(self.samples)
                ));
            }
        }
        if judged.samples_of_all < self.samples {
            notes.push(format!(
                "what holds for all pairs at once is judged on the {} samples that every {} has a score for",
                grouped(judged.samples_of_all),
                self.by
            ));
        }
        if rules_differ {
            notes.push(
                "margins of different rules have no common unit and are not compared".to_owned(),
            );
        }
        let models = self.members.iter().any(|own| own.key.model != self.members[0].key.model);
        if models && self.members.iter().any(|own| own.gold_nats_per_token.is_some()) {
            notes.push("nats/token: each model's own tokens".to_owned());
        }
        if let Some(margins) = margins {
            let finer = self.pairs.iter().zip(&margins.pairs);
            let finer = finer.filter(|(pair, margin)| margin.is_real && !pair.metric.is_real);
            let finer: Vec<String> = finer
                .map(|(pair, _)| {
                    let name = |member: usize| &self.members[member].name;
                    format!("{} and {}", name(pair.left), name(pair.right))
                })
                .collect();
            if !finer.is_empty() {
                notes.push(format!(
                    "the margin tells apart what {} does not: {}",
                    self.metric,
                    finer.join(", ")
                ));
            }
        }
        self.notes.extend(notes);
    }
}
