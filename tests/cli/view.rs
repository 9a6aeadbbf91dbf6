//! The Prompt Viewer: what it tells about a prompt, in each of its forms.

use serde_json::Value as Json;

use super::{
    read_page::ReadPage,
    scratch::{Scratch, stderr, stdout},
};

/// Three data sets: two candidates after an example, a continued dialogue, and one where much is wrong.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, FixKRetriever, PPLInferencer, GenInferencer
_reader = dict(input_columns=['question'], output_column='answer')
choices = dict(
    abbr='choices', path='data/rows.jsonl', reader_cfg=_reader,
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template={l: 'Question: {question}\nAnswer: ' + l for l in ['A', 'B']}),
        prompt_template=dict(type=PromptTemplate,
            template={l: '</E>Question: {question}\nAnswer: ' + l for l in ['A', 'B']}, ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[1]),
        inferencer=dict(type=PPLInferencer)))
words = dict(
    abbr='words', path='data/rows.jsonl', reader_cfg=_reader,
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template=dict(
            begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Say {answer} or not.')],
            round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=GenInferencer, max_out_len=4)))
doctored = dict(
    abbr='doctored', path='data/rows.jsonl', reader_cfg=_reader,
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template={l: '<s></E>{qestion}: {answer} so' + l for l in ['A', 'B']},
            ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[0]),
        inferencer=dict(type=PPLInferencer)))
datasets = [choices, words, doctored]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=256,
    meta_template=dict(round=[dict(role='HUMAN', begin='H: ', end='\n'), dict(role='BOT', begin='B:', generate=True)]))]
";

const ROWS: &str = "{\"question\": \"<script>alert('é & 根')</script> {answer}\", \"answer\": \"A\"}\n\
                    {\"question\": \"the dog\", \"answer\": \"B\"}\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    scratch.write("data/rows.jsonl", ROWS);
    scratch
}

