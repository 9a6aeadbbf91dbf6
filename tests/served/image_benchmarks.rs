//! Ready benchmarks with images under a model behind a server that replies by a script: what it is sent, and the figures of its replies.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value as Json, json};

use super::server::{FakeServer, Fault, Plan, VLLM};
use crate::{
    cli::scratch::{Scratch, stderr, stdout},
    ready_benchmarks::images::{Shown, all, config},
};

/// The text and the addresses of images of what was asked.
fn asked(body: &Json) -> (String, Vec<String>) {
    let parts = body["messages"][0]["content"].as_array().cloned().unwrap_or_default();
    let of = |name: &str, place: &str| {
        let own = parts.iter().filter(|part| part["type"] == name);
        own.map(|part| part.pointer(place).unwrap().as_str().unwrap().to_owned()).collect()
    };
    let texts: Vec<String> = of("text", "/text");
    (texts.concat(), of("image_url", "/image_url/url"))
}

/// A server that replies to a row's text as the row says.
fn scripted(shown: &Shown) -> FakeServer {
    let wanted = shown.wanted();
    let replies: HashMap<String, &'static str> =
        shown.rows.iter().map(|row| (format!("{}{wanted}", row.text), row.reply)).collect();
    let plan: Plan = Arc::new(move |body: &Json, _| {
        let reply = *replies.get(&asked(body).0)?;
        let message = json!({"role": "assistant", "content": reply});
        Some(Fault::Answer(json!({
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 3},
        })))
    });
    FakeServer::with_faults(VLLM, plan)
}

/// A folder with the rows of a benchmark, and a config of a model behind a server.
fn scratch(shown: &Shown, class: &str, server: &FakeServer) -> Scratch {
    let scratch = Scratch::new();
    shown.lay_out(&scratch);
    let address = &server.address;
    let roles = match class {
        "served_text" => {
            ", meta_template=dict(round=[dict(role='HUMAN', begin='U:'), dict(role='BOT', begin='A:', generate=True)])"
        }
        // The server reads no file of this machine.
        _ => ", send_files=True",
    };
    let model = format!(
        "models = [dict(type='{class}', abbr='served', path='m', openai_api_base='{address}', temperature=0{roles})]"
    );
    scratch.write("model.py", &model);
    scratch
}

#[test]
fn replies_have_the_figures_that_are_published_for_them() {
    for shown in all() {
        let server = scripted(&shown);
        let scratch = scratch(&shown, "OpenAI", &server);
        let ready = config(&shown.written());
        let arguments =
            ["run", &ready, "model.py", "-w", "out", "--dataset", shown.dataset, "--json"];
        let output = scratch.run(&arguments);
        let name = shown.written();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));

        let bodies: Vec<_> = server.bodies().iter().map(asked).collect();
        // What is found out about a server is asked as text alone.
        let bodies: Vec<_> = bodies.into_iter().filter(|(text, _)| !text.is_empty()).collect();
        assert_eq!(bodies.len(), shown.rows.len(), "{name}");
        for row in &shown.rows {
            let text = format!("{}{}", row.text, shown.wanted());
            let (_, images) = bodies
                .iter()
                .find(|(own, _)| *own == text)
                .unwrap_or_else(|| panic!("{name}: {text:?} is not among {bodies:?}"));
            assert_eq!(images.len(), row.images, "{name}: {text}");
            assert!(images.iter().all(|image| image.starts_with("data:image/")), "{images:?}");
        }

        let results: Json = serde_json::from_str(&stdout(&output)).unwrap();
        let figures: HashMap<String, f64> = figures(&results).collect();
        for (metric, expected) in &shown.figures {
            let found =
                figures.get(*metric).unwrap_or_else(|| panic!("{name}: {metric}, {results}"));
            assert!((found - expected).abs() < 1e-9, "{name}: {metric} is {found}, not {expected}");
        }
        let samples = scratch.export("out", "samples");
        let golds = samples.iter().map(|sample| sample["compared_gold"].as_str().unwrap());
        let wanted = shown.rows.iter().map(|row| row.gold);
        assert_eq!(golds.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{name}");
    }
}

/// All figures of results, by the names of their metrics.
fn figures(results: &Json) -> impl Iterator<Item = (String, f64)> {
    let rows = results["results"].as_array().cloned().unwrap_or_default();
    rows.into_iter()
        .filter_map(|row| Some((row["metric"].as_str()?.to_owned(), row["value"].as_f64()?)))
}

#[test]
fn a_model_that_is_sent_text_is_told_to_see_nothing() {
    let shown = all().remove(4);
    assert_eq!(shown.config, "pope");
    let server = FakeServer::start(VLLM);
    let scratch = scratch(&shown, "served_text", &server);
    let ready = config("pope");
    for verb in [&["check"][..], &["run", "-w", "out"][..]] {
        let output = scratch.run(&[verb, &[ready.as_str(), "model.py"][..]].concat());
        let told = stderr(&output) + &stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{told}");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("warning: unsent_media: 6 of 6 samples"), "{told}");
    }
    let output = scratch.run(&["check", &ready, "model.py", "--strict"]);
    assert_eq!(output.status.code(), Some(2));
    // A model that is sent messages is sent the images, and nothing is told.
    let scratch = self::scratch(&shown, "OpenAI", &server);
    let output = scratch.run(&["check", &ready, "model.py", "--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output) + &stdout(&output));
}
