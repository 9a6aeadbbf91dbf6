//! An answer never depends on what else was asked, nor on any budget: to the bit, with images, for every way a family lays them out.

use candle_core::{DType, Device};
use serde_json::Value;
use surprisal::engine::{
    Engine, EngineOptions, GenerateRequest, Generation, RequestError, ScoreRequest,
};
use surprisal::model::vision::{ImageRows, VisionModel};
use surprisal::model::{Checkpoint, Model};

use super::processing::named_images;
use super::{folder, json, seen_image};

/// Cases of the files that are asked, those of them that are no longer than [`MOST_TOKENS`].
const CASES: [&str; 4] = ["text", "image", "two_images", "wide"];
const MOST_TOKENS: usize = 400;

/// What four candidates go on with.
const CANDIDATES: [&[u32]; 4] = [&[11], &[12], &[12, 13, 11], &[14, 11]];

macro_rules! invariant {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            let name = stringify!($name);
            if !folder().join("models").join(name).join("model.safetensors").exists() {
                println!("models/{name}: no weights are in the folder; skipped");
                return;
            }
            let subject = Subject::open(name);
            subject.check_scores();
            subject.check_generations();
        }
    )* };
}

// One way; places of three parts; rows added behind layers; both ways with windows; a whole prompt both ways; interrupted rows.
invariant! { llava qwen2_vl qwen3_vl gemma3 paligemma idefics3 }

/// A prompt with the numbers of its images where their rows stand.
struct Prompt {
    ids: Vec<Part>,
    /// How much of it is seen both ways, where all of a prompt is.
    both_ways: usize,
}

#[derive(Clone, Copy)]
enum Part {
    Token(u32),
    Row { image: usize, row: usize },
}

struct Subject {
    name: &'static str,
    model: Model,
    sees_both_ways: bool,
    images: Vec<ImageRows>,
    prompts: Vec<Prompt>,
}

impl Subject {
    fn open(name: &'static str) -> Self {
        let folder = folder().join("models").join(name);
        let checkpoint = Checkpoint::open_folder(&folder).unwrap();
        let sees_prompt = checkpoint.spec().sees_prompt_both_ways;
        let model = checkpoint.load(&Device::Cpu, DType::F32).unwrap();
        let vision = VisionModel::load(&folder, &Device::Cpu, DType::F32).unwrap();
        let image_id = vision.image_id(&model.tokenizer).unwrap();
        let mut subject = Self {
            name,
            model,
            sees_both_ways: vision.sees_both_ways(),
            images: Vec::new(),
            prompts: Vec::new(),
        };
        for case in json(&folder.join("expected.json"))["cases"].as_array().unwrap() {
            let length = case["ids"].as_array().unwrap().len();
            let is_chosen = CASES.iter().any(|name| case["name"] == **name);
            let has_no_image = named_images(case).is_empty();
            if is_chosen && length <= MOST_TOKENS && !(sees_prompt && has_no_image) {
                subject.add(case, &vision, image_id);
            }
        }
        assert!(subject.prompts.len() > 1, "{name}: nothing is asked");
        subject
    }

    fn add(&mut self, case: &Value, vision: &VisionModel, image_id: u32) {
        let names = named_images(case);
        let mut rows = Vec::new();
        for name in &names {
            let image = vision.processed(&seen_image(name), names.len()).unwrap();
            let image = vision.rows(&image).unwrap();
            let number = self.images.len();
            let count = image.rows.dim(0).unwrap();
            rows.extend((0..count).map(|row| Part::Row { image: number, row }));
            self.images.push(image);
        }
        let prompt = case.get("prefix_ids").unwrap_or(&case["ids"]);
        let ids: Vec<u32> = serde_json::from_value(prompt.clone()).unwrap();
        let mut rows = rows.into_iter();
        let part = |id| if id == image_id { rows.next().unwrap() } else { Part::Token(id) };
        let ids: Vec<Part> = ids.into_iter().map(part).collect();
        let both_ways = if case.get("prefix_ids").is_some() { ids.len() } else { 0 };
        self.prompts.push(Prompt { ids, both_ways });
    }

    /// An engine that has heard of the images in this order.
    fn engine(&self, options: EngineOptions, is_reversed: bool) -> Engine {
        let engine = Engine::new(self.model.clone(), options);
        let mut numbers: Vec<usize> = (0..self.images.len()).collect();
        if is_reversed {
            numbers.reverse();
        }
        for number in numbers {
            self.image_ids(&engine, number);
        }
        engine
    }

