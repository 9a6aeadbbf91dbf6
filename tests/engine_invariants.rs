//! What must hold whatever is asked: an answer never depends on what else is computed beside it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use surprisal::engine::{
    Engine, EngineOptions, FinishReason, Fleet, GenerateRequest, RequestError, Sampling,
    ScoreRequest,
};
use surprisal::model::{Checkpoint, Model, ModelError};

/// Checkpoints whose layers are computed differently.
const FAMILIES: [&str; 5] = ["llama", "qwen2_moe", "deepseek_v2", "deepseek_v3", "gpt_oss"];

fn engine(options: EngineOptions) -> Engine {
    engine_of(FAMILIES[0], options)
}

fn engine_of(family: &str, options: EngineOptions) -> Engine {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models").join(family);
    let checkpoint = Checkpoint::open_folder(&folder).expect("the fixture is whole");
    let model = checkpoint.load(&Device::Cpu, DType::F32).expect("the fixture is whole");
    Engine::new(model, options)
}

/// Sequences that share much of their beginnings: a few stems, cut somewhere and gone on from.
fn sequences(most: usize, count: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let stems = prop::collection::vec(prop::collection::vec(0u32..320, 1..most), 1..4);
    let branch = (0usize..4, 1..most, prop::collection::vec(0u32..320, 0..8));
    (stems, prop::collection::vec(branch, 1..count)).prop_map(|(stems, branches)| {
        let grown = branches.into_iter().map(|(stem, cut, more)| {
            let mut ids = stems[stem % stems.len()].clone();
            ids.truncate(cut);
            ids.extend(more);
            ids
        });
        grown.collect()
    })
}

fn score_requests() -> impl Strategy<Value = Vec<ScoreRequest>> {
    (sequences(70, 14), prop::collection::vec(0usize..80, 14)).prop_map(|(sequences, firsts)| {
        let requests = sequences.into_iter().zip(firsts);
        requests.map(|(ids, first_target)| ScoreRequest { ids: ids.into(), first_target }).collect()
    })
}

fn sampling() -> impl Strategy<Value = Sampling> {
    (0u8..12, prop::option::of(1usize..50), prop::option::of(1u8..10), 0u64..4).prop_map(
        |(temperature, top_k, top_p, seed)| Sampling {
            temperature: f64::from(temperature) / 8.0,
            top_k,
            top_p: top_p.map(|top_p| f64::from(top_p) / 10.0),
            min_p: None,
            seed,
        },
    )
}

fn generate_requests() -> impl Strategy<Value = Vec<GenerateRequest>> {
    let stop = prop::sample::select(vec!["a", "e", " ", "\n", "th", "\u{fffd}"]);
    let manner =
        (0usize..12, 0usize..4, prop::collection::vec(stop, 0..2), prop::option::of(sampling()));
    (sequences(50, 8), prop::collection::vec(manner, 8)).prop_map(|(sequences, manners)| {
        let requests = sequences.into_iter().zip(manners);
        requests
            .map(|(ids, (max_new_tokens, min_new_tokens, stop, sampling))| GenerateRequest {
                ids: ids.into(),
                max_new_tokens,
                min_new_tokens,
                stop: stop.into_iter().map(str::to_owned).collect(),
                shown: Vec::new(),
                sampling,
            })
            .collect()
    })
}

