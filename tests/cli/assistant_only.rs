//! `assistant_only`: the same text, scored once as a whole and once where the assistant speaks.

use std::{fs, path::Path};

use serde_json::Value as Json;
use surprisal::model::Checkpoint;

use crate::scratch::{Scratch, stderr};

const CONFIG: &str = r"
reader = dict(input_columns=['question', 'answer', 'thanks', 'reply'], output_column=None)
template = dict(type='PromptTemplate', template=dict(round=[
    dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}'),
    dict(role='HUMAN', prompt='{thanks}'), dict(role='BOT', prompt='{reply}')]))
datasets = [
    dict(abbr=abbr, path='rows.jsonl', reader_cfg=reader, infer_cfg=dict(
        prompt_template=template, retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='PPLOnlyInferencer', assistant_only=abbr == 'assistant')),
        eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))
    for abbr in ['whole', 'assistant']
]
marked = '''{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' }}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}'''
pocket = dict(type='HuggingFacewithChatTemplate', path='POCKET')
models = [dict(**pocket, abbr='own'), dict(**pocket, abbr='marked', chat_template=marked)]
";

const ROWS: [[&str; 4]; 2] = [
    ["What is red?", "An apple is.", "Thanks!", "You are welcome."],
    ["é?", "Ünï — ok", "And?", "é?"],
];

#[test]
fn the_assistants_words_score_as_they_do_in_the_whole() {
    let pocket = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pocket");
    let scratch = Scratch::new();
    scratch.write("config.py", &CONFIG.replace("POCKET", &pocket.to_string_lossy()));
    let rows = ROWS.map(|[question, answer, thanks, reply]| {
        serde_json::json!({"question": question, "answer": answer, "thanks": thanks, "reply": reply})
            .to_string()
    });
    scratch.write("rows.jsonl", &rows.join("\n"));
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = scratch.only_run("out");
    let checkpoint = Checkpoint::open_folder(&pocket).unwrap();
    // Without marks, what closes an answer is the assistant's too.
    for (model, closing) in [("own", "<|im_end|>\n"), ("marked", "")] {
        let [whole, assistant] = ["whole", "assistant"].map(|name| candidates(&run, model, name));
        for ((whole, assistant), row) in whole.iter().zip(&assistant).zip(ROWS) {
            assert_eq!(whole["testing_input"], assistant["testing_input"]);
            assert_eq!(whole["nlls"], assistant["nlls"]);
            assert!(whole.get("counted").is_none());
            let text = whole["testing_input"].as_str().unwrap();
            let tokens = checkpoint.tokenizer().encode_with_spans(text, false).unwrap();
            let nlls = whole["nlls"].as_array().unwrap();
            assert_eq!(nlls.len() + 1, tokens.len());
            let (mut sum, mut said, mut counted) = (0.0, Vec::new(), 0);
            for range in assistant["counted"]["ranges"].as_array().unwrap() {
                let end = |side: &str| usize::try_from(range[side].as_u64().unwrap()).unwrap();
                let (start, end) = (end("start"), end("end"));
                // The first token has no surprisal, so they begin with the second one's.
                sum +=
                    nlls[start - 1..end - 1].iter().map(|nll| nll.as_f64().unwrap()).sum::<f64>();
                said.push(&text[tokens[start].bytes.start..tokens[end - 1].bytes.end]);
                counted += end - start;
            }
            assert_eq!(said, [row[1], row[3]].map(|words| format!("{words}{closing}")));
            assert_eq!(assistant["counted"]["tokens"], counted);
            let told = assistant["sum_nll_nats"].as_f64().unwrap();
            assert!((told - sum).abs() <= 1e-6 * sum.abs(), "{told} {sum}");
            assert!(told < whole["sum_nll_nats"].as_f64().unwrap());
        }
    }
}

fn candidates(run: &Path, model: &str, dataset: &str) -> Vec<Json> {
    let text = fs::read_to_string(run.join(format!("records/{model}/{dataset}.jsonl"))).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap()["candidate"].take())
        .collect()
}