fn views(scratch: &Scratch, arguments: &[&str]) -> Vec<Json> {
    let output = scratch.run(&[&["view", "config.py", "--json"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn kinds(view: &Json) -> Vec<&str> {
    let warnings = view["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["kind"].as_str().unwrap()).collect()
}

#[test]
fn pieces_and_tokens_of_every_prompt_make_up_its_text() {
    let views = views(&scratch(), &["--all"]);
    assert_eq!(views.len(), 6);
    for prompt in views.iter().flat_map(|view| view["prompts"].as_array().unwrap()) {
        let pieces = prompt["pieces"].as_array().unwrap();
        let joined: String = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
        assert_eq!(joined, prompt["text"]);
        assert!(pieces.iter().all(|piece| piece["kind"] != "unknown"), "{prompt}");
        let tokens = prompt["tokens"].as_array().unwrap();
        let sum: u64 = prompt["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|size| size["tokens"].as_u64().unwrap())
            .sum();
        assert_eq!(sum as usize, tokens.len());
        assert_eq!(prompt["token_count"], tokens.len());
        let chars = joined.chars().count();
        assert_eq!(tokens.last().unwrap()["end_char"], chars);
    }
}

#[test]
fn a_piece_knows_its_section_role_and_column() {
    let view = views(&scratch(), &["--dataset", "words", "--sample", "1"]).remove(0);
    let pieces: Vec<(&str, &str, &str, &str)> = view["prompts"][0]["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|piece| piece["text"] != "" || piece["kind"] == "mask")
        .map(|piece| {
            let text = |name: &str| piece[name].as_str().unwrap_or("");
            (text("text"), text("section"), text("role"), text("kind"))
        })
        .collect();
    assert_eq!(
        pieces,
        [
            ("H: ", "begin", "SYSTEM", "markup"),
            ("Say ", "begin", "SYSTEM", "template"),
            ("", "begin", "SYSTEM", "mask"),
            (" or not.", "begin", "SYSTEM", "template"),
            ("\n", "begin", "SYSTEM", "markup"),
            ("H: ", "round", "HUMAN", "markup"),
            ("the dog", "round", "HUMAN", "field"),
            ("\n", "round", "HUMAN", "markup"),
            ("B:", "round", "BOT", "markup"),
        ]
    );
    assert_eq!(view["masked_column"], "answer");
    assert_eq!(view["prompts"][0]["scored_from_token"], Json::Null);
}

#[test]
fn candidates_part_where_their_labels_are() {
    let view = views(&scratch(), &["--dataset", "choices", "--sample", "1"]).remove(0);
    let text = view["prompts"][0]["text"].as_str().unwrap();
    assert_eq!(view["first_difference"]["char"], text.chars().count() - 1);
    assert_eq!(view["prompts"][0]["scored_from_token"], 1);
    assert_eq!(view["gold"], "B");
    let out = stdout(&scratch().run(&["view", "config.py", "-d", "choices", "-s", "1"]));
    assert_eq!(out.matches("Question: the dog").count(), 2, "{out}");
    let out = stdout(&scratch().run(&["view", "config.py", "-d", "choices", "-s", "1", "--full"]));
    assert_eq!(out.matches("Question: the dog").count(), 4, "{out}");
}

#[test]
fn what_costs_accuracy_is_told() {
    let scratch = scratch();
    let doctored = views(&scratch, &["--dataset", "doctored"]).remove(0);
    let found = kinds(&doctored);
    for kind in ["unfilled_field", "shown_answer", "own_example", "doubled_bos"] {
        assert!(found.contains(&kind), "{kind} is not in {found:?}");
    }
    let out = stdout(&scratch.run(&["view", "config.py", "--dataset", "doctored"]));
    assert!(out.contains("did you mean {question}?"), "{out}");
    let sound = views(&scratch, &["--dataset", "words"]).remove(0);
    // The question itself says {answer}.
    assert_eq!(kinds(&sound), ["filled_data"]);
}

#[test]
fn the_page_of_prompts_says_what_the_json_says() {
    let scratch = scratch();
    let output = scratch.run(&["view", "config.py", "--all", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("page.html: 6 samples, "), "{}", stderr(&output));
    let path = scratch.path().join("page.html");
    let html = std::fs::read_to_string(&path).unwrap();
    assert_eq!(html.matches("<script").count(), html.matches("</script>").count());
    let page = ReadPage::of(&path);
    assert_eq!(page.summary["is_of_prompts"], true);
    assert_eq!(page.summary["figures"], serde_json::json!([]));
    let views = views(&scratch, &["--all"]);
    let (texts, bodies) = (page.texts(), page.bodies());
    assert_eq!(bodies.len(), views.len());
    for (place, (view, body)) in views.iter().zip(&bodies).enumerate() {
        let warnings = view["warnings"].as_array().unwrap();
        let messages: Vec<&Json> = warnings.iter().map(|own| &own["message"]).collect();
        let shown: Vec<&Json> =
            body["warnings"].as_array().into_iter().flatten().map(|own| &own["message"]).collect();
        assert_eq!(shown, messages);
        // Rows come first, four bytes each, and then the flags, of which only one can be set.
        let is_warned = warnings.iter().any(|own| own["severity"] == "warning");
        assert_eq!(page.columns[1][place], if is_warned { 32 } else { 0 });
        assert_eq!(body["gold"], view["gold"]);
        for (place, prompt) in view["prompts"].as_array().unwrap().iter().enumerate() {
            let text = &texts[ReadPage::last_segment(body, place)];
            assert_eq!(text.bytes, prompt["text"].as_str().unwrap().as_bytes());
            let ids: Vec<u64> = text.tokens.iter().map(|(id, _)| *id).collect();
            let tokens = prompt["tokens"].as_array().unwrap();
            assert_eq!(
                ids,
                tokens.iter().map(|own| own["id"].as_u64().unwrap()).collect::<Vec<_>>()
            );
            assert!(text.tokens.iter().all(|(_, thousandths)| *thousandths == 65535));
            let kinds: Vec<Json> = text
                .spread(&page.summary["styles"])
                .iter()
                .map(|own| own["kind"].clone())
                .collect();
            let pieces = prompt["pieces"].as_array().unwrap().iter();
            let wanted: Vec<Json> = pieces
                .flat_map(|own| vec![own["kind"].clone(); own["text"].as_str().unwrap().len()])
                .collect();
            assert_eq!(kinds, wanted);
        }
    }
    let alone = scratch.run(&["view", "config.py", "--html", "one.html", "--dataset", "words"]);
    assert!(stderr(&alone).contains("one.html: 1 sample, "), "{}", stderr(&alone));
}

#[test]
fn candidates_that_are_asked_in_other_ways_say_so() {
    let scratch = Scratch::new();
    let cyclic =
        "eval_cfg=dict(rule=dict(type='cyclic', options=['question', 'other'])),\n    infer_cfg";
    let config = CONFIG.replace("    infer_cfg", &format!("    {cyclic}")).replacen(
        "\\nAnswer",
        " {other}\\nAnswer",
        4,
    );
    let choices = "datasets = [choices]";
    scratch.write("config.py", &config.replace("datasets = [choices, words, doctored]", choices));
    scratch.write(
        "data/rows.jsonl",
        "{\"question\": \"x\", \"other\": \"y\", \"answer\": \"A\"}\n{\"question\": \"z\", \"other\": \"w\", \"answer\": \"B\"}\n",
    );
    let view = views(&scratch, &[]).remove(0);
    let prompts = view["prompts"].as_array().unwrap();
    let told: Vec<(&str, &str)> = prompts
        .iter()
        .map(|own| (own["label"].as_str().unwrap(), own["asked_as"].as_str().unwrap_or("")))
        .collect();
    let moved = "options moved on by one place";
    assert_eq!(told, [("A", ""), ("B", ""), ("A", moved), ("B", moved)]);
    let out = stdout(&scratch.run(&["view", "config.py"]));
    assert_eq!(out.matches(moved).count(), 2, "{out}");
    // The run's page has them under their candidates.
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = ReadPage::of(&scratch.only_run("out").join("report.html"));
    let (texts, body) = (page.texts(), &page.bodies()[0]);
    for (place, prompt) in prompts.iter().enumerate() {
        assert_eq!(body["texts"]["label"][place], prompt["label"]);
        assert_eq!(body["texts"]["asked_as"][place], prompt["asked_as"]);
        let text = &texts[ReadPage::last_segment(body, place)];
        assert_eq!(text.bytes, prompt["text"].as_str().unwrap().as_bytes());
    }
}

#[test]
fn colours_are_for_terminals() {
    let scratch = scratch();
    let run = |variable: Option<&str>| {
        let mut command = scratch.command(&["view", "config.py"]);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variable.map(|name| (name, "1")));
        stdout(&command.output().unwrap())
    };
    assert!(!run(None).contains('\u{1b}'));
    assert!(!run(Some("NO_COLOR")).contains('\u{1b}'));
    assert!(run(Some("CLICOLOR_FORCE")).contains('\u{1b}'));
}

#[test]
fn a_wrong_pick_names_what_there_is() {
    let scratch = scratch();
    for (arguments, named) in [
        (["--dataset", "nope*"], "choices, words, doctored"),
        (["--model", "nope"], "tiny"),
        (["--label", "Z"], "A, B"),
        (["--sample", "2"], "has 2 of them"),
    ] {
        let output = scratch.run(&[&["view", "config.py"][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(named), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn prompts_are_shown_without_a_tokenizer_and_without_a_model() {
    let scratch = scratch();
    for (change, says) in [
        (("models/tiny-llama-bos", "models/nowhere"), "no token counts"),
        (("models = ", "unused = "), "no model"),
    ] {
        scratch.write("bare.py", &CONFIG.replace(change.0, change.1));
        let output = scratch.run(&["view", "bare.py", "--tokens"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert!(stdout(&output).contains("A B share"), "{}", stdout(&output));
    }
}
