//! Data sets of the shape of MMLU: 57 subjects, 14,000 questions, four options, five examples.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::english::{Draw, Prose};

/// Subjects.
pub(crate) const SUBJECTS: usize = 57;
/// Questions of all subjects.
pub(crate) const QUESTIONS: usize = 14_000;

/// Writes the rows and a config of the first `subjects` subjects to `folder`; gives the config's path.
pub(crate) fn write(folder: &Path, prose: &Prose, subjects: usize) -> PathBuf {
    let config = folder.join(format!("mmlu_{subjects}.py"));
    for subject in 0..subjects {
        let rows = folder.join(format!("subject_{subject}"));
        if !rows.join("test.jsonl").exists() {
            fs::create_dir_all(&rows).expect("the target folder can be written");
            let questions = QUESTIONS / SUBJECTS + usize::from(subject < QUESTIONS % SUBJECTS);
            let mut draw = Draw::new(100 + subject as u64);
            for (split, count) in [("train", 5), ("test", questions)] {
                let lines: String = (0..count).map(|_| row(prose, &mut draw)).collect();
                fs::write(rows.join(format!("{split}.jsonl")), lines)
                    .expect("the folder can be written");
            }
        }
    }
    fs::write(&config, python(subjects)).expect("the folder can be written");
    config
}

/// One question: as long as MMLU's are.
fn row(prose: &Prose, draw: &mut Draw) -> String {
    let words = 8 + draw.below(20) + [0, 0, 0, 0, 40, 90][draw.below(6)];
    let mut option = || {
        let words = 1 + draw.below(14);
        prose.words(draw, words)
    };
    let options = [option(), option(), option(), option()];
    let [a, b, c, d] = options;
    let input = prose.words(draw, words) + "?";
    let target = ["A", "B", "C", "D"][draw.below(4)];
    format!("{}\n", json!({"input": input, "A": a, "B": b, "C": c, "D": d, "target": target}))
}

/// OpenCompass's config for MMLU by perplexity.
fn python(subjects: usize) -> String {
    let mut config = String::from("datasets = []\n");
    for subject in 0..subjects {
        let hint = format!(
            "The following are multiple choice questions (with answers) about subject {subject}.\\n\\n"
        );
        writeln!(
            config,
            "datasets.append(dict(abbr='mmlu_{subject}', path='subject_{subject}',
    reader_cfg=dict(input_columns=['input', 'A', 'B', 'C', 'D'], output_column='target', train_split='train', test_split='test'),
    infer_cfg=dict(
        ice_template=dict(type='PromptTemplate', template={{opt:
            f'{{{{input}}}}\\nA. {{{{A}}}}\\nB. {{{{B}}}}\\nC. {{{{C}}}}\\nD. {{{{D}}}}\\nAnswer: {{opt}}\\n' for opt in ['A', 'B', 'C', 'D']}}),
        prompt_template=dict(type='PromptTemplate', template={{opt:
            f'{hint}</E>{{{{input}}}}\\nA. {{{{A}}}}\\nB. {{{{B}}}}\\nC. {{{{C}}}}\\nD. {{{{D}}}}\\nAnswer: {{opt}}' for opt in ['A', 'B', 'C', 'D']}}, ice_token='</E>'),
        retriever=dict(type='FixKRetriever', fix_id_list=[0, 1, 2, 3, 4]),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator'))))"
        )
        .expect("writing to a string cannot fail");
    }
    config
}
