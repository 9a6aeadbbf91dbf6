//! What reaches a terminal: lines that fit, nothing that it would obey, and the way on after Ctrl-C.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use serde_json::Value as Json;
use surprisal::{
    hub::DownloadProgress,
    plan::RunPlan,
    prepare::{self, Progress},
};

use super::scratch::{Scratch, stderr, stdout};

/// Two data sets and a model; words in capitals are put in.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
choices = dict(
    abbr='ABBR',
    path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['question', 'COLUMN'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={'A': '{question} {COLUMN} yes', 'BLABEL': '{question} no'}),
        retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
texts = dict(
    abbr='texts',
    path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column=None),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template='{question}'),
        retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='PPLOnlyInferencer')),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))
datasets = [choices, texts]
models = [dict(type=HuggingFaceCausalLM, abbr='MODEL', path='models/tiny-llama-bos', max_seq_len=64)]
";

/// Characters that steer a terminal: an escape, C1's CSI, a bell, a carriage return, DEL, an override
/// of direction, an isolate, a line separator.
const HOSTILE: &str = "\u{1b}[31m\u{9b}2J\u{7}\r\u{7f}\u{202e}\u{2066}\u{2028}";

fn config(abbr: &str, model: &str, column: &str, label: &str) -> String {
    CONFIG
        .replace("ABBR", abbr)
        .replace("MODEL", model)
        .replace("COLUMN", column)
        .replace("LABEL", label)
}

/// A folder with the config and as many rows.
fn scratch(config: &str, column: &str, text: &str, rows: usize) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", config);
    let row = |index: usize| {
        let question = format!("the {text} cat {index}");
        serde_json::json!({"question": question, "answer": "A", column: text}).to_string() + "\n"
    };
    scratch.write("data/rows.jsonl", &(0..rows).map(row).collect::<String>());
    scratch
}

/// Whether a terminal would show a character and not obey it.
fn is_shown(character: char) -> bool {
    match character {
        '\n' | '\t' => true,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            false
        }
        other => !other.is_control(),
    }
}

fn assert_harmless(output: &Output, what: &str) {
    for text in [stdout(output), stderr(output)] {
        let obeyed: Vec<char> = text.chars().filter(|it| !is_shown(*it)).collect();
        assert!(obeyed.is_empty(), "{what}: {obeyed:?} in\n{}", text.escape_debug());
    }
}

