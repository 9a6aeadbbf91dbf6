//! AISBench's multimodal prompts against vectors made by the original tool.
//!
//! The folder comes from `SURPRISAL_GOLDEN`. The released code reads only the column `content`; a row
//! that has its pieces in `question`, as the documents show it, fails there and must not fail here.

use serde_json::{Value as Json, json};
use surprisal::{
    dataset::rows_from_json,
    prompt::{Mode, PromptAssembly},
};

use crate::encoded_prompt::{Failure, Parser, compared, encoded, tally, template};

#[test]
fn golden_ais_multimodal() {
    let tally = tally("ais_multimodal.json", check).unwrap();
    println!("{}", tally.line);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
}

fn check(row: &Json) -> Result<(), String> {
    let got = prompt(&row["input"]);
    match row.get("expected_repaired") {
        Some(expected) => compared(expected, got),
        None if row["doc_conflict"] == true && row["expected"].get("error").is_some() => {
            got.map(|_| ()).map_err(|error| format!("the documents let it work, got {error}"))
        }
        None => compared(&row["expected"], got),
    }
}

fn prompt(input: &Json) -> Result<Json, Failure> {
    // Some rows name input columns that are not there, which a reader refuses.
    let rows = serde_json::from_value(input["test"].clone())?;
    let samples = rows_from_json(rows, |row| format!("row {row}"))?;
    let sample = samples.first().ok_or("no sample")?;
    let output_column = input["reader_cfg"]["output_column"].as_str();
    let template = template(&input["infer_cfg"]["prompt_template"])?;
    let assembly = PromptAssembly::new(None, template, "\n", "\n")?;
    let examples = assembly.examples(&[], output_column)?;
    let prompt = assembly.generation(sample, &examples, output_column, "")?;
    let parser = Parser::new(input)?;
    Ok(json!({"prompt": encoded(&prompt), "final": parser.parsed(&prompt, Mode::Gen)?}))
}
