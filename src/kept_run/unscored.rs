//! Data sets whose predictions are kept and have no figure yet, because somebody or something is missing.

use serde::{Deserialize, Serialize};

use crate::evaluate::WORDNET_HINT;

/// A data set under a model without a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unscored {
    /// The data set.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// Who or what is missing.
    pub missing: Missing,
}

/// What is missing before predictions have a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A judge.
    Judge,
    /// The permission to run what a model wrote.
    Code,
    /// The words and meanings that METEOR compares by.
    #[serde(rename = "wordnet")]
    WordNet,
}

/// Most data sets that a line names.
const NAMED: usize = 5;

impl Missing {
    const ALL: [Self; 3] = [Self::Judge, Self::Code, Self::WordNet];

    /// What is said where he is missing; `run` is the run's name.
    fn line(self, datasets: &str, run: &str) -> String {
        match self {
            Self::Judge => format!(
                "no judge: the predictions of {datasets} are kept and not scored; \
                 `surprisal evaluate {run} --judge MODEL` has them judged"
            ),
            Self::Code => format!(
                "no code is run: the predictions of {datasets} are kept and not scored; \
                 `surprisal evaluate {run} --allow-code` runs what the model wrote, in a sandbox"
            ),
            Self::WordNet => format!(
                "no WordNet: the predictions of {datasets} are kept and not scored; {WORDNET_HINT}, and \
                 `surprisal evaluate {run}` scores them"
            ),
        }
    }
}

impl Unscored {
    /// A line for each that is missing.
    pub fn lines(all: &[Self], run: &str) -> Vec<String> {
        let line = |missing: Missing| {
            let mut names: Vec<&str> = Vec::new();
            for one in all.iter().filter(|one| one.missing == missing) {
                if !names.contains(&&*one.dataset) {
                    names.push(&one.dataset);
                }
            }
            let (count, named) = (names.len(), names.iter().take(NAMED).copied());
            let named = named.collect::<Vec<_>>().join(", ");
            match count {
                0 => None,
                count if count > NAMED => {
                    Some(missing.line(&format!("{count} data sets ({named}, …)"), run))
                }
                _ => Some(missing.line(&named, run)),
            }
        };
        Missing::ALL.into_iter().filter_map(line).collect()
    }
}
