//! The samples of a prepared run that a shard asks.

use std::collections::BTreeMap;

use super::{
    Shard,
    partition::{SampleWork, partition},
};
use crate::{
    infer::Prepared,
    model::{Checkpoint, vision::SteadyIds},
    plan::RunPlan,
    prepare::{ReadyModel, ReadyRun},
};

/// For each sample of a run the shard that asks it.
pub(in crate::run) struct Share {
    shard: Shard,
    /// By model, data set and row; data sets of one chain have the same.
    shards: Vec<Vec<Vec<usize>>>,
}

impl Share {
    /// Divides a run. Nothing but its prompts and the sizes of its models decides how.
    pub(in crate::run) fn new(plan: &RunPlan, ready: &ReadyRun<'_>, shard: Shard) -> Self {
        // A data set's group, and how many rows the group has.
        let mut first_of: BTreeMap<&str, usize> = BTreeMap::new();
        let groups: Vec<usize> = plan
            .datasets
            .iter()
            .enumerate()
            .map(|(place, dataset)| match &dataset.stage {
                Some(stage) => *first_of.entry(stage.chain.as_str()).or_insert(place),
                None => place,
            })
            .collect();
        let mut rows = vec![0; groups.len()];
        for (place, loaded) in ready.datasets.iter().enumerate() {
            let own = &mut rows[groups[place]];
            *own = loaded.rows.test.len().max(*own);
        }
        let mut places: Vec<(usize, usize, usize)> = Vec::new();
        let mut works: Vec<SampleWork<'_>> = Vec::new();
        for (number, model) in ready.models.iter().enumerate() {
            let begin: Vec<usize> = rows
                .iter()
                .enumerate()
                .map(|(group, rows)| {
                    let begin = works.len();
                    places.extend((0..*rows).map(|row| (number, group, row)));
                    works.resize_with(begin + rows, || empty(number, model));
                    begin
                })
                .collect();
            let samples = model.units.iter().flat_map(|unit| &unit.samples);
            let sequences = samples.flat_map(Prepared::all_prompts).map(|prompt| &*prompt.ids);
            let steady = model.source.checkpoint().map_or_else(SteadyIds::default, |checkpoint| {
                SteadyIds::of(checkpoint.sight().ids(), sequences)
            });
            for (place, unit) in model.units.iter().enumerate() {
                for sample in &unit.samples {
                    add(&mut works[begin[groups[place]] + sample.sample], sample, &steady);
                }
            }
        }
        let mut by_group: Vec<Vec<Vec<usize>>> =
            vec![rows.iter().map(|rows| vec![0; *rows]).collect(); ready.models.len()];
        for ((model, group, row), share) in places.into_iter().zip(partition(&works, shard.count()))
        {
            by_group[model][group][row] = share;
        }
        let of_model =
            |own: Vec<Vec<usize>>| groups.iter().map(|group| own[*group].clone()).collect();
        Self { shard, shards: by_group.into_iter().map(of_model).collect() }
    }

    /// The shard, from 1, that asks about a row of a data set under a model.
    pub(in crate::run) fn number(&self, model: usize, dataset: usize, row: usize) -> usize {
        self.shards[model][dataset][row] + 1
    }

    /// Whether this shard asks it.
    pub(in crate::run) fn has(&self, model: usize, dataset: usize, row: usize) -> bool {
        self.number(model, dataset, row) == self.shard.number()
    }

    /// How many samples this shard asks, and of how many.
    pub(in crate::run) fn samples(&self) -> (usize, usize) {
        let all = self.shards.iter().flatten().flatten();
        let own = all.clone().filter(|share| **share + 1 == self.shard.number());
        (own.count(), all.count())
    }
}

fn empty<'a>(number: usize, model: &ReadyModel<'_>) -> SampleWork<'a> {
    // In millions: what a token costs grows with the weights that it is multiplied with.
    let parameters = model.source.checkpoint().map_or(0, Checkpoint::parameters);
    let token_cost = (parameters as u64).div_ceil(1_000_000).max(1);
    SampleWork { model: number, token_cost, ..SampleWork::default() }
}

fn add<'a>(work: &mut SampleWork<'a>, sample: &'a Prepared, steady: &SteadyIds) {
    for prompt in sample.all_prompts() {
        work.prompts.push((prompt.max_new_tokens > 0, steady.ids(&prompt.ids)));
        work.new_tokens += prompt.max_new_tokens;
    }
}
