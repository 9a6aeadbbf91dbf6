//! `mol_instructions_*` and `opi`: free answers about molecules, proteins and biomedical texts.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;

use super::{
    PostprocessError, Processed,
    blank::strip,
    model_marks::{without_end_tokens, without_thoughts},
    python_regex::PythonRegex,
};

/// The parameter of most of them. Only some tasks make a difference; the rest leave the text alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    task: String,
}

/// `opi`: the text without end tokens, whatever the task.
pub(super) fn opi(_parameters: &Parameters, text: &str) -> Processed {
    Ok(without_end_tokens(strip(text)).into())
}

/// `mol_instructions_protein`: the text without end tokens and thoughts.
pub(super) fn protein(text: &str) -> Processed {
    Ok(strip(&without_thoughts(&without_end_tokens(strip(text)))?).into())
}

/// `mol_instructions_biotext`: the text without end tokens, thoughts and the phrases that open it.
pub(super) fn biotext(parameters: &Parameters, text: &str) -> Processed {
    static LABEL: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)^(?:Response:|Answer:)\s*"));
    static OPENING: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?i)^(?:I would say that|I would like to say that)\s*")
    });
    const TASKS: &[&str] = &[
        "chemical_disease_interaction_extraction",
        "chemical_protein_interaction_extraction",
        "chemical_entity_recognition",
        "true_or_false_question",
        "multi_choice_question",
        "open_question",
    ];
    let text = strip(text);
    if !TASKS.contains(&parameters.task.as_str()) {
        return Ok(text.into());
    }
    let answer = without_thoughts(&LABEL.replace(&without_end_tokens(text), "")?)?;
    Ok(strip(&OPENING.replace(&answer, "")?).into())
}

/// `mol_instructions_mol`: the first number of a property (0 without one), a description, or a molecule
/// between `<SMILES>` tags (null without them).
///
/// OpenCompass has `RDKit` write the molecule in its canonical form. That is not done here, and two
/// spellings of one molecule would compare as different, so such an answer is an error.
pub(super) fn molecule(parameters: &Parameters, text: &str) -> Processed {
    static GAP: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<=\d) +(?=\d)|(?<=\.) +(?=\d)"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"[-+]?\d*\.\d+|\d+"));
    static SMILES: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"<SMILES>(.*?)</SMILES>"));
    let answer = || without_thoughts(&without_end_tokens(strip(text)));
    match parameters.task.as_str() {
        "property_prediction_str" => {
            let answer = GAP.replace(&answer()?, "")?;
            Ok(NUMBER.first(&answer)?.map_or_else(|| json!(0), Into::into))
        }
        "description_guided_molecule_design"
        | "forward_reaction_prediction"
        | "retrosynthesis"
        | "reagent_prediction" => match SMILES.first(&answer()?)? {
            None => Ok(json!(null)),
            Some(smiles) => Err(PostprocessError::NoChemistry {
                processor: "mol_instructions_mol",
                smiles: strip(smiles).to_owned(),
            }),
        },
        "molecular_description_generation" => Ok(answer()?.into()),
        _ => Ok(text.into()),
    }
}