#[test]
fn nothing_that_steers_a_terminal_comes_out() {
    // As it stands in a config's text.
    let escaped = r"\x1b[31m\x9b2J\x07\r\x7f\u202e\u2066\u2028";
    let column = "a\u{202e}b";
    let good = config("choices", "tiny", r"a\u202eb", escaped);
    let scratch = scratch(&good, column, HOSTILE, 3);
    let name = format!("bad{HOSTILE}.py");
    scratch.write(&name, "models = [\n");
    let raise = format!("datasets = [dict(abbr='x{HOSTILE}')]\nmodels = 'x{HOSTILE}'.nothing\n");
    scratch.write("raise.py", &raise);
    scratch.write("abbr.py", &config(escaped, "tiny", "a", ""));
    let template = format!("{{{{ raise_exception('{HOSTILE}') }}}}");
    let echo = "{% for m in messages %}{{ m.content }}{% endfor %}";
    let conversation = serde_json::json!([{"role": "user", "content": HOSTILE}]).to_string();
    scratch.write("conversation.json", &conversation);
    scratch.write("conversations.jsonl", &format!("{conversation}\n{{\"x\": \"{HOSTILE}\n"));
    let architecture = serde_json::json!({"model_type": HOSTILE, "architectures": [HOSTILE]});
    scratch.write("odd/config.json", &architecture.to_string());
    let model = "models/tiny-llama-bos";
    let cases: &[(&[&str], i32)] = &[
        (&["run", "config.py", "-w", "out"], 0),
        (&["run", "config.py", "-w", "json", "--json"], 0),
        (&["run", "config.py", "-w", "none", "--dataset", HOSTILE], 2),
        (&["check", "config.py"], 0),
        (&["check", "config.py", "--json"], 0),
        (&["view", "config.py", "--all"], 0),
        (&["view", "config.py", "--all", "--tokens"], 0),
        (&["view", "config.py", "--all", "--full"], 0),
        (&["view", "config.py", "--json"], 0),
        (&["view", "config.py", "--label", HOSTILE], 2),
        (&["config", "config.py"], 0),
        (&["config", "config.py", "--json"], 0),
        (&["check", &name], 2),
        (&["check", "raise.py"], 2),
        (&["check", "abbr.py"], 2),
        (&["run", "config.py", "--model", HOSTILE], 2),
        (&["inspect", "odd"], 2),
        (&["inspect", "odd", "--json"], 2),
        (&["inspect", HOSTILE], 2),
        (&["chat-template", model, "--template", &template], 2),
        (&["chat-template", model, "--template", echo, "--messages", "conversation.json"], 0),
        (&["chat-template", model, "--template", echo, "--messages", "conversations.jsonl"], 1),
        (&["chat-template", model, "--template", echo, "--set", HOSTILE], 2),
        (&["compare-models", model, HOSTILE, "conversation.json"], 2),
        (&["bench", "--model", HOSTILE], 2),
        (&["selftest", "--checkpoints", HOSTILE], 2),
        (&[HOSTILE], 2),
    ];
    for (arguments, code) in cases {
        let output = scratch.run(arguments);
        let what = format!("{arguments:?}\n{}", stderr(&output).escape_debug());
        assert_eq!(output.status.code(), Some(*code), "{what}");
        assert_harmless(&output, &what);
    }
    // What is escaped in JSON is the same value.
    let views: Json =
        serde_json::from_str(&stdout(&scratch.run(&["view", "config.py", "--json"]))).unwrap();
    assert!(views[0]["prompts"][0]["text"].as_str().unwrap().contains(HOSTILE));
}

#[test]
fn a_line_break_in_a_name_is_refused() {
    for (abbr, model) in [(r"a\nb", "tiny"), ("a", r"m\n1"), (r"a\x85b", "tiny"), (r"a\u2029", "m")]
    {
        let scratch = scratch(&config(abbr, model, "c", ""), "c", "x", 2);
        let output = scratch.run(&["run", "config.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{abbr} {model}");
        let complaint = stderr(&output);
        assert!(
            complaint.contains("config.py:") && complaint.contains("control character"),
            "{complaint}"
        );
        assert!(!scratch.path().join("out").exists());
    }
}

/// Columns of the widest line.
fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let abbr = "a_data_set_with_a_long_name_that_tells_its_subject";
    let scratch =
        scratch(&config(abbr, "a_model_of_some_billion_parameters_instruct", "c", ""), "c", "x", 3);
    let model = "models/tiny-llama-bos";
    let commands: &[&[&str]] = &[
        &["run", "config.py", "-w", "out"],
        &["check", "config.py"],
        &["models"],
        &["inspect", model],
        &["bench", "--model", model, "--workload", "gen", "--limit", "1"],
        &["selftest"],
    ];
    for columns in ["60", "80"] {
        for arguments in commands {
            let output = scratch.command(arguments).env("COLUMNS", columns).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments:?} {}", stderr(&output));
            let text = stdout(&output);
            assert!(widest(&text) <= columns.parse().unwrap(), "{arguments:?}:\n{text}");
            if arguments[0] == "run" {
                assert!(text.contains("33.33 (6.1–79.2)"), "{text}");
                let unfolded = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(unfolded.contains("which OpenCompass calls PPL"), "{text}");
            }
        }
    }
    // Where nobody says how wide it is, 80 columns are taken.
    for arguments in commands {
        let output = scratch.command(arguments).env_remove("COLUMNS").output().unwrap();
        assert!(widest(&stdout(&output)) <= 80, "{arguments:?}");
    }
}

