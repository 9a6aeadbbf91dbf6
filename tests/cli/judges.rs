//! Runs whose metric asks a judge: without one, with one, later, and again.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.evaluator import GenericLLMEvaluator
from opencompass.datasets import generic_llmjudge_postprocess
questions = dict(abbr='questions', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template='{question}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4)),
    eval_cfg=dict(evaluator=EVALUATOR))
datasets = [questions]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const JUDGED: &str = "dict(type=GenericLLMEvaluator, judge_cfg=dict(), \
    prompt_template=dict(type='PromptTemplate', template='{question} {answer} {prediction} A or B'), \
    dict_postprocessor=dict(type=generic_llmjudge_postprocess, true_tag='a', false_tag='e'))";

const JUDGE: &str = "models/tiny-llama-eospad";

fn scratch(evaluator: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", &CONFIG.replace("EVALUATOR", evaluator));
    let row = |index: usize| {
        let row = serde_json::json!({"question": format!("once {index}"), "answer": "cat"});
        format!("{row}\n")
    };
    scratch.write("data/rows.jsonl", &(0..5).map(row).collect::<String>());
    scratch
}

fn run(scratch: &Scratch, arguments: &[&str]) -> (Json, String) {
    let output = scratch.run(arguments);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    (serde_json::from_str(&stdout(&output)).unwrap_or_default(), said)
}

