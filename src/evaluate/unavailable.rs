//! Metrics of OpenCompass that cannot be had here, and why: refused by name before anything runs.

/// What is missing for the metrics of these classes.
const UNAVAILABLE: &[(&[&str], &str)] = &[
    (&["DingoEvaluator"], "it runs the program dingo"),
    (
        &[
            "FTSEvaluator",
            "LLM4Chem_Evaluator",
            "Mol_Instructions_Evaluator_Mol",
            "MoleculariqCountEvaluator",
            "MoleculariqGenerationEvaluator",
            "MoleculariqIndexEvaluator",
            "RetrosynthesisEvaluator",
            "S2TOMGBenchEvaluator",
            "UMG_Evaluator",
        ],
        "it computes with molecules, by RDKit and its like",
    ),
    (
        &["CMPhysBenchEvaluator", "MathEEDEvaluator"],
        "it compares the trees of formulas that SymPy has simplified",
    ),
    (
        &["IFBenchEvaluator"],
        "some of its instructions need the part of speech or the syllables of a word, by NLTK's tagger and a dictionary",
    ),
    (&["InternSandboxEvaluator"], "each of its tasks is checked by the library intern_sandbox"),
    (
        &["PerspectiveGapPromptWritingEvaluator", "PerspectiveGapRoleAssignmentEvaluator"],
        "it scores by the library perspective-gap",
    ),
    (&["LCBProEvaluator"], "the tests of its problems are with a service of their authors alone"),
    (
        &["LawBenchEvaluator_2_1"],
        "it compares corrections by ChERRANT with its dictionaries, which are not here",
    ),
    (
        &["MedBenchEvaluator_CHIP_CDN"],
        "it reads entity_list.jsonl, which the original does not come with",
    ),
    (
        &["MedBenchEvaluator_DBMHG"],
        "the original fails on every prediction in which it finds a section",
    ),
    (&["MP20Evaluator"], "it lays crystals upon each other by the library pymatgen"),
    (&["RNA_Evaluator"], "it runs the programs RNAfold and cmscan on a library of families"),
    (&["SRbenchDatasetEvaluator"], "it simplifies formulas by SymPy"),
    (
        &["bio_instruction_Evaluator"],
        "it reads its golds from files of its own, and asks a model that was trained to classify",
    ),
    (&["ToxicEvaluator"], "it asks the web service Perspective"),
    (
        &["TruthfulQAEvaluator"],
        "it asks models that were trained to judge, or metrics that are downloaded as programs",
    ),
    (&["UPG_Evaluator"], "it folds proteins by OmegaFold"),
];

/// Why a metric is not here; nothing if it is none of those. `path` is a name or a dotted path.
pub(super) fn reason(path: &str) -> Option<String> {
    let name = path.rsplit('.').next().unwrap_or(path);
    let (_, why) = UNAVAILABLE.iter().find(|(names, _)| names.contains(&name))?;
    Some(format!(
        "the evaluator {name} is not available: {why}; leave the evaluator out to keep predictions, or choose another"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Component, Node},
        evaluate::{EVALUATORS, build},
    };

    #[test]
    fn what_is_refused_is_not_registered() {
        for name in UNAVAILABLE.iter().flat_map(|(names, _)| *names) {
            assert!(EVALUATORS.find(name).is_none(), "{name}");
            let path = format!("opencompass.datasets.{name}");
            let component =
                Component::parse(&Node::from_json(&serde_json::json!({ "type": path })));
            let error = build(&component.unwrap()).err().unwrap().to_string();
            assert!(error.contains(name) && error.contains("leave the evaluator out"), "{error}");
        }
    }
}