/// How many distinct prefixes something that is needed follows.
fn distinct_rows(requests: &[ScoreRequest]) -> usize {
    let mut prefixes = BTreeSet::new();
    for ScoreRequest { ids, first_target } in requests {
        if (*first_target).max(1) < ids.len() {
            prefixes.extend((1..ids.len()).map(|end| &ids[..end]));
        }
    }
    prefixes.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Packed = alone, shared = recomputed, bit for bit, under any budget, in blocks of any size and
    /// in any order.
    #[test]
    fn engine_scores_do_not_depend_on_packing(
        family in prop::sample::select(&FAMILIES[..]),
        mut requests in score_requests(),
        batch_tokens in prop_oneof![1usize..400, 64usize..8192],
        block_sixteens in 1usize..5,
    ) {
        let alone = engine_of(family, EngineOptions::default());
        let packed = engine_of(family, EngineOptions {
            batch_tokens,
            block_tokens: 16 * block_sixteens,
            ..EngineOptions::default()
        });
        let expected: Vec<_> =
            requests.iter().flat_map(|request| {
                alone.score(std::slice::from_ref(request), &mut |_| ())
            }).collect();
        let mut tokens = 0;
        prop_assert_eq!(&packed.score(&requests, &mut |done| tokens += done), &expected);
        prop_assert_eq!(tokens, distinct_rows(&requests));
        prop_assert_eq!(packed.statistics().computed_tokens, tokens);

        requests.reverse();
        let mut reversed = packed.score(&requests, &mut |_| ());
        reversed.reverse();
        prop_assert_eq!(reversed, expected);
    }

    /// Nor on how many threads compute.
    #[test]
    fn engine_scores_do_not_depend_on_threads(
        requests in score_requests(),
    ) {
        let engine = engine(EngineOptions::default());
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| engine.score(&requests, &mut |_| ()))
        };
        let one = with(1);
        prop_assert_eq!(with(2), one.clone());
        prop_assert_eq!(with(3), one);
    }

    /// A continuation does not depend on its company.
    #[test]
    fn engine_generations_do_not_depend_on_packing(
        requests in generate_requests(),
        batch_tokens in 1usize..200,
        live_sequences in 1usize..5,
        block_sixteens in 1usize..5,
    ) {
        let alone = engine(EngineOptions::default());
        let packed = engine(EngineOptions {
            batch_tokens,
            live_sequences,
            block_tokens: 16 * block_sixteens,
            ..EngineOptions::default()
        });
        let expected: Vec<_> = requests.iter().flat_map(|request| {
            alone.generate(std::slice::from_ref(request), &mut |_| ())
        }).collect();
        prop_assert_eq!(packed.generate(&requests, &mut |_| ()), expected);
    }

    /// Scoring only the end of a sequence gives the same numbers as scoring all of it.
    #[test]
    fn engine_spans_are_parts_of_the_whole(
        ids in prop::collection::vec(0u32..320, 1..70),
        first_target in 0usize..80,
    ) {
        let request = ScoreRequest { ids: ids.into(), first_target };
        let engine = engine(EngineOptions::default());
        let whole = ScoreRequest { first_target: 0, ..request.clone() };
        let answers = engine.score(&[whole, request.clone()], &mut |_| ());
        let (whole, part) = (answers[0].clone().unwrap(), answers[1].clone().unwrap());
        let before = whole.nlls.len() - part.nlls.len();
        prop_assert_eq!(&whole.nlls[before..], part.nlls.as_slice());
        prop_assert_eq!(&whole.likeliest[before..], part.likeliest.as_slice());
        prop_assert_eq!(
            part.nlls.len(),
            request.ids.len().saturating_sub(request.first_target.max(1))
        );
    }

    /// What is generated without a draw is what is called the likeliest when it is scored, and nothing else is.
    #[test]
    fn engine_continues_with_the_likeliest(
        family in prop::sample::select(&FAMILIES[..]),
        ids in prop::collection::vec(0u32..320, 1..40),
        other in 0u32..320,
    ) {
        let engine = engine_of(family, EngineOptions { ignore_eos: true, ..EngineOptions::default() });
        let request = GenerateRequest { max_new_tokens: 3, ..generate(ids.clone()) };
        let generation = engine.generate(&[request], &mut |_| ()).remove(0).unwrap();
        let Some(&first) = generation.ids.first() else { return Ok(()) };
        let scored = |more: &[u32]| {
            let whole = [ids.as_slice(), more].concat().into();
            let request = ScoreRequest { ids: whole, first_target: ids.len() };
            engine.score(&[request], &mut |_| ()).remove(0).unwrap().likeliest
        };
        prop_assert_eq!(scored(&generation.ids), vec![true; generation.ids.len()]);
        prop_assert_eq!(scored(&[other]), [other == first]);
    }
}

/// Every checkpoint of the folders of fixtures that can be read.
fn families() -> Vec<(String, Model)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
    let more = std::env::var_os("SURPRISAL_MODEL_FIXTURES").map(PathBuf::from);
    let mut folders: Vec<PathBuf> = [Some(own), more]
        .into_iter()
        .flatten()
        .flat_map(|folder| {
            std::fs::read_dir(folder).expect("the folder of model fixtures is there")
        })
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.join("config.json").is_file())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .filter_map(|folder| match Checkpoint::open_folder(&folder) {
            Err(ModelError::Unsupported { .. }) => None,
            checkpoint => {
                let model = checkpoint.and_then(|open| open.load(&Device::Cpu, DType::F32));
                Some((folder.display().to_string(), model.expect("the fixture is whole")))
            }
        })
        .collect()
}

