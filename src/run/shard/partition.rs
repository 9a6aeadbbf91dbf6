//! Which shard asks about which sample: a pure function of token ids.
//!
//! Prompts are sorted, so that what begins alike stands together, and each counts as the tokens that the one before it does
//! not share: their sum is what one machine would compute. Samples are taken in the order of their first prompts and cut into
//! as many stretches of equal cost, which share what their prompts begin with. A share depends on nothing of a machine, and a
//! process that knows all prompts knows all shares.

use std::borrow::Cow;

use rayon::prelude::*;

/// What a sample costs, as far as that is known before it is asked.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleWork<'a> {
    /// The model that is asked. Samples of one stand together, so that few shards load more than one.
    pub(super) model: usize,
    /// The token ids of its prompts, each with whether it is continued: scores and continuations share nothing.
    pub(super) prompts: Vec<Asked<'a>>,
    /// Most tokens that continue them.
    pub(super) new_tokens: usize,
    /// What a token costs, in an amount that all models have in common.
    pub(super) token_cost: u64,
}

/// Token ids of a prompt, those of images steady, and whether it is continued.
type Asked<'a> = (bool, Cow<'a, [u32]>);

/// The shard of each sample, from 0, of `count` shards. Samples that cost nothing, and equal ones, go in the order in which
/// they are given.
pub(super) fn partition(samples: &[SampleWork<'_>], count: usize) -> Vec<usize> {
    let costs = costs(samples);
    let total: u128 = costs.iter().sum();
    let mut order: Vec<(usize, Option<&Asked<'_>>, usize)> = samples
        .iter()
        .enumerate()
        .map(|(place, sample)| (sample.model, sample.prompts.iter().min(), place))
        .collect();
    order.par_sort_unstable();
    let mut shares = vec![0; samples.len()];
    let mut before = 0;
    for (at, (_, _, place)) in order.into_iter().enumerate() {
        // The middle of a sample says where it belongs.
        let (middle, whole) = match total {
            0 => (2 * at as u128 + 1, 2 * samples.len() as u128),
            _ => (2 * before + costs[place], 2 * total),
        };
        let share = middle * count as u128 / whole;
        shares[place] = usize::try_from(share).unwrap_or(usize::MAX).min(count - 1);
        before += costs[place];
    }
    shares
}

/// What each sample costs beyond what stands before it in order.
fn costs(samples: &[SampleWork<'_>]) -> Vec<u128> {
    let mut prompts: Vec<(usize, bool, &[u32], usize)> = Vec::new();
    for (place, sample) in samples.iter().enumerate() {
        let own = sample.prompts.iter();
        prompts.extend(own.map(|(is_continued, ids)| (sample.model, *is_continued, &**ids, place)));
    }
    prompts.par_sort_unstable();
    let mut costs: Vec<u128> = samples
        .iter()
        .map(|sample| u128::from(sample.token_cost) * sample.new_tokens as u128)
        .collect();
    let mut last: Option<(usize, bool, &[u32])> = None;
    for (model, is_continued, ids, place) in prompts {
        let shared = match last {
            Some((other, kind, before)) if (other, kind) == (model, is_continued) => {
                ids.iter().zip(before).take_while(|(one, other)| one == other).count()
            }
            _ => 0,
        };
        costs[place] += u128::from(samples[place].token_cost) * (ids.len() - shared) as u128;
        last = Some((model, is_continued, ids));
    }
    costs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A sample's model, its prompts, and the tokens that continue them.
    type Drawn = (usize, Vec<(bool, Vec<u32>)>, usize);

    /// Prompts of few ids, so that many begin alike.
    fn some_samples() -> impl Strategy<Value = Vec<Drawn>> {
        let prompt = (any::<bool>(), prop::collection::vec(0_u32..3, 0..12));
        let sample = (0_usize..2, prop::collection::vec(prompt, 0..4), 0_usize..20);
        prop::collection::vec(sample, 0..60)
    }

    fn works(samples: &[Drawn]) -> Vec<SampleWork<'_>> {
        samples
            .iter()
            .map(|(model, prompts, new_tokens)| SampleWork {
                model: *model,
                prompts: prompts.iter().map(|(kind, ids)| (*kind, ids.as_slice().into())).collect(),
                new_tokens: *new_tokens,
                token_cost: 1 + *model as u64,
            })
            .collect()
    }

    proptest! {
        #[test]
        fn every_sample_has_one_share_and_no_share_is_far_from_the_mean(samples in some_samples(), count in 1_usize..20) {
            let works = works(&samples);
            let shares = partition(&works, count);
            prop_assert_eq!(shares.len(), works.len());
            prop_assert!(shares.iter().all(|share| *share < count));
            let costs = costs(&works);
            let total: u128 = costs.iter().sum();
            let most = costs.iter().max().copied().unwrap_or(0);
            for share in 0..count {
                let own: u128 = shares.iter().zip(&costs).filter(|(own, _)| **own == share).map(|(_, cost)| cost).sum();
                prop_assert!(own * count as u128 <= total + 2 * most * count as u128, "{own} of {total} with at most {most}");
            }
        }

        #[test]
        fn costs_are_the_distinct_tokens(samples in some_samples()) {
            let works = works(&samples);
            let mut distinct = std::collections::HashSet::new();
            let mut expected: u128 = 0;
            for work in &works {
                expected += u128::from(work.token_cost) * work.new_tokens as u128;
                for (kind, ids) in &work.prompts {
                    for end in 1..=ids.len() {
                        if distinct.insert((work.model, *kind, &ids[..end])) {
                            expected += u128::from(work.token_cost);
                        }
                    }
                }
            }
            prop_assert_eq!(costs(&works).iter().sum::<u128>(), expected);
        }

        #[test]
        fn shares_are_stretches_of_what_is_sorted(samples in some_samples(), count in 1_usize..20) {
            let works = works(&samples);
            let shares = partition(&works, count);
            let mut order: Vec<usize> = (0..works.len()).collect();
            order.sort_by_key(|place| (works[*place].model, works[*place].prompts.iter().min(), *place));
            prop_assert!(order.is_sorted_by_key(|place| shares[*place]));
            // One shard asks everything, and the same samples are cut in the same way whenever they are.
            prop_assert!(partition(&works, 1).iter().all(|share| *share == 0));
            prop_assert_eq!(&shares, &partition(&works, count));
        }

        #[test]
        fn the_order_of_samples_that_differ_changes_nothing(mut samples in some_samples(), count in 1_usize..20) {
            let mut seen = std::collections::HashSet::new();
            samples.retain(|(model, prompts, _)| seen.insert((*model, prompts.iter().min().cloned())));
            let forth = partition(&works(&samples), count);
            samples.reverse();
            let mut back = partition(&works(&samples), count);
            back.reverse();
            // Of equal prompts of different samples the first one costs, so only samples without such are held to it.
            let all: Vec<_> = samples.iter().flat_map(|(model, prompts, _)| prompts.iter().map(move |own| (*model, own))).collect();
            let different: std::collections::HashSet<_> = all.iter().collect();
            prop_assume!(different.len() == all.len());
            prop_assert_eq!(forth, back);
        }
    }
}
