//! What one run has sent to a server, and what came of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Budget;
use crate::engine::EngineStatistics;

/// Numbers that all threads add to.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: AtomicUsize,
    pub(super) retries: AtomicUsize,
    /// Requests without any status of the server's: it may have been started anew since.
    pub(super) unheard: AtomicUsize,
    pub(super) failures: AtomicUsize,
    pub(super) prompt_tokens: AtomicUsize,
    pub(super) scored_tokens: AtomicUsize,
    pub(super) new_tokens: AtomicUsize,
}

impl Counts {
    /// Why nothing more is asked under a budget; nothing while there is something left.
    pub(super) fn spent(&self, budget: &Budget) -> Option<String> {
        budget.spent(count(&self.prompt_tokens), count(&self.new_tokens))
    }

    /// All of it, for people; `end` is why nothing is asked any more.
    pub(super) fn line(&self, budget: &Budget, end: Option<&str>) -> String {
        let Self { requests, retries, unheard, failures, prompt_tokens, new_tokens, .. } = self;
        let mut line = format!(
            "{} requests, of them {} again and {} in vain; the server counted {} tokens read and {} written",
            count(requests),
            count(retries),
            count(failures),
            count(prompt_tokens),
            count(new_tokens)
        );
        if let Some(cost) = budget.cost(count(prompt_tokens), count(new_tokens)) {
            line = format!("{line}, which costs {cost:.6} by the prices of the config");
        }
        if let Some(why) = end {
            line = format!("{line}; asking has ended: {why}");
        }
        match count(unheard) {
            0 => line,
            lost => format!(
                "{line}; {lost} were lost on the way: if the server was started anew meanwhile, look that it serves the same \
                 model, or run with --fresh"
            ),
        }
    }

    /// The same in the words of an engine.
    pub(super) fn statistics(&self) -> EngineStatistics {
        let Self { requests, prompt_tokens, scored_tokens, new_tokens, .. } = self;
        EngineStatistics {
            nominal_tokens: count(prompt_tokens),
            computed_tokens: count(prompt_tokens) + count(new_tokens),
            scored_tokens: count(scored_tokens),
            generated_tokens: count(new_tokens),
            batches: count(requests),
            ..EngineStatistics::default()
        }
    }
}

fn count(own: &AtomicUsize) -> usize {
    own.load(Ordering::Relaxed)
}
