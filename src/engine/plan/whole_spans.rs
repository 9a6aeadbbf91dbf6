//! Sequences with images under any budget: nothing is divided that is seen both ways, and nobody's answer depends on the others.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::toy::{Toy, UNCOMPUTABLE, next_logits, surprisal_after};
use super::toy_image::{layout, longest_span, sequences};
use super::{BlockPool, GenerationSchedule, PathEnd, PrefixTree, SequenceLayout, TokenPath};
use crate::engine::RequestError;
use crate::engine::continuations::{Prompt, TokenChooser, continuations};
use crate::engine::executor::TokenRule;
use crate::engine::session::Session;
use crate::engine::statistics::EngineStatistics;
use crate::engine::surprisals::surprisals;
use crate::ops::head::{Surprisal, greedy};

/// What a session may take.
#[derive(Clone, Debug)]
struct Budget {
    pool: BlockPool,
    batch_tokens: usize,
    most_live: usize,
}

impl Budget {
    fn session<R>(&self, toy: &mut Toy, work: impl FnOnce(&mut Session<'_>) -> R) -> R {
        let mut statistics = EngineStatistics::default();
        work(&mut Session {
            executor: toy,
            pool: self.pool.clone(),
            bytes_per_block: 1,
            batch_tokens: self.batch_tokens,
            statistics: &mut statistics,
            lost: None,
            progress: &mut |_| (),
        })
    }
}

type Answer<T> = Result<Vec<T>, RequestError>;

fn scored(
    requests: &[(Vec<u32>, usize)],
    toy: &mut Toy,
    budget: &Budget,
) -> Vec<Answer<Surprisal>> {
    let layouts: Vec<_> = requests.iter().map(|(ids, _)| layout(ids)).collect();
    let paths: Vec<TokenPath<'_>> = requests
        .iter()
        .zip(&layouts)
        .map(|((ids, first_target), layout)| TokenPath {
            ids,
            first_target: *first_target,
            layout: layout.as_ref(),
        })
        .collect();
    let mut answers = vec![None; requests.len()];
    budget.session(toy, |session| {
        surprisals(session, &paths, &mut |path, answer| {
            assert!(answers[path].replace(answer).is_none(), "answered twice");
        });
    });
    answers.into_iter().map(Option::unwrap).collect()
}

fn scored_alone((ids, first_target): &(Vec<u32>, usize)) -> Vec<Surprisal> {
    let targets = (*first_target).max(1)..ids.len();
    targets.map(|end| surprisal_after(&ids[..end], ids[end])).collect()
}

/// The rows that a request needs.
fn rows((ids, first_target): &(Vec<u32>, usize)) -> &[u32] {
    if (*first_target).max(1) < ids.len() { &ids[..ids.len() - 1] } else { &[] }
}

/// Ends a text at token 0 or when there are enough.
struct Likeliest {
    most: Vec<usize>,
    answers: Vec<Answer<u32>>,
    ended: Vec<usize>,
}

impl TokenChooser for Likeliest {
    fn rule(&self, _: usize) -> TokenRule<'_> {
        TokenRule::default()
    }

    fn take(&mut self, prompt: usize, token: Option<u32>) -> bool {
        let Ok(text) = &mut self.answers[prompt] else { return false };
        text.extend(token);
        let goes_on = token != Some(0) && text.len() < self.most[prompt];
        self.ended[prompt] += usize::from(!goes_on);
        goes_on
    }

    fn fail(&mut self, prompt: usize, error: RequestError) {
        self.ended[prompt] += 1;
        self.answers[prompt] = Err(error);
    }
}

fn continued(prompts: &[(Vec<u32>, usize)], toy: &mut Toy, budget: &Budget) -> Vec<Answer<u32>> {
    let layouts: Vec<_> = prompts.iter().map(|(ids, _)| layout(ids)).collect();
    let asked: Vec<Prompt<'_>> = prompts
        .iter()
        .zip(&layouts)
        .map(|((ids, most), layout)| Prompt {
            ids,
            layout: layout.as_ref(),
            most_new_tokens: *most,
        })
        .collect();
    let mut chooser = Likeliest {
        most: prompts.iter().map(|(_, most)| *most).collect(),
        answers: vec![Ok(Vec::new()); prompts.len()],
        ended: vec![0; prompts.len()],
    };
    budget.session(toy, |session| {
        continuations(session, &asked, budget.most_live, &mut chooser);
    });
    assert_eq!(chooser.ended, vec![1; prompts.len()]);
    chooser.answers
}

