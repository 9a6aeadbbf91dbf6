//! `assistant_only`: the same text, scored once as a whole and once where the assistant speaks.

use std::path::Path;

use serde_json::Value as Json;
use surprisal::model::Checkpoint;

use super::scratch::{Scratch, stderr};

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
    let tokens = scratch.export("out", "tokens");
    let candidates = scratch.export("out", "candidates");
    let of = |lines: &[Json], model: &str, dataset: &str, row: usize| -> Vec<Json> {
        let is_it = |line: &&Json| {
            line["model"] == model && line["dataset"] == dataset && line["row"] == row
        };
        lines.iter().filter(is_it).cloned().collect()
    };
    let checkpoint = Checkpoint::open_folder(&pocket).unwrap();
    // Without marks, what closes an answer is the assistant's too.
    for (model, closing) in [("own", "<|im_end|>\n"), ("marked", "")] {
        for (index, row) in ROWS.iter().enumerate() {
            let [whole, assistant] =
                ["whole", "assistant"].map(|name| of(&candidates, model, name, index).remove(0));
            assert_eq!(whole["testing_input"], assistant["testing_input"]);
            for column in ["scored_tokens", "sum_nll_nats", "perplexity"] {
                assert_eq!(whole[column], assistant[column], "{column}");
            }
            let text = whole["testing_input"].as_str().unwrap();
            let spans = checkpoint.tokenizer().encode_with_spans(text, false).unwrap();
            let scored = of(&tokens, model, "assistant", index);
            assert_eq!(scored.len(), spans.len());
            let whole_tokens = of(&tokens, model, "whole", index);
            let nlls = |lines: &[Json]| {
                lines.iter().map(|one| one["nll_nats"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(nlls(&scored), nlls(&whole_tokens));
            let (mut sum, mut said, mut counted) = (0.0, Vec::<(usize, usize)>::new(), 0);
            let mut goes_on = false;
            for (token, span) in scored.iter().zip(&spans) {
                if token["is_answer"] == true {
                    sum += token["nll_nats"].as_f64().unwrap();
                    counted += 1;
                    match said.last_mut().filter(|_| goes_on) {
                        Some((_, end)) => *end = span.bytes.end,
                        None => said.push((span.bytes.start, span.bytes.end)),
                    }
                }
                goes_on = token["is_answer"] == true;
            }
            let said: Vec<&str> = said.into_iter().map(|(start, end)| &text[start..end]).collect();
            assert_eq!(said, [row[1], row[3]].map(|words| format!("{words}{closing}")));
            assert_eq!(assistant["answer_tokens"], counted);
            let told = assistant["answer_nll_nats"].as_f64().unwrap();
            assert!((told - sum).abs() <= 1e-6 * sum.abs(), "{told} {sum}");
            assert!(told < whole["answer_nll_nats"].as_f64().unwrap());
        }
    }
}
