//! Classes of data sets that are not built in: why some of OpenCompass's cannot be had here, and what is near others.

use super::registry::LOADERS;
use crate::config::nearest;

/// Why the rows of these classes are not read.
const UNAVAILABLE: &[(&[&str], &str)] = &[
    (&["CaLMDataset"], "its prompts and the reading of its answers are programs of the original's"),
    (&["Game24Dataset"], "its prompts are made by a search over thoughts"),
    (&["PJExamDataset"], "OpenCompass 0.5.4 has no class of that name"),
    (&["PerspectiveGapDataset"], "it is scored by the library perspective-gap"),
    (&["RealToxicPromptsDataset", "SafetyDataset"], "it is scored by the web service Perspective"),
    (&["S2TOMGBenchDataset", "UMG_Dataset"], "its molecules are scored by RDKit"),
    (
        &["SRbenchDataset"],
        "its points are drawn without a seed, and its formulas simplified by SymPy",
    ),
    (&["UPGDataset"], "its proteins are folded by OmegaFold"),
    (&["VLMEvalKitDataset"], "it is read and scored by the program VLMEvalKit"),
    (
        &[
            "CMP_GCP_D_Dataset",
            "CMP_KSP_Dataset",
            "CMP_TSP_D_Dataset",
            "HardGCPDataset",
            "Hard_MSP_Dataset",
            "Hard_TSP_Dataset",
            "P_BSP_Dataset",
            "P_EDP_Dataset",
            "P_SPP_Dataset",
        ],
        "NPHardEval compares answers with approximations by NetworkX, some of them drawn without a seed",
    ),
];

/// What is said of a class that is not built in, and what can be done. `path` is a name or a dotted path.
pub(super) fn refusal(path: &str) -> (String, String) {
    let last = path.rsplit('.').next().unwrap_or(path);
    if let Some((_, why)) = UNAVAILABLE.iter().find(|(names, _)| names.contains(&last)) {
        let what = format!("the loader class '{path}' is not built in: {why}");
        return (what, "leave the data set out".to_owned());
    }
    let all = LOADERS.registrations.iter().flat_map(|line| line.aliases.iter().copied());
    let near = nearest(last, all).filter(|near| *near != last);
    let near = near.map_or_else(String::new, |near| format!("did you mean '{near}'? "));
    let what = format!("the loader class '{path}' is not built in, and it may rewrite the rows");
    let hint = format!(
        "{near}surprisal list loaders names those that are; path='….jsonl' without type reads a file as it is"
    );
    (what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_with_a_reason_is_not_registered() {
        for name in UNAVAILABLE.iter().flat_map(|(names, _)| *names) {
            assert!(LOADERS.find(name).is_none(), "{name}");
            let (what, hint) = refusal(&format!("opencompass.datasets.{name}"));
            assert!(what.contains(name) && hint.contains("leave"), "{what}");
        }
        assert!(refusal("GSM8KDatasets").1.contains("did you mean 'GSM8KDataset'?"));
    }
}
