//! Completions beside what the engine says itself.

use std::thread;

use candle_core::{DType, Device};
use serde_json::{Value as Json, json};
use surprisal::{
    engine::{Engine, EngineOptions, GenerateRequest, Sampling, ScoreRequest},
    model::Checkpoint,
};

use super::server::{Server, model};

const POCKET: &str = "models/pocket";
const WITH_BOS: &str = "tests/fixtures/e2e_models/tiny-llama-bos";
const PROMPTS: [&str; 5] =
    ["20+22=?\n", "20+22=?\n42\n", "Question: 3+4=?\nAnswer:", "Né 根 😀 end", "a"];

fn engine(checkpoint: &str) -> Engine {
    let checkpoint = Checkpoint::open_folder(&model(checkpoint)).unwrap();
    Engine::new(checkpoint.load(&Device::Cpu, DType::F32).unwrap(), EngineOptions::default())
}

fn ids(engine: &Engine, text: &str) -> Vec<u32> {
    engine.tokenizer().encode(text, true).unwrap()
}

fn generation(engine: &Engine, ids: &[u32], most: usize, sampling: Option<Sampling>) -> String {
    let request = GenerateRequest {
        ids: ids.into(),
        max_new_tokens: most,
        min_new_tokens: 0,
        stop: Vec::new(),
        shown: Vec::new(),
        sampling,
    };
    engine.generate(&[request], &mut |_| ()).remove(0).unwrap().text
}

#[test]
fn echoed_prompts_have_the_engines_own_log_likelihoods() {
    for checkpoint in [POCKET, WITH_BOS] {
        let (server, engine) = (Server::start(checkpoint, &[]), engine(checkpoint));
        for _ in 0..2 {
            // The second time from what was kept of the first.
            for text in PROMPTS {
                for max_tokens in [0, 1, 3] {
                    compare(&server, &engine, text, max_tokens);
                }
            }
        }
        assert!(server.metric("surprisal_reused_tokens_total") > 0);
    }
}

/// The fields of an echoed prompt.
fn compare(server: &Server, engine: &Engine, text: &str, max_tokens: usize) {
    let ids = ids(engine, text);
    let request = ScoreRequest { ids: ids.as_slice().into(), first_target: 0 };
    let score = engine.score(&[request], &mut |_| ()).remove(0).unwrap();
    let written = generation(engine, &ids, max_tokens, None);
    for prompt in [json!(text), json!(ids)] {
        let answer = server.complete(&json!({
            "model": "tiny", "prompt": prompt, "max_tokens": max_tokens, "echo": true, "logprobs": 2,
            "temperature": 0, "seed": 1234,
        }));
        let choice = &answer["choices"][0];
        let echoed = match prompt {
            Json::String(text) => text,
            _ => engine.tokenizer().decode(&ids, false).unwrap(),
        };
        assert_eq!(choice["text"], format!("{echoed}{written}"));
        let logprobs = &choice["logprobs"];
        let list = |name: &str| logprobs[name].as_array().unwrap().clone();
        let (tokens, nats, likeliest, offsets) =
            (list("tokens"), list("token_logprobs"), list("top_logprobs"), list("text_offset"));
        let total = answer["usage"]["total_tokens"].as_u64().unwrap() as usize;
        for list in [&tokens, &nats, &likeliest, &offsets] {
            assert_eq!(list.len(), total);
        }
        assert!(total <= ids.len() + max_tokens);
        assert_eq!((&nats[0], &likeliest[0]), (&Json::Null, &Json::Null));
        for (place, (nats, own)) in nats[1..ids.len()].iter().zip(&score.nlls).enumerate() {
            assert!((nats.as_f64().unwrap() + f64::from(*own)).abs() < 1e-6, "{text}: {choice}");
            let likeliest = likeliest[place + 1].as_object().unwrap();
            assert!((2..=3).contains(&likeliest.len()), "{likeliest:?}");
            let best =
                likeliest.values().map(|nats| nats.as_f64().unwrap()).fold(f64::MIN, f64::max);
            let is_best = nats.as_f64().unwrap() >= best;
            assert_eq!(is_best, score.likeliest[place], "{choice}");
            assert_eq!(likeliest[tokens[place + 1].as_str().unwrap()], *nats);
        }
        let offsets: Vec<u64> = offsets.iter().map(|offset| offset.as_u64().unwrap()).collect();
        assert!(offsets.is_sorted() && offsets[0] == 0);
    }
}

