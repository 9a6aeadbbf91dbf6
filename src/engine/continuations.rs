//! From prompts to chosen tokens.

use super::error::RequestError;
use super::executor::TokenRule;
use super::plan::{FittingTree, GenerationSchedule, PathEnd, SequenceLayout, TokenPath, fit};
use super::session::{Remedy, Session};
use crate::pass_trace::{PassPhase, PassSize, pass, phase};

/// One prompt that is to be continued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prompt<'a> {
    /// Its tokens.
    pub(super) ids: &'a [u32],
    /// What positions do not say of it, where it has images.
    pub(super) layout: Option<&'a SequenceLayout>,
    /// Most tokens that are chosen, at least one.
    pub(super) most_new_tokens: usize,
}

/// Who says how tokens are chosen, and when there are enough.
pub(super) trait TokenChooser {
    /// How the next token of a sequence is chosen.
    fn rule(&self, prompt: usize) -> TokenRule<'_>;

    /// Takes up what was chosen; whether the sequence goes on.
    fn take(&mut self, prompt: usize, token: Option<u32>) -> bool;

    /// A sequence ends because it could not be computed.
    fn fail(&mut self, prompt: usize, error: RequestError);
}

/// Continues all prompts side by side, at most `most_live` at a time, until `chooser`
/// ends each.
pub(super) fn continuations(
    session: &mut Session<'_>,
    prompts: &[Prompt<'_>],
    most_live: usize,
    chooser: &mut dyn TokenChooser,
) {
    let block_tokens = session.pool.block_tokens();
    // Nothing follows a last token, so it has no row.
    let own_blocks =
        |prompt: usize| (prompts[prompt].most_new_tokens.saturating_sub(1)).div_ceil(block_tokens);
    let paths: Vec<TokenPath<'_>> = prompts
        .iter()
        .map(|prompt| TokenPath {
            ids: prompt.ids,
            first_target: usize::MAX,
            layout: prompt.layout,
        })
        .collect();
    let fitted = || fit(&paths, PathEnd::Row, &session.pool, &own_blocks);
    let (trees, oversized) = phase(PassPhase::Plan, fitted);
    for sequence in oversized {
        let Prompt { ids, most_new_tokens, .. } = prompts[sequence.member];
        let tokens = ids.len() + most_new_tokens;
        chooser.fail(sequence.member, session.refusal(sequence, tokens));
    }
    for FittingTree { tree, members } in trees {
        session.statistics.nominal_tokens += tree.nominal_tokens();
        let own_blocks = members.iter().map(|&member| own_blocks(member)).collect();
        let mut schedule = GenerationSchedule::new(&tree, own_blocks, &session.pool, most_live);
        while let Some(batch) = phase(PassPhase::Plan, || schedule.next_batch(session.batch_tokens))
        {
            let rows = batch.rows.len();
            let size = PassSize { rows, tokens: batch.choices.len() };
            let rules: Vec<(usize, TokenRule<'_>)> = batch
                .choices
                .iter()
                .map(|&(row, path)| (row, chooser.rule(members[path])))
                .collect();
            match pass(size, || session.next_tokens(&batch.rows, &rules)) {
                Ok(tokens) => {
                    let paths: Vec<usize> = batch.choices.iter().map(|(_, path)| *path).collect();
                    drop(batch);
                    session.computed(rows);
                    session.statistics.generated_tokens += tokens.len();
                    phase(PassPhase::Write, || {
                        for (path, token) in paths.into_iter().zip(tokens) {
                            match (chooser.take(members[path], token), token) {
                                (true, Some(token)) => schedule.push(path, token),
                                _ => schedule.finish(path),
                            }
                        }
                    });
                }
                Err(error) => match session.failed(rows, error) {
                    Remedy::Retry => schedule.put_back(batch),
                    Remedy::GiveUp(error) => {
                        for path in schedule.give_up(batch) {
                            chooser.fail(members[path], error.clone());
                        }
                    }
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::plan::BlockPool;
    use crate::engine::plan::toy::{Toy, UNCOMPUTABLE, next_logits};
    use crate::engine::statistics::EngineStatistics;
    use crate::ops::head::greedy;

    /// Chooses the likeliest token and ends at token 0 or when there are enough.
    struct Likeliest {
        most: Vec<usize>,
        texts: Vec<Vec<u32>>,
        errors: Vec<Option<RequestError>>,
        ended: Vec<usize>,
    }

    impl TokenChooser for Likeliest {
        fn rule(&self, _: usize) -> TokenRule<'_> {
            TokenRule::default()
        }

        fn take(&mut self, prompt: usize, token: Option<u32>) -> bool {
            let text = &mut self.texts[prompt];
            text.extend(token);
            let goes_on = token != Some(0) && text.len() < self.most[prompt];
            self.ended[prompt] += usize::from(!goes_on);
            goes_on
        }

        fn fail(&mut self, prompt: usize, error: RequestError) {
            self.ended[prompt] += 1;
            self.errors[prompt] = Some(error);
        }
    }

    fn alone(prompt: &Prompt<'_>) -> Vec<u32> {
        let mut ids = prompt.ids.to_vec();
        while ids.len() < prompt.ids.len() + prompt.most_new_tokens {
            ids.extend(greedy(&next_logits(&ids), &[]));
            if ids.last() == Some(&0) {
                break;
            }
        }
        ids.split_off(prompt.ids.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Whatever the budgets, every sequence gets the tokens it gets alone, and the pool is empty
        /// at the end.
        #[test]
        fn a_continuation_never_depends_on_its_company(
            requests in prop::collection::vec(
                (prop::collection::vec(0u32..3, 1..12), 1usize..12), 0..20),
            uncomputable in prop::option::weighted(0.2, 0usize..20),
            batch_tokens in 1usize..40,
            block_tokens in 1usize..6,
            blocks in 1usize..40,
            most_live in 1usize..9,
            device_rows in 1usize..60,
        ) {
            let mut requests = requests;
            if let Some((ids, _)) = uncomputable.and_then(|index| requests.get_mut(index)) {
                ids.push(UNCOMPUTABLE);
            }
            let prompts: Vec<Prompt<'_>> = requests
                .iter()
                .map(|(ids, most)| Prompt { ids, layout: None, most_new_tokens: *most })
                .collect();
            let pool = BlockPool::new(blocks, block_tokens);
            let mut toy = Toy::new(&pool, device_rows);
            let mut chooser = Likeliest {
                most: requests.iter().map(|(_, most)| *most).collect(),
                texts: vec![Vec::new(); requests.len()],
                errors: vec![None; requests.len()],
                ended: vec![0; requests.len()],
            };
            let mut statistics = EngineStatistics::default();
            let mut session = Session {
                executor: &mut toy,
                pool: pool.clone(),
                bytes_per_block: 1,
                batch_tokens,
                statistics: &mut statistics,
                lost: None,
                progress: &mut |_| (),
            };
            continuations(&mut session, &prompts, most_live, &mut chooser);
            for (index, prompt) in prompts.iter().enumerate() {
                let own_rows = prompt.most_new_tokens - 1;
                let needed =
                    prompt.ids.len().div_ceil(block_tokens) + own_rows.div_ceil(block_tokens);
                let refused = matches!(
                    chooser.errors[index],
                    Some(RequestError::TooLarge { needed_bytes, .. }) if needed_bytes == needed
                );
                prop_assert_eq!(refused, needed > blocks);
                prop_assert_eq!(chooser.ended[index], 1);
                if prompt.ids.contains(&UNCOMPUTABLE) {
                    prop_assert!(chooser.errors[index].is_some());
                } else if chooser.errors[index].is_none() {
                    prop_assert_eq!(&chooser.texts[index], &alone(prompt));
                } else {
                    prop_assert!(refused || uncomputable.is_some());
                }
            }
            prop_assert_eq!(pool.free_blocks(), blocks);
            prop_assert!(toy.most_rows <= batch_tokens);
        }
    }
}
