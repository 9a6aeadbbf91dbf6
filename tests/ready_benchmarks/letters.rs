//! Benchmarks whose candidates are letters or single words.

use serde_json::{Value as Json, json};

use super::{Ready, among, lines};

pub(super) fn all() -> Vec<Ready> {
    vec![mmlu(), commonsense_qa(), winogrande(), boolq(), medqa(), belebele()]
}

const LETTERS: [&str; 5] = ["A", "B", "C", "D", "E"];

/// The first so many letters as answers to labels.
fn letters(labels: Vec<Json>) -> Vec<(Json, &'static str)> {
    labels.into_iter().zip(LETTERS).collect()
}

/// Five examples before each question; golds are places.
fn mmlu() -> Ready {
    let row = |question: String, answer: usize| {
        json!({"question": question, "subject": "anatomy", "choices": ["foot", "hand", "ear", "hip"],
            "answer": answer})
    };
    let dev: Vec<Json> = (0..5).map(|n| row(format!("Example {n}?"), n % 4)).collect();
    let test = [row("Where is the sole?".to_owned(), 0), row("Where is the lobe?".to_owned(), 2)];
    let options = "A. foot\nB. hand\nC. ear\nD. hip\nAnswer: ";
    let start = format!(
        "Questions about anatomy, each with four options and its answer.\n\n\
         Example 0?\n{options}A\n\nExample 1?\n{options}B\n\nExample 2?\n{options}C\n\n\
         Example 3?\n{options}D\n\nExample 4?\n{options}A\n\n"
    );
    let places = || letters((0..4).map(Json::from).collect());
    Ready {
        config: "mmlu",
        dataset: "mmlu_anatomy",
        repository: "cais/mmlu",
        files: vec![
            ("anatomy/dev-00000-of-00001.jsonl", lines(&dev)),
            ("anatomy/test-00000-of-00001.jsonl", lines(&test)),
            ("virology/test-00000-of-00001.jsonl", lines(&test)),
        ],
        expected: vec![
            among(&format!("{start}Where is the sole?\n{options}"), places(), 0),
            among(&format!("{start}Where is the lobe?\n{options}"), places(), 2),
        ],
    }
}

fn commonsense_qa() -> Ready {
    let row = |question: String, answer: &str| {
        json!({"id": "x", "question": question, "question_concept": "x", "choices":
            {"label": LETTERS, "text": ["bed", "sea", "oven", "wood", "moon"]}, "answerKey": answer})
    };
    let train: Vec<Json> = (0..5).map(|n| row(format!("Example {n}?"), LETTERS[n])).collect();
    let test = [row("Where do whales live?".to_owned(), "B")];
    let options = "A. bed\nB. sea\nC. oven\nD. wood\nE. moon\nAnswer: ";
    let start = format!(
        "Question: Example 0?\n{options}A\n\nQuestion: Example 1?\n{options}B\n\n\
         Question: Example 2?\n{options}C\n\nQuestion: Example 3?\n{options}D\n\n\
         Question: Example 4?\n{options}E\n\nQuestion: Where do whales live?\n{options}"
    );
    Ready {
        config: "commonsense_qa",
        dataset: "commonsense_qa",
        repository: "tau/commonsense_qa",
        files: vec![
            ("data/train-00000-of-00001.jsonl", lines(&train)),
            ("data/validation-00000-of-00001.jsonl", lines(&test)),
        ],
        expected: vec![among(&start, letters(LETTERS.map(Json::from).to_vec()), 1)],
    }
}

fn winogrande() -> Ready {
    let row = |sentence: &str, answer: &str| json!({"sentence": sentence, "option1": "Ada", "option2": "Bo", "answer": answer});
    let train: Vec<Json> = (0..5).map(|_| row("_ sang, Bo slept.", "1")).collect();
    let test = [row("Ada slept, _ sang.", "2")];
    let asked = "Question: Who or what is meant by the gap _?\nAnswer:";
    let example = format!("Sentence: _ sang, Bo slept.\n{asked} Ada\n\n");
    let start = format!("{}Sentence: Ada slept, _ sang.\n{asked} ", example.repeat(5));
    Ready {
        config: "winogrande",
        dataset: "winogrande",
        repository: "allenai/winogrande",
        files: vec![
            ("winogrande_xl/train-00000-of-00001.jsonl", lines(&train)),
            ("winogrande_xl/validation-00000-of-00001.jsonl", lines(&test)),
        ],
        expected: vec![among(&start, vec![("1", "Ada"), ("2", "Bo")], 1)],
    }
}

fn boolq() -> Ready {
    let row = |question: &str, label: usize| json!({"question": question, "passage": "Moss grows on rock.", "idx": 0, "label": label});
    let rows = [row("does moss swim", 0), row("does moss grow", 1)];
    let start = "Moss grows on rock.\nQuestion: ";
    let words = || vec![(0, "no"), (1, "yes")];
    Ready {
        config: "boolq",
        dataset: "boolq",
        repository: "aps/super_glue",
        files: vec![("boolq/validation-00000-of-00001.jsonl", lines(&rows))],
        expected: vec![
            among(&format!("{start}does moss swim?\nAnswer: "), words(), 0),
            among(&format!("{start}does moss grow?\nAnswer: "), words(), 1),
        ],
    }
}

/// Options in a record.
fn medqa() -> Ready {
    let row = json!({"question": "What helps?", "answer": "rest", "meta_info": "step1", "answer_idx": "C",
        "options": {"A": "ink", "B": "mud", "C": "rest", "D": "fog"}});
    let start = "Question: What helps?\nA. ink\nB. mud\nC. rest\nD. fog\nAnswer: ";
    Ready {
        config: "medqa",
        dataset: "medqa",
        repository: "GBaker/MedQA-USMLE-4-options",
        files: vec![("phrases_no_exclude_test.jsonl", lines(&[row]))],
        expected: vec![among(start, letters(LETTERS[..4].iter().map(|&l| l.into()).collect()), 2)],
    }
}

/// A card that names a file for each language; golds count from 1.
fn belebele() -> Ready {
    let card = "---\nconfigs:\n- config_name: deu_Latn\n  data_files:\n  - split: test\n    path: data/deu_Latn.jsonl\n\
        - config_name: fra_Latn\n  data_files:\n  - split: test\n    path: data/fra_Latn.jsonl\n---\n";
    let row = json!({"link": "x", "question_number": 1, "flores_passage": "Moos wächst.",
        "question": "Was wächst?", "mc_answer1": "Eis", "mc_answer2": "Stein", "mc_answer3": "Sand",
        "mc_answer4": "Moos", "correct_answer_num": "4", "dialect": "deu_Latn", "ds": "2023-05-03"});
    let start =
        "Moos wächst.\n\nQuestion: Was wächst?\nA. Eis\nB. Stein\nC. Sand\nD. Moos\nAnswer: ";
    Ready {
        config: "belebele",
        dataset: "belebele_deu_Latn",
        repository: "facebook/belebele",
        files: vec![("README.md", card.to_owned()), ("data/deu_Latn.jsonl", lines(&[row]))],
        expected: vec![among(start, letters(["1", "2", "3", "4"].map(Json::from).to_vec()), 3)],
    }
}
