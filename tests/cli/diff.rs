//! A run beside another one, beside its own predictions, and beside samples as lm-eval writes them.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value as Json, json};

use super::scratch::{copy_folder, stderr, stdout};

/// Samples of each data set.
const SAMPLES: usize = 8;

/// Four candidates for each row, and a text that is continued, on the model that ships.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
question = 'Question: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer: '
choices = dict(abbr='choices', path='configs/datasets/choices',
    reader_cfg=dict(input_columns=['question', 'A', 'B', 'C', 'D'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={label: question + label for label in 'ABCD'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
sums = dict(abbr='sums', path='configs/datasets/sums',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template='Question: {question}\nAnswer:'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=8)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [choices, sums]
models = [dict(type=HuggingFaceCausalLM, abbr='pocket', path='models/pocket', max_seq_len=512)]
";

/// A folder beside the repository, in whose root the binary is started.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surprisal"));
        command.args(arguments).arg("-w").arg(self.at("out"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("HF_HUB_OFFLINE", "1");
        command
    }

    /// Runs a config and says what the run is called.
    fn run(&self, config: &str) -> String {
        fs::write(self.at("config.py"), config).unwrap();
        let (config, limit) = (self.at("config.py"), SAMPLES.to_string());
        let arguments = ["run", config.to_str().unwrap(), "--limit", &limit, "--json"];
        let output = self.command(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        json_of(&output)["name"].as_str().unwrap().to_owned()
    }

    fn diff(&self, arguments: &[&str]) -> Output {
        self.command(&[&["diff"], arguments].concat()).output().unwrap()
    }

    /// The reports of a comparison that ends with this code.
    fn reports(&self, arguments: &[&str], code: i32) -> Vec<Json> {
        let output = self.diff(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
        json_of(&output)["reports"].as_array().unwrap().clone()
    }

    /// A copy of a run's predictions, one file of which is changed.
    fn edited(&self, run: &str, dataset: &str, edit: impl Fn(&mut Json)) -> String {
        let copy = self.at("copy");
        copy_folder(&self.at("out").join(run).join("predictions"), &copy);
        let path = copy.join(format!("pocket/{dataset}.json"));
        let mut file: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        edit(&mut file);
        fs::write(&path, file.to_string()).unwrap();
        copy.to_str().unwrap().to_owned()
    }
}

fn json_of(output: &Output) -> Json {
    serde_json::from_str(&stdout(output)).unwrap()
}

fn kind(report: &Json) -> &str {
    report["causes"][0]["kind"].as_str().unwrap()
}

#[test]
fn a_planted_delimiter_is_found_between_two_runs() {
    let bench = Bench::new();
    let first = bench.run(CONFIG);
    let second = bench.run(&CONFIG.replace("nAnswer: '", "nAnswer:\\n'"));
    assert_ne!(first, second);
    bench.reports(&[&first, &first], 0);
    let reports = bench.reports(&[&second, &first], 1);
    let [choices, sums] = reports.as_slice() else { panic!("{reports:?}") };
    assert_eq!((&choices["agree"], &sums["agree"]), (&json!(false), &json!(true)));
    assert_eq!(choices["pairing"]["by_row"], SAMPLES);
    let prompts = &choices["prompts"];
    assert_eq!((&prompts["differing"], &prompts["ids_differing"]), (&json!(32), &json!(32)));
    let around = prompts["first"]["around"].as_array().unwrap();
    assert!(around[0].as_str().unwrap().ends_with("Answer:\nA"), "{around:?}");
    assert!(around[1].as_str().unwrap().ends_with("Answer: A"), "{around:?}");
    assert_ne!(prompts["first_ids"]["ids"][0], prompts["first_ids"]["ids"][1]);
    assert_eq!(choices["likelihoods"]["quantity"], "text");
    assert!(choices["likelihoods"]["above_tolerance"].as_u64().unwrap() > 24, "{choices}");
    assert_eq!(kind(choices), "white_space");
    let sentence = choices["causes"][0]["sentence"].as_str().unwrap();
    assert!(sentence.contains("before the answer") && sentence.contains("32 of 32"), "{sentence}");
    assert_eq!(sums["predictions"]["texts_compared"], SAMPLES);
    // Figures are those of the tables.
    assert_eq!(sums["figures"][0]["values"][0], sums["figures"][0]["values"][1]);
}

#[test]
fn what_was_changed_in_predictions_is_found() {
    let bench = Bench::new();
    let run = bench.run(CONFIG);
    let folder = bench.at("out").join(&run);
    bench.reports(&["latest", folder.to_str().unwrap()], 0);
    bench.reports(&["latest", folder.join("predictions/pocket/sums.json").to_str().unwrap()], 0);

    let other = bench.edited(&run, "choices", |file| {
        let sum = file["2"]["label: B"]["sum_nll_nats"].as_f64().unwrap();
        file["2"]["label: B"]["sum_nll_nats"] = json!(sum + 0.5);
        let own = file["5"]["prediction"].as_str().unwrap();
        file["5"]["prediction"] = if own == "A" { json!("C") } else { json!("A") };
        file.as_object_mut().unwrap().remove("7");
    });
    let reports = bench.reports(&["latest", &other], 1);
    let choices = &reports[0];
    assert_eq!(
        (&choices["pairing"]["paired"], &choices["pairing"]["only_left"]),
        (&json!(7), &json!(1))
    );
    assert_eq!(choices["pairing"]["example_left"]["number"], 7);
    let largest = &choices["likelihoods"]["listed"][0];
    assert_eq!((&largest["samples"], &largest["candidate"]), (&json!([2, 2]), &json!("B")));
    assert!((largest["difference"].as_f64().unwrap() + 0.5).abs() < 1e-9, "{largest}");
    let changed = choices["predictions"]["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0]["samples"], json!([5, 5]));
    assert_eq!(reports[1]["agree"], true);

    let other = bench.edited(&run, "choices", |file| {
        for (_, sample) in file.as_object_mut().unwrap() {
            for label in ["A", "B", "C", "D"] {
                let own = &mut sample[format!("label: {label}")];
                own["prompt"] = json!(format!("<s>{}", own["prompt"].as_str().unwrap()));
            }
        }
    });
    let reports = bench.reports(&["latest", &other, "--dataset", "choi*"], 1);
    assert_eq!((reports.len(), kind(&reports[0])), (1, "beginning"));
    let first = &reports[0]["prompts"]["first_ids"];
    // The shipped model is at hand, so that its tokenizer says which token that is.
    assert_eq!(first["is_tokenized_here"], true);
    assert!(first["tokens"][1].as_u64() > first["tokens"][0].as_u64(), "{first}");
}

/// The run's own candidates as lm-eval would have written them, the last one first.
#[test]
fn samples_of_lm_eval_are_paired_by_content() {
    let bench = Bench::new();
    let run = bench.run(CONFIG);
    let table = bench.command(&["export", "latest", "--table", "candidates"]).output().unwrap();
    let rows: Vec<Json> = stdout(&table)
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter(|row| row["dataset"] == "choices")
        .collect();
    let write = |name: &str, change: &dyn Fn(String) -> String| -> String {
        let mut lines = Vec::new();
        for (index, own) in rows.chunks(4).enumerate() {
            let predictions = bench.at("out").join(&run).join("predictions/pocket/choices.json");
            let file: Json = serde_json::from_slice(&fs::read(predictions).unwrap()).unwrap();
            let sample = &file[index.to_string()];
            let (mut arguments, mut responses) = (json!({}), Vec::new());
            for (place, row) in own.iter().enumerate() {
                let label = row["label"].as_str().unwrap();
                let text = sample[format!("label: {label}")]["prompt"].as_str().unwrap();
                let context = text.strip_suffix(label).unwrap().to_owned();
                arguments[format!("gen_args_{place}")] =
                    json!({"arg_0": change(context), "arg_1": label});
                responses.push((-row["answer_nll_nats"].as_f64().unwrap()).to_string());
            }
            let resps: Vec<Json> = responses.iter().map(|own| json!([[own, "False"]])).collect();
            let filtered: Vec<Json> = responses.iter().map(|own| json!([own, "False"])).collect();
            let line = json!({"doc_id": 100 - index, "doc": {}, "target": "0", "arguments": arguments, "resps": resps,
                "filtered_resps": filtered, "filter": "none", "metrics": ["acc"], "acc": 1.0});
            lines.insert(0, line.to_string());
        }
        let path = bench.at(name);
        fs::write(&path, lines.join("\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let path = write("samples_choices_2026-01-31T12-00-00.123456.jsonl", &|own| own);
    let report = &bench.reports(&["latest", &path], 0)[0];
    assert_eq!(report["pairing"]["by_prompt"], SAMPLES);
    assert_eq!(report["likelihoods"]["quantity"], "answer");
    assert_eq!(report["likelihoods"]["compared"], 4 * SAMPLES);

    let path = write("samples_choices.jsonl", &|own| format!("<|user|>\n{own}<|assistant|>\n"));
    let report = &bench.reports(&["latest", &path], 1)[0];
    assert_eq!(
        (&report["pairing"]["by_likeness"], kind(report)),
        (&json!(SAMPLES), "chat_template")
    );

    for columns in ["80", "60"] {
        let mut command = bench.command(&["diff", "latest", &path]);
        let output = command.env("COLUMNS", columns).env("NO_COLOR", "1").output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(1), ""));
        let out = stdout(&output);
        let most: usize = columns.parse().unwrap();
        let wide: Vec<&str> = out.lines().filter(|line| line.chars().count() > most).collect();
        assert!(wide.is_empty() && !out.contains('\u{1b}'), "{wide:?}\nin\n{out}");
        let flat = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("They differ. Likeliest cause: The chat template: only"), "{out}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused_by_name() {
    let bench = Bench::new();
    bench.run(CONFIG);
    for (name, text) in [("samples_choices.jsonl", "{}"), ("empty.json", "{}"), ("rows.txt", "x")] {
        fs::write(bench.at(name), text).unwrap();
    }
    fs::create_dir(bench.at("nothing")).unwrap();
    let path = |name: &str| -> String { bench.at(name).to_str().unwrap().to_owned() };
    let cases: [(&[&str], &str); 8] = [
        (&["latest", "nowhere"], "nowhere"),
        (&["nowhere", "latest"], "nowhere"),
        (&["latest", &path("gone.jsonl")], "gone.jsonl"),
        (&["latest", &path("samples_choices.jsonl")], "line 1: it is no sample of lm-eval"),
        (&["latest", &path("empty.json"), "--dataset", "sums"], "it has no samples"),
        (&["latest", &path("rows.txt")], "ends in .jsonl (lm-eval)"),
        (&["latest", &path("nothing")], "has no predictions of pocket/choices.json"),
        (&["latest", "latest", "--tolerance", "-1"], "expected a number from 0"),
    ];
    for (arguments, expected) in cases {
        let output = bench.diff(arguments);
        let (out, said) = (stdout(&output), stderr(&output));
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
