//! A config of the shape of OpenCompass's largest: one file that reads a hundred others, each of which
//! writes the data sets of a benchmark in loops over its subjects.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Files that are read.
const BENCHMARKS: usize = 100;
/// Data sets of each.
const SUBJECTS: usize = 5;

/// Writes the files to `folder`; gives the path of the one that reads the others.
pub(crate) fn write(folder: &Path) -> PathBuf {
    let datasets = folder.join("datasets");
    fs::create_dir_all(&datasets).expect("the target folder can be written");
    let mut collection =
        String::from("from mmengine.config import read_base\n\nwith read_base():\n");
    for benchmark in 0..BENCHMARKS {
        let name = format!("benchmark_{benchmark}");
        fs::write(datasets.join(format!("{name}.py")), file(&name))
            .expect("the folder can be written");
        writeln!(collection, "    from .datasets.{name} import {name}_datasets").expect(INFALLIBLE);
    }
    collection.push_str(
        "\ndatasets = sum([v for k, v in locals().items() if k.endswith('_datasets')], [])\n",
    );
    collection.push_str("summarizer = dict(summary_groups=[dict(name='all', subsets=[d['abbr'] for d in datasets])])\n");
    let path = folder.join("collection.py");
    fs::write(&path, collection).expect("the folder can be written");
    path
}

const INFALLIBLE: &str = "writing to a string cannot fail";

/// The data sets of one benchmark.
fn file(name: &str) -> String {
    let mut text = String::from(
        "from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_evaluator import AccEvaluator

",
    );
    writeln!(text, "{name}_subjects = [").expect(INFALLIBLE);
    for subject in 0..SUBJECTS {
        writeln!(text, "    'subject_number_{subject}',").expect(INFALLIBLE);
    }
    writeln!(
        text,
        "]

{name}_datasets = []
for _name in {name}_subjects:
    _hint = f'The following are multiple choice questions (with answers) about {{_name.replace(\"_\", \" \")}}.\\n\\n'
    _question = '{{input}}\\nA. {{A}}\\nB. {{B}}\\nC. {{C}}\\nD. {{D}}'
    _infer_cfg = dict(
        ice_template=dict(
            type=PromptTemplate,
            template={{answer: f'{{_question}}\\nAnswer: {{answer}}\\n' for answer in ['A', 'B', 'C', 'D']}}),
        prompt_template=dict(
            type=PromptTemplate,
            template={{
                answer: dict(
                    begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt=_hint), '</E>'],
                    round=[
                        dict(role='HUMAN', prompt=f'{{_hint}}{{_question}}\\nAnswer: '),
                        dict(role='BOT', prompt=answer),
                    ])
                for answer in ['A', 'B', 'C', 'D']
            }},
            ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[0, 1, 2, 3, 4]),
        inferencer=dict(type=PPLInferencer))
    {name}_datasets.append(
        dict(
            abbr=f'{name}_{{_name}}',
            type='MMLUDataset',
            path='opencompass/mmlu',
            name=_name,
            reader_cfg=dict(
                input_columns=['input', 'A', 'B', 'C', 'D'],
                output_column='target',
                train_split='dev'),
            infer_cfg=_infer_cfg,
            eval_cfg=dict(evaluator=dict(type=AccEvaluator))))
"
    )
    .expect(INFALLIBLE);
    text
}
