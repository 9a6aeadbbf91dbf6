//! The page of a run.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value as Json, json};

use super::{
    read_page::ReadPage,
    scratch::{CHOICES, Scratch, fixtures, stderr, stdout},
};

const SAMPLES: usize = 12;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CHOICES);
    let row = |index| {
        format!(
            "{{\"text\": \"né 根 😀 </script> {index}\", \"answer\": \"{}\"}}\n",
            ["a", "b"][index % 2]
        )
    };
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());
    scratch
}

fn run(scratch: &Scratch, config: &str, more: &[&str]) -> Json {
    let output = scratch.run(&[&["run", config, "-w", "out", "--json"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn the_page_holds_every_token_of_a_run_with_its_surprisal() {
    let scratch = scratch();
    let outcome = run(&scratch, "config.py", &[]);
    let page = Path::new(outcome["page"].as_str().unwrap());
    assert_eq!(page, Path::new(outcome["folder"].as_str().unwrap()).join("report.html"));
    let page = ReadPage::of(&scratch.path().join(page));
    let group = &page.summary["groups"][0];
    assert_eq!(group["key"], "choices");
    assert_eq!(group["rule"], "oc_ppl");
    assert_eq!(group["samples"], SAMPLES);
    let figure = &page.summary["figures"][0];
    assert_eq!(figure["value"], outcome["results"][0]["value"]);
    assert_eq!(figure["low"], outcome["results"][0]["interval_low"]);

    let tokens = scratch.export("out", "tokens");
    let candidates = scratch.export("out", "candidates");
    let (texts, bodies) = (page.texts(), page.bodies());
    assert_eq!(bodies.len(), SAMPLES);
    let mut shared = BTreeSet::new();
    for (row, body) in bodies.iter().enumerate() {
        for place in 0..2 {
            let last = body["segments_from"].as_u64().unwrap()
                + body["texts"]["segment"][place].as_u64().unwrap();
            let text = &texts[last as usize];
            let about = &candidates[2 * row + place];
            assert_eq!(text.bytes, about["prompt"].as_str().unwrap().as_bytes());
            let field = |name: &str| &body["texts"][name][place];
            assert_eq!(field("label"), &about["label"]);
            let close = |name: &str, other: &str| {
                let (own, wanted) = (field(name).as_f64().unwrap(), about[other].as_f64().unwrap());
                assert!((own - wanted).abs() < 6e-5, "{name}: {own} {wanted}");
            };
            close("score", "score");
            close("sum", "sum_nll_nats");
            assert_eq!(field("chosen") == true, about["is_chosen"] == true);
            assert_eq!(field("gold") == true, about["is_gold"] == true);
            let wanted: Vec<(u64, u64)> = tokens
                .iter()
                .filter(|own| own["row"] == row && own["candidate"] == place)
                .map(|own| {
                    let rounded = |nats: f64| (nats * 1000.0 + 0.5) as u64;
                    (own["id"].as_u64().unwrap(), own["nll_nats"].as_f64().map_or(65535, rounded))
                })
                .collect();
            assert!(wanted.len() > 5);
            assert_eq!(text.tokens, wanted, "row {row}, candidate {place}");
            shared.insert(last);
        }
    }
    // What candidates share is there once.
    let distinct: usize = page.texts().len();
    assert!(distinct > shared.len(), "{distinct} segments, {} texts", shared.len());
}

#[test]
fn the_page_tells_where_each_stretch_of_a_prompt_comes_from_as_view_does() {
    let scratch = scratch();
    let variants = "variants={'shots': {'retriever': dict(type='FixKRetriever', fix_id_list=[0, 3]), \
                    'ice_template': dict(type='PromptTemplate', template={'a': '{text} the cat', 'b': '{text} there was'}), \
                    'prompt_template': dict(type='PromptTemplate', ice_token='</E>', \
                    template={'a': '</E>{text} the cat', 'b': '</E>{text} there was'})}},\n    eval_cfg=";
    scratch.write("config.py", &CHOICES.replace("eval_cfg=", variants));
    run(&scratch, "config.py", &[]);
    let page = ReadPage::of(&scratch.only_run("out").join("report.html"));
    let output = scratch.run(&["view", "config.py", "--all", "--json"]);
    let views: Vec<Json> = serde_json::from_str(&stdout(&output)).unwrap();
    let (texts, bodies) = (page.texts(), page.bodies());
    assert_eq!(views.len(), bodies.len());
    for (view, body) in views.iter().zip(&bodies) {
        for (place, prompt) in view["prompts"].as_array().unwrap().iter().enumerate() {
            let text = &texts[ReadPage::last_segment(body, place)];
            assert_eq!(text.spread(&page.summary["styles"]), spread(&prompt["pieces"]), "{prompt}");
        }
    }
    assert!(views.iter().any(|view| view["examples"] == 2));
}

/// Where each byte of a viewed prompt comes from.
fn spread(pieces: &Json) -> Vec<Json> {
    let of_piece = |piece: &Json| {
        let mut own = piece.as_object().unwrap().clone();
        let text = own.remove("text").unwrap();
        own.retain(|_, value| !value.is_null());
        vec![Json::Object(own); text.as_str().unwrap().len()]
    };
    pieces.as_array().unwrap().iter().flat_map(of_piece).collect()
}

#[test]
fn the_index_says_what_the_samples_are() {
    let scratch = scratch();
    run(&scratch, "config.py", &[]);
    let page = ReadPage::of(&scratch.only_run("out").join("report.html"));
    let samples = scratch.export("out", "samples");
    let names: Vec<&str> = page.summary["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["row", "flags", "gold", "prediction", "text", "margin", "gold_nll"]);
    let text = |column: usize| std::str::from_utf8(&page.columns[column]).unwrap().to_owned();
    for (row, sample) in samples.iter().enumerate() {
        let line = |column: usize| text(column).split('\n').nth(row).unwrap().to_owned();
        assert_eq!(
            [line(2), line(3)],
            [&sample["gold"], &sample["prediction"]].map(|own| own.as_str().unwrap().to_owned())
        );
        assert_eq!(line(4), format!("né 根 😀 </script> {row}"));
        let is_right = page.columns[1][row] & 1 == 1;
        assert_eq!(is_right, sample["score_accuracy"] == 1.0, "{sample}");
        assert_eq!(page.columns[1][row] & 3, if is_right { 1 } else { 2 });
    }
    // Columns that a prompt shows are not there twice.
    assert_eq!(page.bodies()[2]["columns"], json!({"subdivision": "choices", "idx": 2}));
}

#[test]
fn variants_are_compared_on_the_page_as_on_the_terminal() {
    let scratch = scratch();
    let variants = "variants={'there': {'prompt_template.template': {'a': '{text} a cat', 'b': '{text} there was'}}},\n    eval_cfg=";
    scratch.write("config.py", &CHOICES.replace("eval_cfg=", variants));
    run(&scratch, "config.py", &[]);
    let page = ReadPage::of(&scratch.only_run("out").join("report.html"));
    let output = scratch.run(&["compare", "latest", "-w", "out", "--flips", "--json"]);
    let found: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let (own, other) = (&page.summary["comparisons"][0], &found["comparisons"][0]);
    assert_eq!(own["by"], "variant");
    assert_eq!(own["verdict"], other["verdict"]);
    for (place, member) in other["members"].as_array().unwrap().iter().enumerate() {
        let shown = &own["members"][place];
        let group = &page.summary["groups"][shown["group"].as_u64().unwrap() as usize];
        assert_eq!((&shown["name"], &shown["value"]), (&member["name"], &member["value"]));
        assert_eq!(
            group["variant"].as_str().unwrap_or("base"),
            member["variant"].as_str().unwrap()
        );
    }
    let pair = &other["pairs"][0];
    for name in ["left", "right", "value", "p", "gained", "lost", "is_real", "verdict"] {
        assert_eq!(own["pairs"][0][name], pair[name], "{name}");
    }
    let rows = |flips: &Json| -> BTreeSet<u64> {
        flips.as_array().into_iter().flatten().map(|flip| flip["row"].as_u64().unwrap()).collect()
    };
    let flipped = rows(&pair["flips"]);
    assert!(!flipped.is_empty(), "{pair}");
    // In the index rows come first and flags second, byte by byte.
    for (place, flags) in page.columns[1][..2 * SAMPLES].iter().enumerate() {
        let is_flipped = flags & 64 != 0;
        assert_eq!(is_flipped, flipped.contains(&((place % SAMPLES) as u64)), "sample {place}");
    }
}

#[test]
fn a_page_is_the_same_whenever_it_is_written() {
    let scratch = scratch();
    run(&scratch, "config.py", &[]);
    let own = scratch.only_run("out").join("report.html");
    let first = fs::read(&own).unwrap();
    let report = |more: &[&str]| {
        let output = scratch.run(&[&["report", "latest", "-w", "out"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).is_empty());
        stderr(&output)
    };
    let said = report(&["-o", "other.html"]);
    assert!(said.contains("12 samples in other.html, "), "{said}");
    assert!(fs::read(scratch.path().join("other.html")).unwrap() == first);
    fs::write(&own, "something else").unwrap();
    report(&[]);
    assert!(fs::read(&own).unwrap() == first);
    // Nothing of this machine and of now is in it, and no data became markup.
    let html = String::from_utf8(first).unwrap();
    assert!(!html.contains(&scratch.path().display().to_string()));
    assert_eq!(html.matches("</script>").count(), html.matches("<script").count());
}

#[test]
fn several_runs_and_evaluations_are_a_page_in_the_working_folder() {
    let scratch = scratch();
    let first = run(&scratch, "config.py", &[]);
    scratch.write("other.py", &CHOICES.replace("the cat", "a cat"));
    let second = run(&scratch, "other.py", &[]);
    let [one, two] = [&first, &second].map(|own| own["name"].as_str().unwrap());
    let output = scratch.run(&["evaluate", one, "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = scratch.run(&["report", one, two, one, "evaluation-3", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = ReadPage::of(&scratch.path().join("out/report.html"));
    let list = |name: &str| page.summary[name].as_array().unwrap().len();
    assert_eq!([list("runs"), list("models"), list("groups"), list("figures")], [3, 1, 3, 3]);
    let groups = page.summary["groups"].as_array().unwrap();
    let keys: BTreeSet<&str> = groups.iter().map(|own| own["key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert!(groups.iter().all(|own| own["rows_of"] == "choices"), "{groups:?}");
}

#[test]
fn a_finished_run_that_is_repeated_writes_nothing_but_a_page_that_is_missing() {
    let scratch = scratch();
    run(&scratch, "config.py", &[]);
    let own = scratch.only_run("out").join("report.html");
    let before = own.metadata().unwrap().modified().unwrap();
    let again = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(own.metadata().unwrap().modified().unwrap(), before);
    let said = stderr(&again);
    assert!(said.contains("page: out/") && said.contains("/report.html"), "{said}");
    // As if it had been killed between its last figure and its page.
    let page = fs::read(&own).unwrap();
    fs::remove_file(&own).unwrap();
    let again = scratch.run(&["run", "config.py", "-w", "out"]);
    assert!(stderr(&again).contains("page: out/"), "{}", stderr(&again));
    assert!(fs::read(&own).unwrap() == page);
}

#[test]
fn a_page_that_cannot_be_written_is_told_and_costs_nothing_else() {
    let scratch = scratch();
    let first = run(&scratch, "config.py", &[]);
    // A folder in the file's place.
    let page = scratch.only_run("out").join("report.html");
    fs::remove_file(&page).unwrap();
    fs::create_dir_all(page.join("full")).unwrap();
    fs::remove_file(scratch.only_run("out").join("summary/details.csv")).unwrap();
    let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("the page of the run was not written: "),
        "{}",
        stderr(&output)
    );
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["results"], first["results"]);
    assert_eq!(outcome["page"], Json::Null);
    assert!(!page.with_extension("html.partial").exists());
}

#[test]
fn replies_dialogues_and_warnings_are_on_the_page() {
    let scratch = Scratch::new();
    scratch.copy("e2e_run3");
    assert!(fixtures().join("e2e_run3").is_dir());
    let output = scratch.run(&["run", "eval_tiny3.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let page = ReadPage::of(&scratch.only_run("out").join("report.html"));
    let samples = scratch.export("out", "samples");
    let bodies = page.bodies();
    assert_eq!(bodies.len(), samples.len());
    let flags = &page.columns[1][..samples.len()];
    let warned: usize = flags.iter().filter(|own| **own & 32 != 0).count();
    let told = outcome["warnings"].as_array().unwrap();
    assert_eq!(warned > 0, !told.is_empty(), "{told:?}");
    for (sample, body) in samples.iter().zip(&bodies) {
        assert_eq!(body["gold"], sample["gold"]);
        if sample["mode"] == "gen" && sample["error"].is_null() {
            let replies = body["texts"]["reply"].as_array().unwrap();
            assert!(!replies.is_empty(), "{body}");
        }
    }
}
