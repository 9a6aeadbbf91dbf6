//! Verdicts on two models as matches: who has won, on what, and how both answers look.
//!
//! OpenCompass fits a Bradley-Terry model to the matches of many models. What it fits it to is written beside the results, as
//! it writes it; a single run of one model has no figure.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Judged,
    duel::Duel,
    marks::{self, failed},
    rules::JudgeRule,
    style,
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Results},
};

/// Matches of a benchmark, whose verdicts are read as its own rule reads them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matches {
    verdicts: Duel,
    counts_ties: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompassArenaParams {
    count_ties: Option<bool>,
}

/// The name of these rules in messages.
const RULE: &str = "matches";

impl Matches {
    /// Those of a benchmark where ties count.
    pub(super) const fn of(verdicts: Duel) -> Self {
        Self { verdicts, counts_ties: true }
    }

    /// Reads `count_ties`.
    pub(super) fn compass_arena(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let CompassArenaParams { count_ties } = component.read()?;
        let verdicts = Duel::CompassArena { halves_ties: false, counts_bias: false };
        Ok(Box::new(Self { verdicts, counts_ties: count_ties.unwrap_or(true) }))
    }

    /// Who has won; nothing where a verdict is none of those known.
    fn winner(self, said: &str, has_base_first: bool) -> Option<&'static str> {
        let (first, second, tie) = (Some("model_a"), Some("model_b"), Some("tie"));
        match self.verdicts {
            // The rank is of the base, wherever it stands.
            Duel::AlpacaEval if (said == "m") == has_base_first => first,
            Duel::AlpacaEval => second,
            Duel::ArenaBench | Duel::ArenaHard => match said {
                "A>>B" | "B<<A" | "A>B" | "B<A" => first,
                "A<B" | "B>A" | "A<<B" | "B>>A" => second,
                "A=B" | "B=A" => tie,
                _ => None,
            },
            Duel::CompassArena { .. } => match said {
                "A" => first,
                "B" => second,
                "C" if self.counts_ties => tie,
                _ => None,
            },
            Duel::WildBench => match said {
                "A++" | "A+" => first,
                "B++" | "B+" => second,
                "A=B" => tie,
                _ => None,
            },
        }
    }

    /// What a match is on.
    fn subject(self, one: &Judged<'_>) -> Result<Map<String, Value>, EvaluateError> {
        let gold = |name: &'static str| one.gold_field(name, RULE).cloned();
        let named = match self.verdicts {
            Duel::ArenaBench => {
                vec![("category", gold("category")?), ("difficulty", gold("difficulty")?)]
            }
            Duel::WildBench => {
                let tags = gold("secondary_tag")?;
                let first = tags.get(0).cloned().unwrap_or_else(|| json!("Others"));
                vec![
                    ("primary_tag", gold("primary_tag")?),
                    ("secondary_tag", first),
                    ("secondary_tags", tags),
                ]
            }
            _ => vec![("capability", gold("capability")?)],
        };
        Ok(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

/// The counts of one of the two answers.
fn looks(
    one: &Judged<'_>,
    answer: &Value,
    suffix: &str,
) -> Result<Map<String, Value>, EvaluateError> {
    let said = style::spoken(answer).ok_or(EvaluateError::Undefined {
        evaluator: RULE,
        reason: "an answer is neither text nor the turns of a dialogue",
    })?;
    style::counts(&said, suffix).map_err(failed(one.row))
}

impl JudgeRule for Matches {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let verdicts = self.verdicts.verdicts(judged)?;
        let undefined = |reason| EvaluateError::Undefined { evaluator: RULE, reason };
        let Some(first) = verdicts.first() else {
            return Err(undefined("no reply of the judge has a verdict"));
        };
        if first.one.gold_field("prediction1", RULE).is_err() {
            return Err(undefined(
                "the answers that were compared are not kept; set keep_predictions=True beside the evaluator's type",
            ));
        }
        let mut matches = Vec::new();
        for verdict in &verdicts {
            let one = verdict.one;
            let Some(winner) = self.winner(&verdict.said, verdict.has_base_first) else { continue };
            let gold = |name: &'static str| one.gold_field(name, RULE).cloned();
            let (first, second) = (gold("prediction1")?, gold("prediction2")?);
            let mut style = looks(one, &first, "_a")?;
            style.extend(looks(one, &second, "_b")?);
            let mut made = Map::from_iter([("winner".to_owned(), json!(winner))]);
            made.extend(self.subject(one)?);
            let rest = [
                ("model_a", gold("answer1")?),
                ("model_b", gold("answer2")?),
                ("prediction1", first),
                ("prediction2", second),
                ("conv_metadata", style.into()),
            ];
            made.extend(rest.map(|(name, value)| (name.to_owned(), value)));
            matches.push(Value::Object(made));
        }
        Ok(Results {
            beside: Map::from_iter([("matches".to_owned(), matches.into())]),
            ..Results::of(marks::no_figure(judged.len(), None))
        })
    }
}