#[test]
fn details_hold_every_figure_with_its_interval() {
    let scratch = scratch(&config("choices", "tiny", "c", ""), "c", "x", 3);
    let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let summary = scratch.only_run("out").join("summary");
    let details: Json =
        serde_json::from_slice(&fs::read(summary.join("details.json")).unwrap()).unwrap();
    let csv = fs::read_to_string(summary.join("details.csv")).unwrap();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3, "{csv}");
    let number = |value: &Json| value.as_f64().unwrap();
    for (index, unit) in ["%", "nats/token"].into_iter().enumerate() {
        let (row, shown) = (&details["results"][index], &outcome["results"][index]);
        assert_eq!((&row["unit"], &row["n"], &row["failed"]), (&unit.into(), &3.into(), &0.into()));
        for name in ["value", "standard_error", "interval_low", "interval_high"] {
            let column = lines[0].iter().position(|heading| *heading == name).unwrap();
            let written: f64 = lines[index + 1][column].parse().unwrap();
            assert_eq!(written.to_bits(), number(&row[name]).to_bits());
            assert_eq!(row[name], shown[name]);
        }
    }
    assert!((number(&details["results"][0]["interval_low"]) - 6.149_194_472).abs() < 1e-6, "{csv}");
    let text = &details["results"][1];
    assert!((number(&text["perplexity"]) - number(&text["value"]).exp()).abs() < 1e-9);
    let half = 1.959_963_984_540_054 * number(&text["standard_error"]);
    assert!((number(&text["interval_low"]) - (number(&text["value"]) - half)).abs() < 1e-9);
}

/// Remembers phases and counts their steps.
#[derive(Default)]
struct Heard(Mutex<Vec<(String, usize, usize)>>);

impl DownloadProgress for Heard {
    fn begin_file(&self, _: &str, _: u64, _: u64) {}
    fn bytes(&self, _: u64) {}
    fn end_file(&self) {}
    fn waiting(&self, _: &str) {}
}

impl Progress for Heard {
    fn note(&self, _: &str) {}
    fn phase(&self, name: &str, steps: usize) {
        self.0.lock().unwrap().push((name.to_owned(), steps, 0));
    }
    fn step(&self) {
        self.0.lock().unwrap().last_mut().unwrap().2 += 1;
    }
    fn begin(&self, _: &str, _: usize, _: usize) {}
    fn samples(&self, _: usize) {}
    fn tokens(&self, _: usize) {}
    fn end(&self) {}
}

#[test]
fn preparation_tells_its_phases_and_steps() {
    let scratch = scratch("", "c", "x", 3);
    let absolute = |name: &str| format!("'{}'", scratch.path().join(name).display());
    let text = config("choices", "tiny", "c", "")
        .replace("'data/rows.jsonl'", &absolute("data/rows.jsonl"))
        .replace("'models/tiny-llama-bos'", &absolute("models/tiny-llama-bos"));
    scratch.write("config.py", &text);
    let plan = RunPlan::load(&[scratch.path().join("config.py")], &[]).unwrap();
    let (now, heard) = (jiff::civil::date(2026, 1, 1).at(12, 0, 0, 0), Heard::default());
    prepare::check(&plan, None, Path::new("never-made"), now, &heard).unwrap();
    let phases = heard.0.into_inner().unwrap();
    let phase = |name: &str, steps| phases.iter().any(|it| *it == (name.to_owned(), steps, steps));
    assert!(phase("reading data sets", 2), "{phases:?}");
    assert!(phase("building prompts for tiny", 6), "{phases:?}");
}