    fn image_ids(&self, engine: &Engine, number: usize) -> Vec<u32> {
        let rows = || Ok::<_, candle_core::Error>(self.images[number].clone());
        engine.image_ids(&number.to_string(), self.sees_both_ways, rows).unwrap()
    }

    fn ids(&self, engine: &Engine, prompt: &Prompt) -> Vec<u32> {
        let id = |part: &Part| match *part {
            Part::Token(id) => id,
            Part::Row { image, row } => self.image_ids(engine, image)[row],
        };
        let mut ids: Vec<u32> = prompt.ids.iter().map(id).collect();
        if prompt.both_ways > 0 {
            let seen = engine.two_way_prompt(&ids[..prompt.both_ways]).unwrap();
            ids.splice(..prompt.both_ways, seen);
        }
        ids
    }

    /// Every prompt with every candidate, with all its tokens scored or with those of the candidate alone.
    fn requests(&self, engine: &Engine) -> Vec<ScoreRequest> {
        let mut requests = Vec::new();
        for prompt in &self.prompts {
            let ids = self.ids(engine, prompt);
            for (place, candidate) in CANDIDATES.iter().enumerate() {
                let first_target = if place % 2 == 0 { 1 } else { ids.len() };
                let ids = [&*ids, candidate].concat().into();
                requests.push(ScoreRequest { ids, first_target });
            }
        }
        requests
    }

    fn scores(&self, engine: &Engine, requests: &[ScoreRequest]) -> Vec<Vec<u32>> {
        let scores = engine.score(requests, &mut |_| ());
        let bits = |score: Result<surprisal::engine::Score, RequestError>| {
            let score = score.unwrap_or_else(|error| panic!("{}: {error}", self.name));
            score.nlls.iter().map(|nll| nll.to_bits()).collect()
        };
        scores.into_iter().map(bits).collect()
    }

    /// Bytes of keys and values that the longest request needs alone.
    fn least_bytes(&self) -> usize {
        let options = EngineOptions { kv_bytes: Some(1), ..EngineOptions::default() };
        let engine = self.engine(options, false);
        let needed = |score| match score {
            Err(RequestError::TooLarge { needed_bytes, .. }) => needed_bytes,
            _ => 0,
        };
        let scores = engine.score(&self.requests(&engine), &mut |_| ());
        scores.into_iter().map(needed).max().unwrap()
    }

    fn check_scores(&self) {
        let engine = self.engine(EngineOptions::default(), false);
        let requests = self.requests(&engine);
        let alone: Vec<Vec<u32>> = requests
            .iter()
            .map(|request| self.scores(&engine, std::slice::from_ref(request)).remove(0))
            .collect();
        let least_bytes = self.least_bytes();
        for batch_tokens in [1, 7, 64, 512] {
            for kv_bytes in [None, Some(least_bytes)] {
                let options = EngineOptions { batch_tokens, kv_bytes, ..EngineOptions::default() };
                let engine = self.engine(options, batch_tokens == 7);
                let together = self.scores(&engine, &self.requests(&engine));
                assert!(
                    together == alone,
                    "{}: other bits together, with {batch_tokens} rows and {kv_bytes:?} bytes",
                    self.name
                );
                let statistics = engine.statistics();
                assert!(statistics.computed_tokens < statistics.nominal_tokens, "nothing shared");
                assert_eq!(statistics.forgotten_blocks, 0);
            }
        }
    }

    fn generations(&self, options: EngineOptions, is_together: bool) -> Vec<Generation> {
        let engine = self.engine(options, false);
        let request = |prompt| GenerateRequest {
            ids: self.ids(&engine, prompt).into(),
            max_new_tokens: 6,
            min_new_tokens: 0,
            stop: Vec::new(),
            shown: Vec::new(),
            sampling: None,
        };
        let requests: Vec<GenerateRequest> = self.prompts.iter().map(request).collect();
        let lists = requests.chunks(if is_together { requests.len() } else { 1 });
        lists.flat_map(|list| engine.generate(list, &mut |_| ())).map(Result::unwrap).collect()
    }

    fn check_generations(&self) {
        let options = EngineOptions { ignore_eos: true, ..EngineOptions::default() };
        let alone = self.generations(options, false);
        for (batch_tokens, live_sequences) in [(1, 2), (7, 1), (64, 64), (512, 3)] {
            let options = EngineOptions { batch_tokens, live_sequences, ..options };
            let together = self.generations(options, true);
            assert_eq!(together, alone, "{}: {options:?}", self.name);
        }
    }
}
