//! Whatever is fed in: one clear message that names the place, exit code 2, no panic, and before the
//! weights are read wherever it can be known before.

use std::fs;

use super::scratch::{Scratch, stderr};

/// A config that works; cases replace parts of it.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, FixKRetriever, PPLInferencer, GenInferencer, AccEvaluator
ppl = dict(
    abbr='choices',
    path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template={'A': '{question} yes', 'B': '{question} no'}),
        prompt_template=dict(type=PromptTemplate, template={'A': '</E>{question} yes', 'B': '</E>{question} no'}, ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[0]),
        inferencer=dict(type=PPLInferencer)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))
gen = dict(
    abbr='words',
    path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template=dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=GenInferencer, max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator), pred_postprocessor=dict(type='first_capital')))
datasets = [ppl, gen]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64,
    meta_template=dict(round=[dict(role='HUMAN', begin='H: '), dict(role='BOT', begin='B: ', generate=True)]))]
";

const ROWS: &str = "{\"question\": \"the cat\", \"answer\": \"A\"}\n{\"question\": \"the dog\", \"answer\": \"B\"}\n";

/// What is wrong and what the message must say.
struct Case {
    name: &'static str,
    /// Replacements in the config.
    config: &'static [(&'static str, &'static str)],
    /// Files to write over, after the config.
    files: &'static [(&'static str, &'static str)],
    /// More arguments.
    arguments: &'static [&'static str],
    /// Parts of the message.
    says: &'static [&'static str],
}

const GOOD: Case = Case { name: "", config: &[], files: &[], arguments: &[], says: &[] };