#[test]
fn data_sets_and_the_engine_are_chosen_on_the_command_line() {
    let scratch = scratch(&config("choices", "tiny", "c", ""), "c", "x", 3);
    let names = |arguments: &[&str]| -> Vec<String> {
        let output =
            scratch.run(&[&["run", "config.py", "--json", "-w", "out"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
        let rows = outcome["results"].as_array().unwrap().iter();
        rows.map(|row| row["dataset"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--dataset", "choi"]), ["choices"]);
    assert_eq!(names(&["--dataset", "t*s", "--threads", "1"]), ["texts"]);
    let sizes = ["--batch-tokens", "16", "--kv-bytes", "10000000"];
    assert_eq!(
        names(&[&["--dataset", "texts", "--dataset", "choices"], &sizes[..]].concat()),
        ["choices", "texts"]
    );
    for (arguments, says) in [
        (["--dataset", "nowhere"], "there are: choices, texts"),
        (["--threads", "0"], "from 1"),
        (["--batch-tokens", "0"], "from 1"),
        (["--kv-bytes", "many"], "from 1"),
    ] {
        let output = scratch.run(&[&["run", "config.py"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_family_ends_in_two_lines() {
    let many = "datasets = [dict(choices, abbr=f'mmlu_subject_{i}') for i in range(22)] + [texts]";
    let text = config("choices", "tiny", "c", "").replace("datasets = [choices, texts]", many);
    let scratch = scratch(&text, "c", "x", 2);
    let table = |arguments: &[&str]| {
        let output = scratch.run(&[&["run", "config.py", "-w", "out"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let short = table(&[]);
    for says in
        ["mmlu_subject (weighted)", "mmlu_subject (plain)", "22 data sets of these families"]
    {
        assert!(short.contains(says), "{says} is not in\n{short}");
    }
    assert!(!short.contains("mmlu_subject_3"), "{short}");
    assert!(table(&["--all"]).contains("mmlu_subject_3"));

    let groups =
        "summarizer = dict(summary_groups=[dict(name='both', subsets=['first', 'second'])])\n";
    let two = "datasets = [dict(choices, abbr='first'), dict(choices, abbr='second')]";
    let text = config("choices", "tiny", "c", "").replace("datasets = [choices, texts]", two);
    scratch.write("config.py", &(text + groups));
    let grouped = table(&[]);
    for says in ["first ", "both (weighted)", "both (plain)"] {
        assert!(grouped.contains(says), "{says} is not in\n{grouped}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_says_what_is_kept_and_goes_on() {
    let long = "once upon a time there was a cat that went along the river ".repeat(3);
    let scratch = scratch(&config("choices", "tiny", "c", ""), "c", &long, 4000);
    // Different from the first word on, so that nothing is asked twice.
    let row = |index: usize| {
        let question = format!("{index} {long}");
        serde_json::json!({"question": question, "answer": "A", "c": "x"}).to_string() + "\n"
    };
    scratch.write("data/rows.jsonl", &(0..4000).map(row).collect::<String>());
    let run = ["run", "config.py", "-w", "out", "--threads", "1", "--batch-tokens", "64"];
    let child =
        scratch.command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let answers = || {
        let database = scratch.path().join("out/surprisal.db");
        let connection = rusqlite::Connection::open(database).ok()?;
        let count = "SELECT count(*) FROM answer";
        connection
            .query_row(count, [], |row| row.get::<_, u32>(0).map(|count| count as usize))
            .ok()
            .filter(|count| *count > 0)
    };
    let begun = Instant::now();
    while answers().is_none() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let stopped = said.lines().find(|line| line.starts_with("stopped: ")).expect(&said);
    assert!(
        stopped.ends_with("samples are answered and kept; repeat the command to go on"),
        "{said}"
    );
    let (counts, _) = stopped.rsplit_once(" samples are").unwrap();
    let (_, counts) = counts.rsplit_once(": ").unwrap();
    let (kept, of) = counts.split_once(" of ").unwrap();
    let count = |text: &str| text.replace(',', "").parse::<usize>().unwrap();
    assert_eq!(count(of), 8000);
    // Cut to the context, both data sets ask the same of a row: an answer may complete two samples.
    assert!(count(kept) > 0 && count(kept) <= 2 * answers().unwrap(), "{stopped}");
    // The same command starts from there; a small limit would be another run.
    let again = scratch.command(&run).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let output = again.wait_with_output().unwrap();
    assert!(stderr(&output).contains("answers were known"), "{}", stderr(&output));
}
