//! Benchmarks whose answers are written.

use serde_json::{Value as Json, json};

use super::{Asked, Ready, lines};

pub(super) fn all() -> Vec<Ready> {
    vec![mmlu_gen(), arc_challenge_gen(), mmlu_pro(), nq_open(), gsm8k(), bbh(), mgsm()]
}

fn onward(prompt: impl Into<String>, compared_gold: impl Into<Json>) -> Asked {
    Asked::Onward { prompt: prompt.into(), compared_gold: compared_gold.into() }
}

fn mmlu_gen() -> Ready {
    let row = json!({"question": "Where is the lobe?", "subject": "anatomy",
        "choices": ["foot", "hand", "ear", "hip"], "answer": 2});
    let prompt = "Which answer is right? Reply with its letter alone.\n\nWhere is the lobe?\n\
        A. foot\nB. hand\nC. ear\nD. hip\n\nAnswer:";
    Ready {
        config: "mmlu_gen",
        dataset: "mmlu_gen_anatomy",
        repository: "cais/mmlu",
        files: vec![("anatomy/test-00000-of-00001.jsonl", lines(&[row]))],
        expected: vec![onward(prompt, 2)],
    }
}

fn arc_challenge_gen() -> Ready {
    let rows = [
        json!({"id": "1", "question": "Which is a bird?", "choices":
            {"text": ["wren", "newt", "carp"], "label": ["1", "2", "3"]}, "answerKey": "1"}),
        json!({"id": "2", "question": "Which melts?", "choices":
            {"text": ["rock", "salt", "sand", "ice"], "label": ["A", "B", "C", "D"]}, "answerKey": "D"}),
    ];
    let head = "Which answer is right? Reply with its label alone.\n\n";
    Ready {
        config: "arc_challenge_gen",
        dataset: "arc_challenge_gen",
        repository: "allenai/ai2_arc",
        files: vec![("ARC-Challenge/test-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            onward(format!("{head}Which is a bird?\n1. wren\n2. newt\n3. carp\n\nAnswer:"), "1"),
            onward(
                format!("{head}Which melts?\nA. rock\nB. salt\nC. sand\nD. ice\n\nAnswer:"),
                "D",
            ),
        ],
    }
}

/// Rows with different numbers of options.
fn mmlu_pro() -> Ready {
    let row = |options: &[&str], answer: &str, index: usize| {
        json!({"question_id": 1, "question": "Which is round?", "options": options, "answer": answer,
            "answer_index": index, "cot_content": "", "category": "math", "src": "x"})
    };
    let rows = [row(&["ring", "rod", "box"], "A", 0), row(&["rod", "ball"], "B", 1)];
    let head = "Which answer is right? Think step by step, then end with \"The answer is (X)\", where X is its letter.\n\n\
        Which is round?\n";
    Ready {
        config: "mmlu_pro",
        dataset: "mmlu_pro",
        repository: "TIGER-Lab/MMLU-Pro",
        files: vec![("data/test-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            onward(format!("{head}A. ring\nB. rod\nC. box"), "A"),
            onward(format!("{head}A. rod\nB. ball"), "B"),
        ],
    }
}

fn nq_open() -> Ready {
    let train: Vec<Json> = (0..5)
        .map(|n| json!({"question": format!("what is {n}"), "answer": ["a number", "it"]}))
        .collect();
    let test = json!({"question": "who wrote it", "answer": ["Ada", "Ada Bo"]});
    let example = |n| format!("Q: what is {n}?\nA: a number\n\n");
    let examples = (0..5).map(example).collect::<Vec<_>>().concat();
    Ready {
        config: "nq_open",
        dataset: "nq_open",
        repository: "google-research-datasets/nq_open",
        files: vec![
            ("nq_open/train-00000-of-00001.jsonl", lines(&train)),
            ("nq_open/validation-00000-of-00001.jsonl", lines(&[test])),
        ],
        expected: vec![onward(format!("{examples}Q: who wrote it?\nA:"), "['Ada', 'Ada Bo']")],
    }
}

/// The gold is what follows the mark, without commas.
fn gsm8k() -> Ready {
    let row = |a: usize| json!({"question": format!("What is {a} and 1?"), "answer": format!("It is more.\n#### {}", a + 1)});
    let train: Vec<Json> = (0..5).map(row).collect();
    let test = json!({"question": "What is 600 and 604?", "answer": "Add them.\n#### 1,204"});
    let example =
        |a| format!("Question: What is {a} and 1?\nAnswer: It is more.\n#### {}\n\n", a + 1);
    let examples = (0..5).map(example).collect::<Vec<_>>().concat();
    Ready {
        config: "gsm8k",
        dataset: "gsm8k",
        repository: "openai/gsm8k",
        files: vec![
            ("main/train-00000-of-00001.jsonl", lines(&train)),
            ("main/test-00000-of-00001.jsonl", lines(&[test])),
        ],
        expected: vec![onward(
            format!("{examples}Question: What is 600 and 604?\nAnswer:"),
            "1204",
        )],
    }
}

fn bbh() -> Ready {
    let row = json!({"input": "not True is", "target": "False"});
    let prompt = "not True is\n\nThink step by step, then end with \"So the answer is X.\", where X is the answer alone.";
    Ready {
        config: "bbh",
        dataset: "bbh_boolean_expressions",
        repository: "SaylorTwift/bbh",
        files: vec![("boolean_expressions/test-00000-of-00001.jsonl", lines(&[row]))],
        expected: vec![onward(prompt, "False")],
    }
}

fn mgsm() -> Ready {
    let row = json!({"question": "Was ist 2 und 2?", "answer": null, "answer_number": 4,
        "equation_solution": "2+2=4"});
    let prompt = "Was ist 2 und 2?\n\nThink step by step, then end with the answer as a number without commas.";
    Ready {
        config: "mgsm",
        dataset: "mgsm_de",
        repository: "jbross-ibm-research/mgsm",
        files: vec![("de/test-00000-of-00001.jsonl", lines(&[row]))],
        expected: vec![onward(prompt, 4)],
    }
}