const CASES: &[Case] = &[
    Case {
        name: "unknown name of a chat template",
        config: &[(
            "HuggingFaceCausalLM, abbr",
            "'HuggingFacewithChatTemplate', chat_template_name='rag', abbr",
        )],
        says: &["config.py:", "chat_template_name", "there is no chat template named `rag`"],
        ..GOOD
    },
    Case {
        name: "syntax error",
        config: &[("datasets = [ppl, gen]", "datasets = [ppl, gen")],
        says: &["config.py:"],
        ..GOOD
    },
    Case {
        name: "undefined name",
        config: &[("datasets = [ppl, gen]", "datasets = [pppl]")],
        says: &["config.py:22", "pppl"],
        ..GOOD
    },
    Case {
        name: "missing base",
        config: &[("datasets =", "with read_base():\n    from .nowhere import x\ndatasets =")],
        says: &["config.py", "nowhere"],
        ..GOOD
    },
    Case {
        name: "no models",
        config: &[("models =", "other =")],
        says: &["config.py", "no model"],
        ..GOOD
    },
    Case {
        name: "no data sets",
        config: &[("datasets =", "other =")],
        says: &["config.py", "no data set"],
        ..GOOD
    },
    Case {
        name: "datasets is not a list",
        config: &[("datasets = [ppl, gen]", "datasets = 'ppl'")],
        says: &["config.py:22", "list"],
        ..GOOD
    },
    Case {
        name: "unknown model type",
        config: &[("dict(type=HuggingFaceCausalLM", "dict(type='HuggingFaceCausalML'")],
        says: &["config.py:23", "HuggingFaceCausalML", "HuggingFaceCausalLM"],
        ..GOOD
    },
    Case {
        name: "missing checkpoint",
        config: &[("models/tiny-llama-bos", "models/tiny-lama-bos")],
        says: &["tiny", "models/tiny-lama-bos"],
        ..GOOD
    },
    Case {
        name: "unknown retriever",
        config: &[("type=ZeroRetriever", "type='ZeroRetreiver'")],
        says: &["config.py:19", "ZeroRetreiver", "ZeroRetriever"],
        ..GOOD
    },
    Case {
        name: "unknown inferencer",
        config: &[("type=PPLInferencer", "type='PPLInferrencer'")],
        says: &["config.py:11", "PPLInferrencer", "PPLInferencer"],
        ..GOOD
    },
    Case {
        name: "unknown evaluator",
        config: &[("dict(type=AccEvaluator), pred", "dict(type='AcEvaluator'), pred")],
        says: &["config.py:21", "AcEvaluator", "AccEvaluator"],
        ..GOOD
    },
    Case {
        name: "unknown post-processor",
        config: &[("'first_capital'", "'first_capitol'")],
        says: &["config.py:21", "first_capitol", "first_capital"],
        ..GOOD
    },
    Case {
        name: "unknown key",
        config: &[(
            "reader_cfg=dict(input_columns=['question'], output_column='answer'),\n    infer_cfg=dict(\n        ice",
            "reader_cfg=dict(input_columns=['question'], output_colum='answer'),\n    infer_cfg=dict(\n        ice",
        )],
        says: &["config.py:6", "reader_cfg", "output_colum", "output_column"],
        ..GOOD
    },
    Case {
        name: "wrong type of value",
        config: &[("fix_id_list=[0]", "fix_id_list='0'")],
        says: &["config.py:10", "fix_id_list"],
        ..GOOD
    },
    Case {
        name: "missing required part",
        config: &[("retriever=dict(type=ZeroRetriever),", "")],
        says: &["config.py", "retriever"],
        ..GOOD
    },
    Case {
        name: "missing data file",
        config: &[(
            "path='data/rows.jsonl',\n    reader_cfg=dict(input_columns=['question'], output_column='answer'),\n    infer_cfg=dict(\n        ice",
            "path='data/raws.jsonl',\n    reader_cfg=dict(input_columns=['question'], output_column='answer'),\n    infer_cfg=dict(\n        ice",
        )],
        says: &["choices", "data/raws.jsonl"],
        ..GOOD
    },
    Case {
        name: "malformed row",
        files: &[(
            "data/rows.jsonl",
            "{\"question\": \"a\", \"answer\": \"A\"}\n{\"question\": \n",
        )],
        says: &["rows.jsonl", "line 2"],
        ..GOOD
    },
    Case {
        name: "empty data set",
        files: &[("data/rows.jsonl", "")],
        says: &["rows.jsonl", "empty"],
        ..GOOD
    },
    Case {
        name: "not UTF-8",
        config: &[("data/rows.jsonl", "models/tiny-llama-bos/model.safetensors")],
        says: &["model.safetensors"],
        ..GOOD
    },
    Case {
        name: "missing input column",
        config: &[("input_columns=['question']", "input_columns=['qestion']")],
        says: &["choices", "qestion", "question"],
        ..GOOD
    },
    Case {
        name: "missing output column",
        config: &[("output_column='answer'", "output_column='gold'")],
        says: &["choices", "gold", "answer"],
        ..GOOD
    },
    Case {
        name: "bad range",
        config: &[("output_column='answer')", "output_column='answer', test_range='[:')")],
        says: &["choices", "test_range"],
        ..GOOD
    },
    Case {
        name: "no row left",
        config: &[("output_column='answer')", "output_column='answer', test_range='[2:]')")],
        says: &["choices", "no test sample"],
        ..GOOD
    },
    Case {
        name: "example without template",
        config: &[
            ("'B': '{question} no'}),", "'C': '{question} no'}),"),
            ("fix_id_list=[0]", "fix_id_list=[1]"),
        ],
        says: &["choices", "label B"],
        ..GOOD
    },
    Case {
        name: "example out of range",
        config: &[("fix_id_list=[0]", "fix_id_list=[7]")],
        says: &["choices", "7"],
        ..GOOD
    },
    Case {
        name: "ice_token not in template",
        config: &[("'B': '</E>{question} no'", "'B': '{question} no'")],
        says: &["config.py:9", "</E>"],
        ..GOOD
    },
    Case {
        name: "template of the wrong kind",
        config: &[(
            "template=dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])",
            "template=['{question}']",
        )],
        says: &["config.py:18", "template"],
        ..GOOD
    },
    Case {
        name: "one candidate only",
        config: &[(
            "{'A': '</E>{question} yes', 'B': '</E>{question} no'}",
            "{'A': '</E>{question} yes'}",
        )],
        says: &["choices", "candidates"],
        ..GOOD
    },
    Case {
        name: "unknown role",
        config: &[(
            "dict(role='HUMAN', prompt='{question}')",
            "dict(role='USER', prompt='{question}')",
        )],
        says: &["words", "USER", "HUMAN"],
        ..GOOD
    },
    Case {
        name: "misspelt key of a turn",
        config: &[(
            "dict(role='HUMAN', prompt='{question}')",
            "dict(role='HUMAN', promt='{question}')",
        )],
        says: &["config.py:18", "promt", "prompt"],
        ..GOOD
    },
    Case {
        name: "unknown template type",
        config: &[(
            "dict(type=PromptTemplate, template=dict(",
            "dict(type='PromptTemplat', template=dict(",
        )],
        says: &["config.py:18", "PromptTemplat", "PromptTemplate"],
        ..GOOD
    },
    Case {
        name: "no room for a prompt",
        config: &[("max_out_len=4", "max_out_len=64")],
        says: &["words", "max_out_len"],
        ..GOOD
    },
    Case {
        name: "two entries of one name",
        config: &[("abbr='words'", "abbr='choices'")],
        says: &["config.py", "choices"],
        ..GOOD
    },
    Case {
        name: "corrupt weights",
        files: &[("models/tiny-llama-bos/model.safetensors", "not a checkpoint")],
        says: &["tiny", "model.safetensors"],
        ..GOOD
    },
    Case {
        name: "unknown architecture",
        files: &[("models/tiny-llama-bos/config.json", "{\"model_type\": \"perceiver\"}")],
        says: &["tiny", "config.json", "perceiver"],
        ..GOOD
    },
    Case {
        name: "broken config.json",
        files: &[("models/tiny-llama-bos/config.json", "{")],
        says: &["tiny", "config.json"],
        ..GOOD
    },
    Case {
        name: "broken tokenizer",
        files: &[("models/tiny-llama-bos/tokenizer.json", "{}")],
        says: &["tiny", "tokenizer.json"],
        ..GOOD
    },
    Case {
        name: "device that is not built in",
        arguments: &["--device", "cuda"],
        says: &["cuda"],
        ..GOOD
    },
    Case { name: "unknown device", arguments: &["--device", "tpu"], says: &["tpu"], ..GOOD },
    Case {
        name: "work folder is a file",
        arguments: &["-w", "config.py"],
        says: &["config.py"],
        ..GOOD
    },
];