#[test]
fn without_a_judge_predictions_are_kept_and_a_judge_reads_them_later() {
    let scratch = scratch(JUDGED);
    let (outcome, said) = run(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(outcome["results"], serde_json::json!([]), "{outcome}");
    assert_eq!(outcome["unscored"][0]["missing"], "judge");
    assert_eq!(said.matches("no judge").count(), 1, "{said}");
    let folder = scratch.only_run("out");
    assert!(folder.join("predictions/tiny/questions.json").is_file());
    // Told again when the same command finds it done.
    let (again, said) = run(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(again["work"]["computed_tokens"], 0);
    assert!(said.contains("--judge MODEL"), "{said}");
    // Without one there is nothing new to keep, again and again.
    for _ in 0..2 {
        let (_, said) = run(&scratch, &["evaluate", "latest", "-w", "out"]);
        assert!(said.contains("nothing new was scored, so nothing is kept"), "{said}");
        assert!(said.contains("`surprisal evaluate latest --judge MODEL`"), "{said}");
        assert!(!said.contains("kept as"), "{said}");
    }
    let (runs, _) = run(&scratch, &["runs", "-w", "out", "--json"]);
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
    let judge = ["evaluate", "latest", "-w", "out", "--judge", JUDGE, "--json"];
    let (judged, _) = run(&scratch, &judge);
    assert_eq!(judged["results"][0]["metric"], "accuracy", "{judged}");
    assert!(judged["work"]["computed_tokens"].as_u64().unwrap() > 0, "{judged}");
    // The same judge is not asked again, and what it said is evaluated without it.
    let (again, _) = run(&scratch, &judge);
    assert_eq!(again["work"]["computed_tokens"], 0, "{again}");
    assert_eq!(again["results"], judged["results"]);
    let name = again["name"].as_str().unwrap();
    let (kept, _) = run(&scratch, &["evaluate", name, "-w", "out", "--json"]);
    assert_eq!(kept["results"], judged["results"], "{kept}");
}

#[test]
fn a_judge_that_no_metric_asks_is_told_of() {
    let scratch = scratch("dict(type='AccEvaluator')");
    let (_, said) = run(&scratch, &["run", "config.py", "-w", "out", "--judge", JUDGE, "--json"]);
    assert!(said.contains("no data set's metric asks a judge"), "{said}");
}

#[test]
fn a_judge_of_the_run_gives_what_a_later_one_gives() {
    let scratch = scratch(JUDGED);
    let with_judge = ["run", "config.py", "-w", "out", "--judge", JUDGE, "--json"];
    let (outcome, _) = run(&scratch, &with_judge);
    assert_eq!(outcome["results"].as_array().unwrap().len(), 2, "{outcome}");
    let folder = scratch.only_run("out");
    let results = std::fs::read_to_string(folder.join("results/tiny/questions.json")).unwrap();
    let results: Json = serde_json::from_str(&results).unwrap();
    assert!(results["correct_count"].is_number() && results["f1"].is_number(), "{results}");
    let detail = &results["details"][4];
    assert_eq!(detail["example_abbr"], "questions_4");
    assert!(detail["origin_prompt"][0].as_str().unwrap().starts_with("once 4 cat "), "{detail}");
    let replies = folder.join("results/tiny/questions_replica0.json");
    let replies: Json = serde_json::from_str(&std::fs::read_to_string(replies).unwrap()).unwrap();
    assert_eq!(replies["4"]["gold"], "cat");
    let (again, _) = run(&scratch, &with_judge);
    assert_eq!(again["work"]["computed_tokens"], 0);
    assert_eq!(again["results"], outcome["results"]);
    // A judge that the config names is the same judge.
    let named = CONFIG.replace("EVALUATOR", JUDGED)
        + "judge_models = [dict(type=HuggingFaceCausalLM, abbr='tiny-llama-eospad', path='models/tiny-llama-eospad')]\n";
    scratch.write("config.py", &named);
    let (named, _) = run(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(named["work"]["computed_tokens"], 0, "{named}");
    assert_eq!(named["results"], outcome["results"]);
    let (export, _) = run(&scratch, &["runs", "-w", "out", "--json"]);
    assert_eq!(export[0]["samples"], 5, "{export}");
}

#[test]
fn a_judge_takes_an_answer_out_before_it_judges_it() {
    let scratch = scratch(
        "dict(type='GaoKaoMATHEvaluator', model_name='m', url='u', with_postprocess=True, post_model_name='m', \
         prompt='{question} {gold_answer} {answer}', post_prompt='{question} {response}')",
    );
    let with_judge = ["run", "config.py", "-w", "out", "--judge", JUDGE, "--json"];
    let (outcome, _) = run(&scratch, &with_judge);
    assert_eq!(outcome["results"][0]["metric"], "accuracy", "{outcome}");
    let folder = scratch.only_run("out");
    let read = |path: &str| -> Json {
        serde_json::from_str(&std::fs::read_to_string(folder.join(path)).unwrap()).unwrap()
    };
    let replies = read("results/tiny/questions_judge.json");
    assert_eq!(replies.as_object().unwrap().len(), 10, "{replies}");
    let taken_out = replies["1"]["prediction"].as_str().unwrap();
    let asked = format!("once 1 cat {taken_out}");
    assert_eq!(replies["6"]["origin_prompt"], asked.as_str(), "{replies}");
    assert_eq!(read("results/tiny/questions.json")["details"][1]["pred"][0], taken_out);
    // In the run or later, and nothing is asked twice.
    let (_, _) = run(&scratch, &["run", "config.py", "-w", "later", "--json"]);
    let judge = ["evaluate", "latest", "-w", "later", "--judge", JUDGE, "--json"];
    let (judged, _) = run(&scratch, &judge);
    assert_eq!(judged["results"], outcome["results"], "{judged}");
    let (again, _) = run(&scratch, &judge);
    assert_eq!(again["work"]["computed_tokens"], 0, "{again}");
    assert_eq!(again["results"], judged["results"], "{again}");
}

#[test]
fn a_cascade_asks_about_what_its_rule_leaves() {
    let cascade = format!(
        "dict(type='CascadeEvaluator', rule_evaluator=dict(type='AccEvaluator'), parallel=False, llm_evaluator={JUDGED})"
    );
    let scratch = scratch(&cascade);
    let (outcome, _) =
        run(&scratch, &["run", "config.py", "-w", "out", "--judge", JUDGE, "--json"]);
    assert_eq!(outcome["results"][0]["metric"], "accuracy", "{outcome}");
    let folder = scratch.only_run("out");
    let results = std::fs::read_to_string(folder.join("results/tiny/questions.json")).unwrap();
    let results: Json = serde_json::from_str(&results).unwrap();
    assert_eq!(results["cascade_stats"][0]["llm_evaluated"], 5, "{results}");
}

#[test]
fn a_judge_that_cannot_be_run_here_is_told() {
    let served = JUDGED.replace("judge_cfg=dict()", "judge_cfg=dict(type='Gemini', path='big')");
    let scratch = scratch(&served);
    let (outcome, said) = run(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(outcome["results"], serde_json::json!([]));
    assert!(said.contains("cannot be run here") && said.contains("Gemini"), "{said}");
    let refused = scratch.run(&["run", "config.py", "-w", "out", "--judge", "models/gone"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn answers_are_judged_beside_given_ones_of_another_model() {
    let compared = "dict(type='LMEvaluator', judge_cfg=dict(), \
        prompt_template=dict(type='PromptTemplate', template='{question} 1 {prediction} 2 {prediction2}'))";
    let scratch = scratch(compared);
    let entry = "mode='m2n', infer_order='double', base_models=[dict(abbr='big')],\n    \
        given_pred=[dict(abbr='big', path='data/big')], infer_cfg=dict(";
    let config = CONFIG.replace("EVALUATOR", compared).replacen("infer_cfg=dict(", entry, 1);
    scratch.write("config.py", &config.replace("output_column='answer'", "output_column='judge'"));
    let row = |index: usize| {
        let row = serde_json::json!({"question": format!("once {index}"), "judge": {"id": index}});
        format!("{row}\n")
    };
    scratch.write("data/rows.jsonl", &(0..3).map(row).collect::<String>());
    let refused = scratch.run(&["run", "config.py", "-w", "out", "--judge", JUDGE]);
    assert!(stderr(&refused).contains("given_pred=[dict(abbr='big'"), "{}", stderr(&refused));
    let given = |index: usize| (index.to_string(), serde_json::json!({"prediction": "a bird"}));
    let given: serde_json::Map<_, _> = (0..3).map(given).collect();
    scratch.write("data/big/questions.json", &serde_json::Value::from(given).to_string());
    let (outcome, _) =
        run(&scratch, &["run", "config.py", "-w", "out", "--judge", JUDGE, "--json"]);
    let folder = scratch.only_run("out");
    let results = std::fs::read_to_string(folder.join("results/tiny/questions.json")).unwrap();
    let results: Json = serde_json::from_str(&results).unwrap();
    assert_eq!(results["0"]["gold"]["answer1"], "big", "{outcome} {results}");
    assert_eq!(results["5"]["gold"]["answer1"], "tiny", "{results}");
    assert!(results["0"]["origin_prompt"].as_str().unwrap().starts_with("once 0 1 a bird 2 "));
    // What is given is kept with the rows.
    let again = ["evaluate", "latest", "-w", "out", "--judge", JUDGE, "--json"];
    let (again, _) = run(&scratch, &again);
    assert_eq!(again["work"]["computed_tokens"], 0, "{again}");
}
