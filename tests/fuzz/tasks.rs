//! Task files: any text as YAML, files that include each other, and what is asked and scored of rows by them.

use std::{collections::BTreeMap, fs};

use proptest::prelude::*;
use serde_json::json;
use surprisal::tasks::{RequestOptions, Row, TaskIndex, TaskPlan};

use crate::{
    explore,
    grammar::{mutated, pieces},
    replay,
};

const SOURCES: &[&str] = &[
    "task: one\ndataset_path: json\ntest_split: test\noutput_type: multiple_choice\ndoc_to_text: \"Q: {{question}}\\nA:\"\ndoc_to_choice: \"{{choices}}\"\ndoc_to_target: answer\nmetric_list:\n  - metric: acc\n    aggregation: mean\n    higher_is_better: true\nmetadata: {version: 1.0}\n",
    "task: two\ntag: [some]\ndataset_path: json\nvalidation_split: test\nfewshot_split: train\nnum_fewshot: 2\noutput_type: generate_until\ndoc_to_text: !function utils.text\ndoc_to_target: \"{{answer}}\"\ngeneration_kwargs: {until: [\"\\n\"], temperature: 0}\nfilter_list:\n  - name: strict\n    filter:\n      - function: regex\n        regex_pattern: \"(\\\\d+)\"\n      - function: take_first\nmetric_list:\n  - {metric: exact_match, ignore_case: true}\n",
    "include: b.yaml\ntask: three\ndescription: \"{{question}} é\"\nfewshot_config: {sampler: first_n, samples: [{question: a, answer: 0, choices: [x, y]}]}\n",
    "group: all\ntask:\n  - one\n  - task: two\n    num_fewshot: 0\n  - group: inner\n    task: [three, some]\naggregate_metric_list:\n  - metric: acc\n    weight_by_size: true\n",
    "base: &b {test_split: test, output_type: loglikelihood}\ntask: four\n<<: *b\ndataset_path: json\ndoc_to_text: question\ndoc_to_target: ' {{choices[answer]}}'\n",
    "task: five\ndataset_path: json\ntest_split: test\noutput_type: loglikelihood_rolling\ndoc_to_text: ''\ndoc_to_target: \"{{question}}\"\nprocess_docs: !function utils.rows\n",
];

const PIECES: &[&str] = &[
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    ": ",
    "a",
    "é",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "'",
    "\"",
    "|\n",
    ">-\n  ",
    "? ",
    "&a ",
    "*a",
    "<<: ",
    "<<: *a",
    "!function ",
    "!!str ",
    "!x ",
    "--- ",
    "...\n",
    "# c\n",
    "%YAML 1.1\n",
    "~",
    "yes",
    "1",
    "-1",
    "1e3",
    "0x1F",
    "017",
    "1:30",
    "99999999999999999999",
    ".inf",
    "\t",
    "task: ",
    "task: one",
    "group: ",
    "tag: ",
    "include: a.yaml",
    "include: b.yaml",
    "include: [b.yaml, b.yaml]",
    "class: x",
    "dataset_path: json",
    "test_split: test",
    "validation_split: test",
    "fewshot_split: train",
    "num_fewshot: 1",
    "repeats: ",
    "output_type: ",
    "multiple_choice",
    "generate_until",
    "loglikelihood",
    "loglikelihood_rolling",
    "doc_to_text: ",
    "doc_to_target: ",
    "doc_to_choice: ",
    "description: ",
    "gen_prefix: ",
    "process_docs: ",
    "process_results: ",
    "utils.text",
    "utils.rows",
    "utils.loop",
    "utils.nothing",
    "question",
    "choices",
    "answer",
    "'{{question}}'",
    "'{{choices}}'",
    "filter_list:",
    "metric_list:",
    "metric: ",
    "acc",
    "exact_match",
    "aggregation: mean",
    "name: x",
    "filter:",
    "function: regex",
    "regex_pattern: ",
    "'(a|b'",
    "group_select: -1",
    "function: take_first",
    "function: majority_vote",
    "generation_kwargs: ",
    "until: ",
    "fewshot_config: ",
    "sampler: first_n",
    "samples: ",
    "fewshot_indices: [0]",
    "metadata: ",
    "aggregate_metric_list:",
    "weight_by_size: true",
    "dataset_kwargs: ",
    "custom_dataset: ",
    "target_delimiter: ",
    "fewshot_delimiter: ",
];

/// The functions that the files name.
const UTILS: &str = "def text(doc):\n    return doc['question']\n\n\ndef rows(dataset):\n    return dataset.map(lambda doc: {'question': doc['question'] * 2})\n\n\ndef loop(doc):\n    doc['loop'] = doc\n    return doc\n";

#[test]
fn task_files_end_in_requests_or_errors() {
    replay("tasks", |source| ask(source, SOURCES[0]));
    let source = || prop_oneof![2 => pieces(PIECES, 40), 3 => mutated(SOURCES)];
    explore((source(), source()), |(main, included)| ask(main, included));
}

fn ask(main: &str, included: &str) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.yaml", main), ("b.yaml", included), ("utils.py", UTILS)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let index = TaskIndex::read(folder.path()).unwrap();
    let row = |number: usize| {
        let row =
            json!({"question": format!("a {number}"), "choices": ["x", "y"], "answer": number % 2});
        row.as_object().cloned().unwrap()
    };
    let rows: Vec<Row> = (0..4).map(row).collect();
    let splits: BTreeMap<String, Vec<Row>> =
        [("test".to_owned(), rows.clone()), ("train".to_owned(), rows)].into();
    for (name, _) in index.iter() {
        match index.select(name) {
            Ok(members) => {
                for task in members.iter().flat_map(|member| member.tasks()) {
                    ask_rows(task, &index, &splits);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn ask_rows(task: &TaskPlan, index: &TaskIndex, splits: &BTreeMap<String, Vec<Row>>) {
    let _ = task.scoring(Some(index.functions())).map(|scoring| scoring.notes().len());
    if task.check_requests().is_err() {
        return;
    }
    let asked = task.rows(splits).and_then(|rows| task.requests(&rows, &RequestOptions::default()));
    match asked {
        Ok(requests) => assert!(requests.iter().all(|request| request.document < 4)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