fn scratch(case: &Case) -> Scratch {
    let scratch = Scratch::new();
    let mut config = CONFIG.to_owned();
    for (from, to) in case.config {
        assert!(config.contains(from), "{}: nothing to replace for {from:?}", case.name);
        config = config.replace(from, to);
    }
    scratch.write("config.py", &config);
    scratch.write("data/rows.jsonl", ROWS);
    for (name, text) in case.files {
        scratch.write(name, text);
    }
    scratch
}

#[test]
fn the_config_of_the_cases_works() {
    let scratch = scratch(&GOOD);
    let output = scratch.run(&["run", "config.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn bad_input_is_told_and_costs_exit_code_two() {
    let mut failures = Vec::new();
    for case in CASES {
        let scratch = scratch(case);
        let output = scratch.run(&[&["run", "config.py"], case.arguments].concat());
        let message = stderr(&output);
        let missing: Vec<_> = case.says.iter().filter(|part| !message.contains(**part)).collect();
        if output.status.code() != Some(2) || !missing.is_empty() || message.contains("panicked") {
            failures.push(format!(
                "{}: exit {:?}, lacks {missing:?} in:\n{message}",
                case.name,
                output.status.code()
            ));
        }
        println!("{}: {}", case.name, message.lines().last().unwrap_or(""));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(CASES.len() >= 20);
}

#[test]
fn a_missing_config_is_told() {
    let output = Scratch::new().run(&["run", "nowhere.py"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nowhere.py"), "{}", stderr(&output));
}

#[test]
fn samples_that_fail_cost_exit_code_one_and_are_named() {
    let scratch = scratch(&GOOD);
    let weights = scratch.path().join("models/tiny-llama-bos/model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    let half = bytes.len() / 2;
    // All ones is a NaN in every float format.
    bytes[half..].fill(0xff);
    fs::write(&weights, bytes).unwrap();
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("samples without an answer: 4"), "{message}");
    let samples = scratch.export("out", "samples");
    assert!(samples[0]["error"].as_str().unwrap().contains("not finite"), "{samples:?}");
}

#[test]
fn a_doubled_bos_is_told() {
    let case = Case {
        config: &[("meta_template=dict(round=", "meta_template=dict(begin='<s>', round=")],
        ..GOOD
    };
    let output = scratch(&case).run(&["run", "config.py"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output)
            .contains("(data set words, model tiny, sample 0): the prompt begins with two BOS"),
        "{}",
        stderr(&output)
    );
    let chat = Case {
        config: &[
            ("HuggingFaceCausalLM, abbr", "'HuggingFacewithChatTemplate', abbr"),
            (
                "    meta_template=dict(round=[dict(role='HUMAN', begin='H: '), dict(role='BOT', begin='B: ', generate=True)])",
                "    chat_template='{{ bos_token + bos_token }}{{ messages[0].content }}'",
            ),
        ],
        ..GOOD
    };
    let output = scratch(&chat).run(&["run", "config.py"]);
    assert!(
        stderr(&output).contains("two BOS tokens; none is the tokenizer's"),
        "{}",
        stderr(&output)
    );
    let output = scratch(&GOOD).run(&["run", "config.py"]);
    assert!(!stderr(&output).contains("two BOS"), "{}", stderr(&output));
}
