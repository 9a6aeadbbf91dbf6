//! Messages from a column: what else they hold reaches the checkpoint's chat template.

use serde_json::json;

use super::scratch::{Scratch, stderr};

const CONFIG: &str = r"
datasets = [dict(abbr='calls', path='rows.jsonl', reader_cfg=dict(input_columns=['history'], output_column='gold'),
    infer_cfg=dict(
        prompt_template=dict(type='RawPromptTemplate', messages=[dict(expand_column='history')]),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=2)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))]
written = '{% for m in messages %}{{ m.role }} {{ m.content }} {{ m.tool_calls|tojson if m.tool_calls }} {{ m.tool_call_id }};{% endfor %}'
models = [dict(type='HuggingFacewithChatTemplate', abbr='tiny', path='models/tiny-llama-bos', chat_template=written)]
";

#[test]
fn calls_of_tools_reach_the_template() {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let row = json!({"gold": "a", "history": [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": null, "tool_calls": [{"name": "f"}]},
        {"role": "tool", "content": "b", "tool_call_id": "1"},
    ]});
    scratch.write("rows.jsonl", &row.to_string());
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let samples = scratch.export("out", "samples");
    assert_eq!(samples[0]["prompt"], r#"user a  ;assistant None [{"name": "f"}] ;tool b  1;"#);
}