/// What engines that share the work answer, by request.
fn together<T>(
    count: usize,
    ask: impl FnOnce(&mut dyn FnMut(usize, Result<T, RequestError>)),
) -> Vec<Result<T, RequestError>> {
    let mut answers: Vec<_> = (0..count).map(|_| None).collect();
    ask(&mut |index, answer| assert!(answers[index].replace(answer).is_none(), "answered twice"));
    answers.into_iter().map(|answer| answer.expect("every request is answered")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn engine_answers_do_not_depend_on_how_many_share_the_work(
        scores in score_requests(),
        generations in generate_requests(),
        engines in 1usize..5,
    ) {
        let alone = engine(EngineOptions::default());
        let fleet = Fleet::new(vec![alone.clone(); engines]);
        let found = together(scores.len(), |answer| {
            fleet.score_each(&scores, &mut |_| (), answer);
        });
        prop_assert_eq!(found, alone.score(&scores, &mut |_| ()));
        let found = together(generations.len(), |answer| {
            fleet.generate_each(&generations, &mut |_| (), answer);
        });
        prop_assert_eq!(found, alone.generate(&generations, &mut |_| ()));
    }
}

/// As [`engine_scores_do_not_depend_on_packing`] and its like, for every family.
#[test]
fn engine_answers_of_every_family_do_not_depend_on_their_company() {
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    for (name, model) in families() {
        let alone = Engine::new(model.clone(), EngineOptions::default());
        let options = EngineOptions {
            batch_tokens: 61,
            live_sequences: 3,
            block_tokens: 16,
            ..EngineOptions::default()
        };
        let packed = Engine::new(model, options);
        for _ in 0..2 {
            let requests = score_requests().new_tree(&mut runner).expect("a list").current();
            let expected: Vec<_> = requests
                .iter()
                .flat_map(|request| alone.score(std::slice::from_ref(request), &mut |_| ()))
                .collect();
            assert_eq!(packed.score(&requests, &mut |_| ()), expected, "{name}");
            let requests = generate_requests().new_tree(&mut runner).expect("a list").current();
            let expected: Vec<_> = requests
                .iter()
                .flat_map(|request| alone.generate(std::slice::from_ref(request), &mut |_| ()))
                .collect();
            assert_eq!(packed.generate(&requests, &mut |_| ()), expected, "{name}");
        }
    }
}

fn generate(ids: Vec<u32>) -> GenerateRequest {
    GenerateRequest {
        ids: ids.into(),
        max_new_tokens: 8,
        min_new_tokens: 0,
        stop: Vec::new(),
        shown: Vec::new(),
        sampling: None,
    }
}

#[test]
fn engine_computes_nothing_once_it_is_stopped() {
    let engine = engine(EngineOptions::default());
    let request = ScoreRequest { ids: vec![1, 2, 3].into(), first_target: 0 };
    assert!(engine.score(std::slice::from_ref(&request), &mut |_| ())[0].is_ok());
    let before = engine.statistics().computed_tokens;
    engine.stop();
    assert!(engine.score(&[request], &mut |_| ())[0].is_err());
    assert!(engine.generate(&[generate(vec![1, 2])], &mut |_| ())[0].is_err());
    assert_eq!(engine.statistics().computed_tokens, before);
}

#[test]
fn engine_refuses_bad_requests_one_by_one() {
    let engine = engine(EngineOptions::default());
    // A last token is scored and never read, so one more than the context has an answer.
    let texts = [vec![], vec![1; 258], vec![1, 320], vec![1, 2], vec![1; 257], vec![1; 256]];
    let requests: Vec<ScoreRequest> =
        texts.into_iter().map(|ids| ScoreRequest { ids: ids.into(), first_target: 0 }).collect();
    let answers = engine.score(&requests, &mut |_| ());
    assert_eq!(answers[0], Err(RequestError::Empty));
    assert_eq!(answers[1], Err(RequestError::TooLong { tokens: 258, context_tokens: 256 }));
    assert_eq!(answers[2], Err(RequestError::UnknownToken { id: 320, vocabulary_size: 320 }));
    assert_eq!(answers[3].as_ref().unwrap().nlls.len(), 1);
    let (longest, shorter) = (answers[4].as_ref().unwrap(), answers[5].as_ref().unwrap());
    assert_eq!((longest.nlls.len(), &longest.nlls[..255]), (256, &*shorter.nlls));

    let requests: Vec<GenerateRequest> =
        requests.into_iter().map(|request| generate(request.ids.to_vec())).collect();
    let answers = engine.generate(&requests, &mut |_| ());
    assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 4);
    assert!(answers[3].is_ok());
}