#[test]
fn continuations_are_the_engines_own() {
    let (server, engine) = (Server::start(POCKET, &[]), engine(POCKET));
    for text in PROMPTS {
        let ids = ids(&engine, text);
        let greedy = json!({"prompt": text, "max_tokens": 12, "temperature": 0});
        assert_eq!(
            server.complete(&greedy)["choices"][0]["text"],
            generation(&engine, &ids, 12, None)
        );
        let drawn = json!({"prompt": ids, "max_tokens": 12, "temperature": 0.8, "top_p": 0.9, "seed": 7, "n": 3});
        let answer = server.complete(&drawn);
        for (index, choice) in answer["choices"].as_array().unwrap().iter().enumerate() {
            let sampling = Sampling {
                temperature: 0.8,
                top_k: None,
                top_p: Some(0.9),
                min_p: None,
                seed: 7 + index as u64,
            };
            assert_eq!(choice["index"], index);
            assert_eq!(choice["text"], generation(&engine, &ids, 12, Some(sampling)));
        }
    }
}

#[test]
fn a_stream_says_what_the_whole_says() {
    let server = Server::start(POCKET, &[]);
    let bodies = [
        json!({"prompt": PROMPTS, "max_tokens": 20, "temperature": 0}),
        json!({"prompt": PROMPTS, "max_tokens": 20, "seed": 3, "n": 2, "temperature": 1.5}),
        json!({"prompt": PROMPTS, "max_tokens": 9, "seed": 5, "n": 2, "echo": true, "logprobs": 1, "stop": ["4", "ab"]}),
        json!({"prompt": "1+1=?\n", "max_tokens": 9, "seed": 5, "echo": true, "stop": "\n"}),
        json!({"prompt": "1+1=?\n", "max_tokens": 0, "echo": true, "logprobs": 0}),
    ];
    for mut body in bodies {
        let whole = server.complete(&body);
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
        let mut events = server.post("/v1/completions", &body).events();
        assert_eq!(events.pop().unwrap()["usage"], whole["usage"], "{body}");
        for (index, choice) in whole["choices"].as_array().unwrap().iter().enumerate() {
            let mut joined =
                json!({"index": index, "text": "", "logprobs": null, "finish_reason": null});
            for event in &events {
                let piece = &event["choices"][0];
                if piece["index"] == index {
                    join(&mut joined, piece);
                }
            }
            assert_eq!(&joined, choice, "{body}");
        }
    }
}

/// Adds a piece of a stream to those before it.
fn join(joined: &mut Json, piece: &Json) {
    joined["text"] =
        format!("{}{}", joined["text"].as_str().unwrap(), piece["text"].as_str().unwrap()).into();
    if !piece["finish_reason"].is_null() {
        joined["finish_reason"] = piece["finish_reason"].clone();
    }
    let Some(logprobs) = piece["logprobs"].as_object() else { return };
    for (name, list) in logprobs {
        let all = &mut joined["logprobs"][name];
        if all.is_null() {
            *all = json!([]);
        }
        all.as_array_mut().unwrap().extend(list.as_array().unwrap().iter().cloned());
    }
}

#[test]
fn many_at_once_get_what_each_gets_alone() {
    // Room for few keys and values, so that what is kept has to go again and again.
    let server = Server::start(POCKET, &["--kv-bytes", "2000000", "--batch-tokens", "64"]);
    let body = |thread: usize, turn: usize| {
        let examples: Vec<String> =
            (0..thread % 3).map(|number| format!("{number}+1=?\n{}\n", number + 1)).collect();
        let examples = examples.concat();
        let prompt = format!("{examples}{thread}+{turn}=?\n");
        match turn % 3 {
            0 => json!({"prompt": prompt, "max_tokens": 0, "echo": true, "logprobs": turn % 2 + 1}),
            1 => {
                json!({"prompt": [prompt, "x"], "max_tokens": 15, "temperature": 0, "logprobs": 3})
            }
            _ => {
                json!({"prompt": prompt, "max_tokens": 15, "seed": turn, "n": 2, "temperature": 1})
            }
        }
    };
    let choices = |thread, turn| server.complete(&body(thread, turn))["choices"].clone();
    let (threads, turns) = (12, 9);
    let alone: Vec<Vec<Json>> =
        (0..threads).map(|thread| (0..turns).map(|turn| choices(thread, turn)).collect()).collect();
    let together: Vec<Vec<Json>> = thread::scope(|scope| {
        let ask =
            |thread| scope.spawn(move || (0..turns).map(|turn| choices(thread, turn)).collect());
        let asked: Vec<_> = (0..threads).map(ask).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}

#[test]
fn what_prompts_share_is_computed_once() {
    let server = Server::start(POCKET, &[]);
    let shots: Vec<String> =
        (0..12).map(|number| format!("{number}+2=?\n{}\n", number + 2)).collect();
    let shots = shots.concat();
    let mut asked = 0;
    for number in 0..20 {
        let body = json!({"prompt": format!("{shots}{number}+3=?\n"), "max_tokens": 0, "echo": true, "logprobs": 1});
        asked += server.complete(&body)["usage"]["prompt_tokens"].as_u64().unwrap();
    }
    let computed = server.metric("surprisal_computed_tokens_total");
    assert!(computed * 4 < asked, "{computed} of {asked}");
}
