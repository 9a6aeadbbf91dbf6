//! Benchmarks whose candidates are texts.

use serde_json::json;

use super::{Asked, Ready, among, lines};

pub(super) fn all() -> Vec<Ready> {
    vec![arc_challenge(), hellaswag(), piqa(), truthfulqa(), gpqa(), blimp(), wikitext(), copa()]
}

/// Questions with three options under numbers, and with five under letters.
fn arc_challenge() -> Ready {
    let rows = [
        json!({"id": "1", "question": "Which is a bird?", "choices":
            {"text": ["wren", "newt", "carp"], "label": ["1", "2", "3"]}, "answerKey": "1"}),
        json!({"id": "2", "question": "Which melts?", "choices":
            {"text": ["rock", "salt", "sand", "ice", "{question}"], "label": ["A", "B", "C", "D", "E"]},
            "answerKey": "D"}),
    ];
    let first = "Question: Which is a bird?\nAnswer: ";
    let second = "Question: Which melts?\nAnswer: ";
    Ready {
        config: "arc_challenge",
        dataset: "arc_challenge",
        repository: "allenai/ai2_arc",
        files: vec![("ARC-Challenge/test-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            among(first, vec![("1", "wren"), ("2", "newt"), ("3", "carp")], 0),
            among(
                second,
                vec![
                    ("A", "rock"),
                    ("B", "salt"),
                    ("C", "sand"),
                    ("D", "ice"),
                    ("E", "{question}"),
                ],
                3,
            ),
        ],
    }
}

fn hellaswag() -> Ready {
    let row = json!({"ind": 4, "activity_label": "Baking", "ctx_a": "She mixes dough.", "ctx_b": "she",
        "ctx": "She mixes dough. she", "endings": ["swims.", "bakes it.", "reads.", "sails away."],
        "source_id": "x", "split": "val", "split_type": "indomain", "label": "1"});
    Ready {
        config: "hellaswag",
        dataset: "hellaswag",
        repository: "Rowan/hellaswag",
        files: vec![("data/validation-00000-of-00001.jsonl", lines(&[row]))],
        expected: vec![among(
            "Baking: She mixes dough. she ",
            vec![("0", "swims."), ("1", "bakes it."), ("2", "reads."), ("3", "sails away.")],
            1,
        )],
    }
}

fn piqa() -> Ready {
    let rows = [
        json!({"goal": "Dry a cup", "sol1": "Use a towel.", "sol2": "Use a river.", "label": 0}),
        json!({"goal": "Open a jar", "sol1": "Sing.", "sol2": "Turn its lid.", "label": 1}),
    ];
    Ready {
        config: "piqa",
        dataset: "piqa",
        repository: "baber/piqa",
        files: vec![("data/validation-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            among(
                "Goal: Dry a cup\nWay to reach it: ",
                vec![(0, "Use a towel."), (1, "Use a river.")],
                0,
            ),
            among(
                "Goal: Open a jar\nWay to reach it: ",
                vec![(0, "Sing."), (1, "Turn its lid.")],
                1,
            ),
        ],
    }
}

/// Rows with different numbers of wrong answers.
fn truthfulqa() -> Ready {
    let row = |question: &str, best: &str, wrong: &[&str]| {
        json!({"type": "Adversarial", "category": "Fiction", "question": question, "best_answer": best,
            "correct_answers": [best], "incorrect_answers": wrong, "source": "none"})
    };
    let rows = [
        row("Do cows fly?", "No", &["Yes", "At night"]),
        row("What is glass?", "A solid", &["A liquid", "A gas", "A metal"]),
    ];
    let labelled = |texts: &[&'static str]| texts.iter().map(|text| (*text, *text)).collect();
    Ready {
        config: "truthfulqa_mc1",
        dataset: "truthfulqa_mc1",
        repository: "truthfulqa/truthful_qa",
        files: vec![("generation/validation-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            among("Q: Do cows fly?\nA: ", labelled(&["No", "Yes", "At night"]), 0),
            among(
                "Q: What is glass?\nA: ",
                labelled(&["A solid", "A liquid", "A gas", "A metal"]),
                0,
            ),
        ],
    }
}

/// A card that names the tables, and quoted cells.
fn gpqa() -> Ready {
    let card = "---\nconfigs:\n- config_name: gpqa_main\n  data_files: gpqa_main.csv\n- config_name: gpqa_diamond\n  data_files: gpqa_diamond.csv\n---\n";
    let rows = "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Subdomain\n\
        \"How many, in all?\",7,8,9,\"10, or so\",Counting\n";
    let labelled = ["7", "8", "9", "10, or so"].map(|text| (text, text));
    Ready {
        config: "gpqa_diamond",
        dataset: "gpqa_diamond",
        repository: "Idavidrein/gpqa",
        files: vec![
            ("README.md", card.to_owned()),
            ("gpqa_diamond.csv", rows.to_owned()),
            ("gpqa_main.csv", rows.replace("in all", "at most")),
        ],
        expected: vec![among("Question: How many, in all?\nAnswer: ", labelled.to_vec(), 0)],
    }
}

fn blimp() -> Ready {
    let row = |good: &str, bad: &str| {
        json!({"sentence_good": good, "sentence_bad": bad, "field": "morphology", "UID": "passive_1",
            "pair_id": 0})
    };
    let rows = [row("The cat was seen.", "The cat was slept."), row("It was cut.", "It was ran.")];
    let pair = |good, bad| among("", vec![(good, good), (bad, bad)], 0);
    Ready {
        config: "blimp",
        dataset: "blimp_passive_1",
        repository: "nyu-mll/blimp",
        files: vec![("passive_1/train-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            pair("The cat was seen.", "The cat was slept."),
            pair("It was cut.", "It was ran."),
        ],
    }
}

fn wikitext() -> Ready {
    let page = " = Moss = \n\n Moss grows on rock . \n";
    Ready {
        config: "wikitext",
        dataset: "wikitext",
        repository: "EleutherAI/wikitext_document_level",
        files: vec![(
            "wikitext-2-raw-v1/test-00000-of-00001.jsonl",
            lines(&[json!({ "page": page })]),
        )],
        expected: vec![Asked::Text(page.to_owned())],
    }
}

fn copa() -> Ready {
    let row = json!({"premise": "The lamp went out.", "choice1": "It was noon.",
        "choice2": "The oil was used up.", "question": "cause", "idx": 0, "label": 1});
    Ready {
        config: "copa",
        dataset: "copa",
        repository: "aps/super_glue",
        files: vec![
            ("copa/validation-00000-of-00001.jsonl", lines(&[row])),
            ("boolq/validation-00000-of-00001.jsonl", lines(&[json!({"other": 1})])),
        ],
        expected: vec![among(
            "The lamp went out.\nQuestion: What was the cause?\nAnswer: ",
            vec![(0, "It was noon."), (1, "The oil was used up.")],
            1,
        )],
    }
}