fn continued_alone((prompt, most): &(Vec<u32>, usize)) -> Vec<u32> {
    let mut ids = prompt.clone();
    while ids.len() < prompt.len() + most {
        ids.extend(greedy(&next_logits(&ids), &[]));
        if ids.last() == Some(&0) {
            break;
        }
    }
    ids.split_off(prompt.len())
}

/// Sequences, each with a number below `most`.
fn numbered(most: usize) -> impl Strategy<Value = Vec<(Vec<u32>, usize)>> {
    sequences().prop_flat_map(move |sequences| {
        let numbers = prop::collection::vec(1..most, sequences.len());
        (Just(sequences), numbers).prop_map(|(ids, numbers)| ids.into_iter().zip(numbers).collect())
    })
}

/// Where a span needs more than the device has, a pass of it alone was the last that was tried.
fn is_too_large<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Err(RequestError::Compute(message)) if message == "too many rows")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Every row is computed once, and every sequence is answered as if alone.
    #[test]
    fn sequences_with_images_are_scored_as_if_alone(
        requests in numbered(40),
        batch_tokens in 1usize..120,
        block_tokens in 1usize..9,
        spare_blocks in 0usize..12,
        device_rows in prop::option::of(1usize..40),
    ) {
        let paths = requests.iter().map(|(ids, first)| TokenPath::of_tokens(ids, *first));
        let tree = PrefixTree::new(paths.collect(), PathEnd::Target);
        let longest = tree.path_blocks(block_tokens).into_iter().max().unwrap_or(0);
        let pool = BlockPool::new(longest + spare_blocks, block_tokens);
        let free = pool.free_blocks();
        let device_rows = device_rows.unwrap_or(usize::MAX);
        let mut toy = Toy::new(&pool, device_rows);
        let budget = Budget { pool: pool.clone(), batch_tokens, most_live: 1 };
        let answers = scored(&requests, &mut toy, &budget);
        let mut distinct = BTreeSet::new();
        let mut is_whole = true;
        for (request, answer) in requests.iter().zip(answers) {
            if longest_span(rows(request)) > device_rows {
                is_whole = false;
                // What stands before the span has its answer, and another's share of it may have failed.
                prop_assert!(is_too_large(&answer) || answer == Ok(scored_alone(request)));
            } else {
                prop_assert_eq!(answer, Ok(scored_alone(request)));
            }
            distinct.extend((1..=rows(request).len()).map(|end| &request.0[..end]));
        }
        if is_whole {
            prop_assert_eq!(toy.rows, distinct.len());
        }
        let longest = requests.iter().map(|request| longest_span(rows(request))).max();
        prop_assert!(toy.most_rows <= batch_tokens.max(longest.unwrap_or(0)));
        prop_assert_eq!(pool.free_blocks(), free);
    }

    /// Exactly those that do not fit alone are refused.
    #[test]
    fn whoever_fits_alone_is_scored_with_images(
        requests in numbered(40),
        batch_tokens in 1usize..40,
        block_tokens in 1usize..9,
        blocks in 1usize..12,
        uncomputable in prop::option::weighted(0.3, (0usize..12, 0usize..40)),
    ) {
        let mut requests = requests;
        if let Some((index, _)) = uncomputable {
            let count = requests.len();
            requests[index % count].0.extend([UNCOMPUTABLE, 0]);
            requests[index % count].1 = 0;
        }
        let pool = BlockPool::new(blocks, block_tokens);
        let mut toy = Toy::new(&pool, usize::MAX);
        let budget = Budget { pool: pool.clone(), batch_tokens, most_live: 1 };
        let answers = scored(&requests, &mut toy, &budget);
        for (request, answer) in requests.iter().zip(answers) {
            let needed = rows(request).len().div_ceil(block_tokens);
            let refused = matches!(answer, Err(RequestError::TooLarge { .. }));
            prop_assert_eq!(refused, needed > blocks);
            if rows(request).contains(&UNCOMPUTABLE) {
                prop_assert!(answer.is_err());
            } else if !refused && uncomputable.is_none() {
                prop_assert_eq!(answer, Ok(scored_alone(request)));
            } else if let Ok(answer) = answer {
                prop_assert_eq!(answer, scored_alone(request));
            }
        }
        prop_assert_eq!(pool.free_blocks(), blocks);
    }

    /// The same of continuations, beside as many others as may live.
    #[test]
    fn prompts_with_images_are_continued_as_if_alone(
        prompts in numbered(12),
        ends_with_image in any::<bool>(),
        uncomputable in prop::option::weighted(0.2, 0usize..20),
        batch_tokens in 1usize..60,
        block_tokens in 1usize..6,
        blocks in 1usize..60,
        most_live in 1usize..9,
        device_rows in prop::option::of(1usize..40),
    ) {
        let mut prompts = prompts;
        for (ids, _) in &mut prompts {
            if ends_with_image && ids.len() > 1 {
                ids.pop();
            }
        }
        if let Some((ids, _)) = uncomputable.and_then(|index| prompts.get_mut(index)) {
            ids.push(UNCOMPUTABLE);
        }
        let device_rows = device_rows.unwrap_or(usize::MAX);
        let pool = BlockPool::new(blocks, block_tokens);
        let mut toy = Toy::new(&pool, device_rows);
        let budget = Budget { pool: pool.clone(), batch_tokens, most_live };
        let answers = continued(&prompts, &mut toy, &budget);
        for (prompt, answer) in prompts.iter().zip(answers) {
            let (ids, most) = prompt;
            let needed = ids.len().div_ceil(block_tokens) + (most - 1).div_ceil(block_tokens);
            let refused = matches!(answer, Err(RequestError::TooLarge { .. }));
            prop_assert_eq!(refused, needed > blocks);
            let fails = ids.contains(&UNCOMPUTABLE) || longest_span(ids) > device_rows;
            if fails {
                prop_assert!(answer.is_err());
            } else if !refused && uncomputable.is_none() {
                prop_assert_eq!(answer, Ok(continued_alone(prompt)));
            } else if let Ok(answer) = answer {
                prop_assert_eq!(answer, continued_alone(prompt));
            }
        }
        let longest = prompts.iter().map(|(ids, _)| longest_span(ids)).max();
        prop_assert!(toy.most_rows <= batch_tokens.max(longest.unwrap_or(0)));
        prop_assert_eq!(pool.free_blocks(), blocks);
    }
}

/// Prompts whose images have no room beside live sequences do not wait until those are gone.
#[test]
fn live_sequences_pause_for_a_span() {
    let layout =
        SequenceLayout { both_ways: std::iter::once(0..8).collect(), ..Default::default() };
    let prompts: Vec<Vec<u32>> =
        (0..4).map(|first| (first * 10..first * 10 + 9).collect()).collect();
    let path = |ids| TokenPath { ids, first_target: usize::MAX, layout: Some(&layout) };
    let tree = PrefixTree::new(prompts.iter().map(|ids| path(ids)).collect(), PathEnd::Row);
    let pool = BlockPool::new(100, 4);
    let mut schedule = GenerationSchedule::new(&tree, vec![3; 4], &pool, 4);
    let mut passes = Vec::new();
    let mut live = BTreeSet::new();
    while live.len() < 4 {
        let batch = schedule.next_batch(8).unwrap();
        passes.push(batch.rows.len());
        let paths: Vec<usize> = batch.choices.iter().map(|(_, path)| *path).collect();
        drop(batch);
        for path in paths {
            schedule.push(path, 1);
            live.insert(path);
        }
    }
    assert_eq!(passes, [8, 1, 8, 2, 8, 3, 8, 4]);
}