#[test]
fn engine_refuses_what_does_not_fit_its_memory() {
    let blocks = |kv_bytes| EngineOptions { kv_bytes: Some(kv_bytes), ..EngineOptions::default() };
    let free = engine(EngineOptions::default());
    let requests: Vec<ScoreRequest> = [vec![7; 33], vec![7; 34], vec![7, 8]]
        .into_iter()
        .map(|ids| ScoreRequest { ids: ids.into(), first_target: 0 })
        .collect();
    let expected = free.score(&requests, &mut |_| ());
    let two_blocks_bytes = free.statistics().peak_kv_bytes;
    // One block: 33 tokens need 32 rows, 34 need one more.
    let answers = engine(blocks(two_blocks_bytes / 2)).score(&requests, &mut |_| ());
    assert_eq!(
        answers[1],
        Err(RequestError::TooLarge {
            tokens: 34,
            needed_bytes: two_blocks_bytes,
            budget_bytes: two_blocks_bytes / 2,
        })
    );
    assert_eq!((&answers[0], &answers[2]), (&expected[0], &expected[2]));
}

#[test]
fn engine_generation_ends_where_it_must() {
    let engine = engine(EngineOptions { ignore_eos: true, ..EngineOptions::default() });
    let whole = engine.generate(&[generate(vec![53, 81, 78])], &mut |_| ()).remove(0).unwrap();
    assert_eq!((whole.ids.len(), whole.finish), (8, FinishReason::Length));

    // Without room in the context, and without a budget, nothing is generated.
    let full = generate(vec![7; 256]);
    let none = GenerateRequest { max_new_tokens: 0, ..generate(vec![7]) };
    for answer in engine.generate(&[full, none], &mut |_| ()) {
        let answer = answer.unwrap();
        assert_eq!((answer.ids.len(), answer.text.as_str()), (0, ""));
    }
    let nearly = engine.generate(&[generate(vec![7; 253])], &mut |_| ()).remove(0).unwrap();
    assert_eq!((nearly.ids.len(), nearly.finish), (3, FinishReason::Length));

    // A stop string ends generation with the token that completes it, and the text before it.
    let stop: String = whole.text.chars().skip(2).take(2).collect();
    let cut = whole.text.find(&stop).unwrap();
    let request = GenerateRequest { stop: vec![stop], ..generate(vec![53, 81, 78]) };
    let stopped = engine.generate(&[request], &mut |_| ()).remove(0).unwrap();
    assert_eq!(stopped.finish, FinishReason::Stop);
    assert_eq!(stopped.text, whole.text[..cut]);
    assert!(whole.ids.starts_with(&stopped.ids) && stopped.ids.len() < whole.ids.len());
}

#[test]
fn engine_waits_for_the_fewest_tokens_before_an_end() {
    // In this checkpoint token 0 ends a sequence, and it wins somewhere after this prompt.
    let free = engine(EngineOptions { ignore_eos: true, ..EngineOptions::default() });
    let bound = engine(EngineOptions::default());
    let mut ended = 0;
    for first in 0..40 {
        let request = GenerateRequest { max_new_tokens: 24, ..generate(vec![53, first]) };
        let whole = free.generate(std::slice::from_ref(&request), &mut |_| ()).remove(0).unwrap();
        let Some(end) = whole.ids.iter().position(|&id| id == 0) else { continue };
        ended += 1;
        let short = bound.generate(std::slice::from_ref(&request), &mut |_| ()).remove(0).unwrap();
        assert_eq!((short.ids.as_slice(), short.finish), (&whole.ids[..end], FinishReason::Eos));
        let longer = GenerateRequest { min_new_tokens: end + 1, ..request };
        let longer = bound.generate(&[longer], &mut |_| ()).remove(0).unwrap();
        assert!(longer.ids.len() > end && longer.ids[end] != 0);
    }
    assert!(ended > 0, "no prompt of this test reaches an end-of-sequence token");
}
