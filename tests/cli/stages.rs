//! Data sets that ask more than once, each time with what was said before.

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, copy_folder, fixtures, stderr, stdout};

/// Two stages: a text goes on, and what was said is asked about.
const STAGED: &str = r"
from mmengine.config import read_base
datasets = [dict(
    abbr='talk', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    stages=[
        dict(name='said', reader_cfg=dict(output_column='gold'), when='more', otherwise='text',
             infer_cfg=dict(
                 prompt_template=dict(type='PromptTemplate', template='{text}'),
                 retriever=dict(type='ZeroRetriever'),
                 inferencer=dict(type='GenInferencer', max_out_len=3)),
             eval_cfg=dict(evaluator=dict(type='AccEvaluator'))),
        dict(name='judged',
             infer_cfg=dict(
                 prompt_template=dict(type='PromptTemplate', template={'a': '{said} the cat', 'b': '{said} a dog'}),
                 retriever=dict(type='ZeroRetriever'),
                 inferencer=dict(type='PPLInferencer')),
             eval_cfg=dict(evaluator=dict(type='AccEvaluator'))),
    ]VARIANTS)]
models = [dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const ROWS: [&str; 3] = [
    r#"{"text": "once upon", "more": "x", "gold": "once upon", "answer": "a"}"#,
    r#"{"text": "the end", "more": "", "gold": "the end", "answer": "b"}"#,
    r#"{"text": "a time", "more": "x", "gold": "a time", "answer": "a"}"#,
];

/// Three stages: a text goes on, passages are searched by it, and one of two words is chosen after them.
const SEARCHED: &str = r"
datasets = [dict(
    abbr='talk', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    stages=[
        dict(name='said', reader_cfg=dict(output_column='gold'), column='text'),
        dict(name='found', reader_cfg=dict(output_column='relevant'), corpus=CORPUS, query='{said}', top_k=2),
        dict(name='judged',
             infer_cfg=dict(
                 prompt_template=dict(type='PromptTemplate', template={'a': '{found} the cat', 'b': '{found} a dog'}),
                 retriever=dict(type='ZeroRetriever'),
                 inferencer=dict(type='PPLInferencer')),
             eval_cfg=dict(evaluator=dict(type='AccEvaluator'))),
    ]VARIANTS)]
models = [dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

/// What is searched.
const PASSAGES: [&str; 4] = [
    r#"{"id": "once", "title": "Once", "text": "there was a cat once. It sat upon a mat."}"#,
    r#"{"id": "end", "text": "at the end a dog came"}"#,
    r#"{"id": "time", "text": "a long time ago"}"#,
    r#"{"id": "none", "text": "something else"}"#,
];

fn searched_scratch() -> Scratch {
    let scratch = Scratch::new();
    let rows = [
        r#"{"text": "once upon", "gold": "once upon", "relevant": ["once"], "answer": "a"}"#,
        r#"{"text": "the end", "gold": "end dog", "relevant": ["end"], "answer": "b"}"#,
        r#"{"text": "mat", "gold": "time ago", "relevant": ["time"], "answer": "a"}"#,
        r#"{"text": "?", "gold": "?", "relevant": [], "answer": "b"}"#,
    ];
    scratch.write("data/rows.jsonl", &(rows.join("\n") + "\n"));
    scratch.write("data/passages.jsonl", &(PASSAGES.join("\n") + "\n"));
    scratch
}

fn searched(changes: &[(&str, &str)]) -> String {
    let config =
        changes.iter().fold(SEARCHED.to_owned(), |text, (from, to)| text.replace(from, to));
    config.replace("VARIANTS", "").replace("CORPUS", "'data/passages.jsonl'")
}

/// The value of a metric of a data set.
fn figure(outcome: &Json, dataset: &str, metric: &str) -> f64 {
    let rows = outcome["results"].as_array().unwrap();
    let is_meant = |row: &&Json| row["dataset"] == dataset && row["metric"] == metric;
    rows.iter().find(is_meant).unwrap_or_else(|| panic!("no {metric} of {dataset}"))["value"]
        .as_f64()
        .unwrap()
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("data/rows.jsonl", &(ROWS.join("\n") + "\n"));
    scratch
}

fn run(scratch: &Scratch, config: &str) -> Json {
    scratch.write("staged.py", config);
    let output = scratch.run(&["run", "staged.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

/// The data set of each result.
fn datasets(outcome: &Json) -> Vec<&str> {
    let results = outcome["results"].as_array().unwrap().iter();
    results.map(|row| row["dataset"].as_str().unwrap()).collect()
}

fn samples(scratch: &Scratch, dataset: &str) -> Vec<Json> {
    let samples = scratch.export("out", "samples");
    samples.into_iter().filter(|line| line["dataset"] == dataset).collect()
}

#[test]
fn a_stage_reads_what_the_one_before_it_said() {
    let scratch = scratch();
    let outcome = run(&scratch, &STAGED.replace("VARIANTS", ""));
    let names = datasets(&outcome);
    assert_eq!(names, ["talk.said", "talk.judged"]);
    let said = samples(&scratch, "talk.said");
    let judged = samples(&scratch, "talk.judged");
    for (said, judged) in said.iter().zip(&judged) {
        let prediction = said["prediction"].as_str().unwrap();
        let columns = judged["columns"].as_str().map(serde_json::from_str::<Json>);
        assert_eq!(columns.unwrap().unwrap()["said"], json!(prediction));
        assert_eq!(judged["prompt"], json!(format!("{prediction} the cat")));
    }
    // The second row is not asked about: its own text is the prediction, and right.
    assert_eq!(said[1]["prediction"], json!("the end"));
    assert_eq!(said[1]["prompt"], Json::Null);
    assert_ne!(said[0]["prediction"], json!("once upon"));
    // What was asked is asked once.
    let again = run(&scratch, &STAGED.replace("VARIANTS", ""));
    assert_eq!(again["work"]["computed_tokens"], 0);
}

#[test]
fn variants_change_stages_and_share_what_they_do_not_change() {
    let scratch = scratch();
    let plain = run(&scratch, &STAGED.replace("VARIANTS", ""));
    let variants = r", variants=dict(
        other=dict(judged={'infer_cfg.prompt_template.template.b': '{said} two dogs'}),
        direct=dict(said=None, judged={'infer_cfg.prompt_template.template': {'a': '{text} the cat', 'b': '{text} a dog'}}))";
    let outcome = run(&scratch, &STAGED.replace("VARIANTS", variants));
    let names = datasets(&outcome);
    let expected =
        ["talk.said", "talk.judged", "talk.said@other", "talk.judged@other", "talk.judged@direct"];
    assert_eq!(names, expected);
    // Three candidates of `other` are new, and four of `direct`: its middle row is what `said` keeps.
    let new = |outcome: &Json| {
        outcome["work"]["questions"].as_u64().unwrap()
            - outcome["work"]["reused_questions"].as_u64().unwrap()
    };
    assert_eq!((new(&plain), new(&outcome)), (8, 7));
    let compared = scratch.run(&["compare", "latest", "-w", "out", "--json"]);
    assert!(stdout(&compared).contains("talk.judged"), "{}", stderr(&compared));
}

#[test]
fn what_is_no_stage_is_an_error_with_its_place() {
    for (from, to, expected) in [
        ("name='judged'", "name='said'", "two stages are called \"said\""),
        ("name='judged'", "name='a b'", "a stage cannot be called \"a b\""),
        ("'{text}'", "'{judged}'", "stage said names {judged}, the column of a later stage"),
        ("'{text}'", "'{said}'", "stage said names its own column {said}"),
        (", otherwise='text'", "", "when and otherwise go together"),
        ("when='more'", "when='none'", "has no column \"none\", which the stage names"),
        ("VARIANTS", ", n=2", "a stage is asked once"),
        ("VARIANTS", ", infer_cfg=dict()", "move it into a stage of stages"),
        ("VARIANTS", ", variants=dict(v=dict(other=None))", "its stages are said, judged"),
        ("dict(name='said',", "dict(name='said', promt=1,", "unknown field"),
    ] {
        let scratch = scratch();
        scratch.write("staged.py", &STAGED.replace(from, to).replace("VARIANTS", ""));
        let output = scratch.run(&["run", "staged.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(stderr(&output).contains(expected), "{to}: {}", stderr(&output));
    }
}

#[test]
fn a_stage_searches_by_what_the_one_before_it_said() {
    let scratch = searched_scratch();
    let outcome = run(&scratch, &searched(&[]));
    // `mat` finds the passage with it and not the one about time; the last row is in no figure.
    assert!((figure(&outcome, "talk.found", "recall@2") - 200.0 / 3.0).abs() < 1e-9);
    let found = samples(&scratch, "talk.found");
    assert_eq!(found[0]["prediction"], json!("['once']"));
    assert_eq!(found[0]["prompt"], json!("once upon"));
    let judged = samples(&scratch, "talk.judged");
    let first = "[1] Once: there was a cat once. It sat upon a mat.";
    assert_eq!(judged[0]["prompt"], json!(format!("{first} the cat")));
    assert_eq!(judged[3]["prompt"], json!(" the cat"));
    let columns: Json = serde_json::from_str(judged[0]["columns"].as_str().unwrap()).unwrap();
    assert_eq!((&columns["found"], &columns["found_ids"]), (&json!(first), &json!(["once"])));
    let again = run(&scratch, &searched(&[]));
    assert_eq!(again["work"]["computed_tokens"], 0);
    // Another corpus is other work.
    scratch.write(
        "data/passages.jsonl",
        &(PASSAGES[..3].join("\n") + "\n").replace("a mat", "the mat"),
    );
    let changed = run(&scratch, &searched(&[]));
    assert_ne!(changed["work"]["computed_tokens"], 0);
}

#[test]
fn golds_stand_for_stages_and_every_lost_point_belongs_to_one() {
    let scratch = searched_scratch();
    let variants = ", variants=dict(gold=dict(said='gold')), attribution=True";
    let config = searched(&[("VARIANTS", variants)]);
    let outcome = run(&scratch, &config);
    let names = datasets(&outcome);
    // The chain with the gold of the first stage is the variant `gold`, and is not asked again.
    for name in ["talk.found@gold", "talk.judged@gold", "talk.judged@gold_found"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(
        !names.contains(&"talk.judged@gold_said") && !names.contains(&"talk.said@gold"),
        "{names:?}"
    );
    assert!((figure(&outcome, "talk.found@gold", "recall@2") - 100.0).abs() < 1e-9);
    let compared = scratch.run(&["compare", "latest", "-w", "out", "--json"]);
    assert_eq!(compared.status.code(), Some(0), "{}", stderr(&compared));
    let compared: Json = serde_json::from_str(&stdout(&compared)).unwrap();
    let lost = &compared["attributions"][0];
    assert_eq!((&lost["variant"], &lost["samples"]), (&json!("base"), &json!(4)));
    let parts = lost["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["said", "found", "judged", "unanswerable"]);
    let sum: f64 = parts.iter().map(|part| part["points"].as_f64().unwrap()).sum();
    assert!((sum - lost["gap_points"].as_f64().unwrap()).abs() < 1e-9, "{lost}");
    // The table of a run shows the same.
    let shown = scratch.run(&["run", "staged.py", "-w", "out"]);
    let shown = stdout(&shown);
    assert!(shown.contains("unanswerable") && shown.contains("talk.found: 2 variants"), "{shown}");
}

#[test]
fn a_corpus_of_a_variants_own_has_golds_of_its_own() {
    let scratch = searched_scratch();
    scratch.write("data/others.jsonl", &(PASSAGES.join("\n") + "\n").replace("a dog", "no dog"));
    let variants =
        ", variants=dict(other=dict(found=dict(corpus='data/others.jsonl'))), attribution=True";
    let outcome = run(&scratch, &searched(&[("VARIANTS", variants)]));
    let names = datasets(&outcome);
    for name in ["talk.judged@gold_found", "talk.judged@other+gold_found"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(outcome["attributions"].as_array().unwrap().len(), 2);
    let judged = samples(&scratch, "talk.judged@other+gold_found");
    assert!(judged[1]["prompt"].as_str().unwrap().contains("no dog"), "{}", judged[1]["prompt"]);
}

#[test]
fn what_would_count_without_a_word_is_told() {
    let scratch = searched_scratch();
    let config =
        searched(&[]).replace("datasets", "from mmengine.config import read_base\ndatasets");
    scratch.write("configs/staged.py", &config);
    scratch.write("configs/data/passages.jsonl", "{\"id\": \"once\", \"text\": \"another\"}\n");
    let output = scratch.run(&["run", "configs/staged.py", "-w", "out"]);
    let told = stderr(&output);
    assert!(told.contains("data/passages.jsonl is read in the current folder"), "{told}");
    assert_eq!(told.matches("by the config is another and is not read").count(), 1, "{told}");
    assert!(told.contains("data set talk.found: queries that found nothing: 1 of 4"), "{told}");
    let rows = [
        (r#""relevant": ["once", "once"], "gold": "x""#, "every passage once"),
        (r#""relevant": "once", "gold": null"#, "samples without an answer: 2"),
    ];
    for (cells, expected) in rows {
        scratch.write(
            "data/rows.jsonl",
            &format!("{{\"text\": \"mat\", {cells}, \"answer\": \"a\"}}\n"),
        );
        let variants = ", variants=dict(known=dict(said='gold'))";
        scratch.write("staged.py", &searched(&[("VARIANTS", variants)]));
        let output = scratch.run(&["run", "staged.py", "-w", "out"]);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let judged = samples(&scratch, "talk.judged@known");
    let error = judged[0]["error"].as_str().unwrap();
    assert!(error.contains("the cell of column gold is null"), "{error}");
}

#[test]
fn passages_may_be_parts_of_documents() {
    let scratch = searched_scratch();
    let cut = "dict(path='data/passages.jsonl', passage_words=7)";
    let outcome = run(&scratch, &searched(&[("CORPUS", cut)]));
    let found = samples(&scratch, "talk.found");
    assert_eq!(found[2]["prediction"], json!("['once#2']"));
    assert!((figure(&outcome, "talk.found", "recall@2") - 200.0 / 3.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_searched_is_an_error_and_nothing_is_asked() {
    for (from, to, expected) in [
        ("CORPUS", "'data/none.jsonl'", "data/none.jsonl"),
        ("CORPUS", "'data/empty.jsonl'", "the corpus is empty"),
        (
            "query='{said}'",
            "query='{sayd}'",
            "the query names {sayd}, and rows have no such column",
        ),
        ("query='{said}'", "query='{judged}'", "the column of a later stage"),
        ("query='{said}'", "query=' '", "the query is empty"),
        ("query='{said}'", "query='{said'", "the query has a { that no } closes"),
        ("query='{said}'", "query='the end'", "the query names no column"),
        ("query='{said}'", "query='{said }'", "the query names {said }"),
        ("top_k=2", "top_k=0", "top_k is 0"),
        (
            "top_k=2",
            "top_k=2, eval_cfg=dict(evaluator=dict(type='RetrievalEvaluator', k=3))",
            "the evaluator looks at 3 places, and the search finds top_k=2 passages",
        ),
        ("top_k=2", "by='dense'", "no encoder is named"),
        ("top_k=2", "encoder='x'", "have no part in a search by words"),
        (
            "top_k=2",
            "when='text', otherwise='gold'",
            "when and otherwise belong to stages that ask",
        ),
        (
            "output_column='relevant'",
            "output_column='text'",
            "the corpus has no passage `once upon`",
        ),
        ("column='text'", "column='none'", "has no column \"none\""),
        ("name='found'", "name='gold'", "rows have a column \"gold\""),
        (
            "column='text'",
            "column='text', corpus='data/passages.jsonl'",
            "it needs one of infer_cfg, corpus and column",
        ),
        ("VARIANTS", ", variants=dict(v=dict(judged='gold'))", "asks nothing in the end"),
        ("VARIANTS", ", variants=dict(v=dict(said='golden'))", "is a dict, None or 'gold'"),
        ("VARIANTS", ", attribution=1", "attribution must be True or False"),
        ("VARIANTS", ", atribution=True", "did you mean 'attribution'?"),
        ("reader_cfg=dict(output_column='relevant'), ", "VARIANTS", ""),
    ] {
        let scratch = searched_scratch();
        scratch.write("data/empty.jsonl", "");
        if expected.is_empty() {
            // Without a gold a search has no figure, and cannot be stood for.
            let config = SEARCHED.replace(from, "").replace("VARIANTS", ", attribution=True");
            scratch.write("staged.py", &config.replace("CORPUS", "'data/passages.jsonl'"));
            let output = scratch.run(&["run", "staged.py", "-w", "out"]);
            assert!(stderr(&output).contains("stage found has no gold"), "{}", stderr(&output));
            continue;
        }
        scratch.write("staged.py", &searched(&[(from, to)]));
        let output = scratch.run(&["run", "staged.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(stderr(&output).contains(expected), "{to}: {}", stderr(&output));
    }
}

#[test]
fn a_data_set_that_is_picked_brings_the_stages_it_reads() {
    let scratch = searched_scratch();
    scratch.write("staged.py", &searched(&[]));
    let output =
        scratch.run(&["run", "staged.py", "-w", "out", "--json", "--dataset", "talk.judged"]);
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert!((figure(&outcome, "talk.found", "recall@2") - 200.0 / 3.0).abs() < 1e-9);
    let judged = samples(&scratch, "talk.judged");
    assert!(judged[2]["prompt"].as_str().unwrap().contains("upon a mat"), "{}", judged[2]);
}

#[test]
fn a_stage_searches_by_vectors_and_embeds_each_text_once() {
    let scratch = searched_scratch();
    copy_folder(&fixtures().join("embeddings/minilm-mean"), &scratch.path().join("encoder"));
    for by in ["dense", "hybrid"] {
        let changed = format!("top_k=2, shown=1, by='{by}', encoder='encoder'");
        scratch.write("staged.py", &searched(&[("top_k=2", &changed)]));
        let output = scratch.run(&["run", "staged.py", "-w", "out", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let found = samples(&scratch, "talk.found");
        let ids: Vec<String> =
            serde_json::from_str(&found[0]["prediction"].as_str().unwrap().replace('\'', "\""))
                .unwrap();
        assert_eq!(ids.len(), 2, "{by}");
        let judged = samples(&scratch, "talk.judged");
        let columns: Json = serde_json::from_str(judged[0]["columns"].as_str().unwrap()).unwrap();
        assert_eq!(columns["found_ids"], json!([ids[0]]), "only the first is shown");
    }
}
