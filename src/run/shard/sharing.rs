//! What asking knows of other shards, and what it notes down for its own record.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::share::Share;
use crate::{
    answer::{Answer, QuestionKey},
    kept_run::RunError,
    store::OtherAnswers,
};

/// Raised when a process is to end soon: a shard then ends with the batch that it is at.
#[derive(Clone, Debug, Default)]
pub struct StopSign(Arc<AtomicBool>);

impl StopSign {
    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// What raises it when it becomes true.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

/// The part of a run that a process asks, and the answers of others.
pub(in crate::run) struct Sharing {
    /// What is asked here; in a merge nothing is, and everything is wanted.
    share: Option<Share>,
    others: OtherAnswers,
    /// What other shards have tried in vain.
    known_failures: HashMap<QuestionKey, String>,
    stop: StopSign,
    /// What was taken from others once.
    taken: HashSet<QuestionKey>,
    /// What was tried here in vain.
    pub(super) failed: BTreeMap<QuestionKey, String>,
    /// Samples of the share without an answer.
    pub(in crate::run) failed_samples: usize,
}

impl Sharing {
    /// A share of a run, asked until `stop` is raised.
    pub(super) fn of_shard(share: Share, others: OtherAnswers, stop: StopSign) -> Self {
        Self { share: Some(share), stop, ..Self::of_merge(others, HashMap::new()) }
    }

    /// A whole run, of which nothing is asked.
    pub(super) fn of_merge(
        others: OtherAnswers,
        known_failures: HashMap<QuestionKey, String>,
    ) -> Self {
        Self {
            share: None,
            others,
            known_failures,
            stop: StopSign::default(),
            taken: HashSet::new(),
            failed: BTreeMap::new(),
            failed_samples: 0,
        }
    }

    /// Whether only some samples are asked.
    pub(in crate::run) fn is_part(&self) -> bool {
        self.share.is_some()
    }

    /// Whether what nobody has answered is asked.
    pub(in crate::run) fn asks(&self) -> bool {
        self.share.is_some()
    }

    /// Whether a row of a data set under a model is wanted.
    pub(in crate::run) fn wants(&self, model: usize, dataset: usize, row: usize) -> bool {
        self.share.as_ref().is_none_or(|share| share.has(model, dataset, row))
    }

    /// Reads the answers of others to questions, once each; gives how many there were.
    pub(in crate::run) fn take(
        &mut self,
        wanted: &[QuestionKey],
        tell: &mut dyn FnMut(usize, Answer),
    ) -> Result<usize, RunError> {
        let new: Vec<usize> =
            (0..wanted.len()).filter(|&index| self.taken.insert(wanted[index])).collect();
        let keys: Vec<QuestionKey> = new.iter().map(|&index| wanted[index]).collect();
        let mut found = 0;
        self.others.read(&keys, &mut |index, answer| {
            found += 1;
            tell(new[index], answer);
        })?;
        Ok(found)
    }

    /// Why another shard has no answer to a question that it tried.
    pub(in crate::run) fn known_failure(&self, question: &QuestionKey) -> Option<&str> {
        self.known_failures.get(question).map(String::as_str)
    }

    /// Notes that a question has failed here.
    pub(in crate::run) fn note_failure(&mut self, question: QuestionKey, error: String) {
        self.failed.insert(question, error);
    }

    /// Whether this process is to end.
    pub(in crate::run) fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// The sign to end.
    pub(in crate::run) fn stop_sign(&self) -> StopSign {
        self.stop.clone()
    }
}
