//! Replies that say which of two models has answered better. Figures are those of the model that is evaluated,
//! against the one that it is compared with.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Judged,
    marks::failed,
    parts::{Parts, Written},
    rules::JudgeRule,
    subjective::{rows, with_replies},
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Metric, Results, Unit},
    postprocess::PythonRegex,
    python::python_str,
    statistics::Mean,
};

/// How a verdict is read, and what it counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Duel {
    /// The letter m or M: the first or the second is better; by capability.
    AlpacaEval,
    /// `[[A>B]]` and the like, from -1 to 1; by category and difficulty.
    ArenaBench,
    /// `[[A>B]]` and the like, a clear verdict counting thrice.
    ArenaHard,
    /// A, B or C for a tie; by capability.
    CompassArena { halves_ties: bool, counts_bias: bool },
    /// `"choice": "A++"` and the like, from -1 to 1; by kind of task.
    WildBench,
}

static VERDICT: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"\[\[([AB<>=]+)\]\]"));
static LETTER: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"(?:选择：|Choice: )([ABC])"));
static CHOICE: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r#""choice": "(.*?)""#));

/// Whom a model is compared with in Arena-Hard.
const ARENA_HARD_BASE: &str = "gpt4-0314";

/// How often a clear verdict of Arena-Hard counts.
const CLEAR: f64 = 3.0;

/// The tags of `WildBench`, and the groups that figures are given for.
const TASK_GROUPS: &[(&str, &str)] = &[
    ("Information seeking", "Information/Advice seeking"),
    ("Creative Writing", "Creative Tasks"),
    ("Coding & Debugging", "Coding & Debugging"),
    ("Reasoning", "Planning & Reasoning"),
    ("Editing", "Creative Tasks"),
    ("Math", "Math & Data Analysis"),
    ("Planning", "Planning & Reasoning"),
    ("Brainstorming", "Creative Tasks"),
    ("Role playing", "Creative Tasks"),
    ("Advice seeking", "Information/Advice seeking"),
    ("Data Analysis", "Math & Data Analysis"),
    ("Others", "Creative Tasks"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompassArenaParams {
    summary_type: Option<String>,
    check_pos_bias: Option<bool>,
}

/// A verdict that was read, of a row.
pub(super) struct Verdict<'j> {
    pub(super) one: &'j Judged<'j>,
    pub(super) said: String,
    /// Whether the model that it is compared with stands first.
    pub(super) has_base_first: bool,
}

impl Duel {
    /// Reads `summary_type` and `check_pos_bias`.
    pub(super) fn compass_arena(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let CompassArenaParams { summary_type, check_pos_bias } = component.read()?;
        Ok(Box::new(Self::CompassArena {
            halves_ties: summary_type.as_deref() == Some("half_add"),
            counts_bias: check_pos_bias.unwrap_or(true),
        }))
    }

    fn name(self) -> &'static str {
        match self {
            Self::AlpacaEval => "alpaca_eval",
            Self::ArenaBench => "compass_arena_bench_pairs",
            Self::ArenaHard => "arena_hard",
            Self::CompassArena { .. } => "compass_arena",
            Self::WildBench => "wild_bench",
        }
    }

    /// The verdict of a reply, if it has one.
    fn said(self, one: &Judged<'_>) -> Result<Option<String>, EvaluateError> {
        let text = one.text();
        let pattern = match self {
            Self::AlpacaEval => {
                let first = text.chars().next().filter(|letter| ['m', 'M'].contains(letter));
                return Ok(first.map(String::from));
            }
            Self::ArenaBench | Self::ArenaHard => &*VERDICT,
            Self::CompassArena { .. } => &*LETTER,
            Self::WildBench => &*CHOICE,
        };
        Ok(pattern.first(&text).map_err(failed(one.row))?.map(str::to_owned))
    }

    /// What the first answer is worth against the second: 1 if better, -1 if worse; nothing where a verdict is none
    /// of those known.
    fn worth(self, said: &str) -> Option<f64> {
        Some(match (self, said) {
            (Self::AlpacaEval, "m")
            | (Self::CompassArena { .. }, "A")
            | (Self::ArenaBench, "A>>B" | "B<<A")
            | (Self::ArenaHard, "A>B")
            | (Self::WildBench, "A++") => 1.0,
            (Self::ArenaBench, "A>B" | "B<A") | (Self::WildBench, "A+") => 0.5,
            (Self::CompassArena { .. }, "C")
            | (Self::ArenaBench, "A=B" | "B=A")
            | (Self::ArenaHard | Self::WildBench, "A=B") => 0.0,
            (Self::ArenaBench, "A<B" | "B>A") | (Self::WildBench, "B+") => -0.5,
            (Self::AlpacaEval, "M")
            | (Self::CompassArena { .. }, "B")
            | (Self::ArenaBench, "A<<B" | "B>>A")
            | (Self::ArenaHard, "B>A")
            | (Self::WildBench, "B++") => -1.0,
            (Self::ArenaHard, "A>>B") => CLEAR,
            (Self::ArenaHard, "B>>A") => -CLEAR,
            _ => return None,
        })
    }

    fn undefined<T>(self, reason: &'static str) -> Result<T, EvaluateError> {
        Err(EvaluateError::Undefined { evaluator: self.name(), reason })
    }

    /// Whether the base stands first: one that the rows name, or else the first model of the first verdict.
    fn has_base_first(self, one: &Judged<'_>, first: &str) -> Result<bool, EvaluateError> {
        let model = one.gold_text("answer1", self.name())?;
        let named = one.entry.get("gold").and_then(|gold| gold.get("base_models"));
        Ok(match (self, named) {
            (Self::ArenaHard, _) => model == ARENA_HARD_BASE,
            (Self::AlpacaEval | Self::WildBench, Some(Value::Array(named))) => {
                named.iter().any(|base| *base == model.as_str())
            }
            (Self::AlpacaEval | Self::WildBench, Some(Value::String(named))) => *named == model,
            (Self::WildBench, None) => {
                ["HaiKu", "gpt4-turbo", "llama-2-70b-chat-hf"].contains(&model.as_str())
            }
            _ => model == first,
        })
    }

    /// The verdicts that can be read, in the order of the replies.
    pub(super) fn verdicts<'j>(
        self,
        judged: &'j [Judged<'j>],
    ) -> Result<Vec<Verdict<'j>>, EvaluateError> {
        let mut verdicts: Vec<Verdict<'j>> = Vec::with_capacity(judged.len());
        let mut first = String::new();
        for one in judged {
            let Some(said) = self.said(one)? else { continue };
            if verdicts.is_empty() {
                first = one.gold_text("answer1", self.name())?;
            }
            let has_base_first = self.has_base_first(one, &first)?;
            verdicts.push(Verdict { one, said, has_base_first });
        }
        Ok(verdicts)
    }
}

impl JudgeRule for Duel {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let verdicts = self.verdicts(judged)?;
        if verdicts.is_empty() && !matches!(self, Self::ArenaHard | Self::WildBench) {
            return self.undefined("no reply of the judge has a verdict");
        }
        let mut parts = Parts::default();
        for Verdict { one, said, has_base_first } in &verdicts {
            let Some(first_worth) = self.worth(said) else { continue };
            // From the side of the model that is evaluated.
            let worth = if *has_base_first { -first_worth } else { first_worth };
            let gold = |field| one.gold_text(field, self.name());
            match self {
                Self::AlpacaEval => {
                    let is_won = if worth > 0.0 { 1.0 } else { 0.0 };
                    parts.add("total", one.row, is_won);
                    parts.add(&gold("capability")?, one.row, is_won);
                }
                Self::ArenaBench => {
                    parts.add("Average_score", one.row, worth);
                    let part = format!("{}_{}", gold("category")?, gold("difficulty")?);
                    parts.add(&part, one.row, worth);
                }
                Self::ArenaHard => {
                    let is_other =
                        gold("answer1")? != ARENA_HARD_BASE && gold("answer2")? != ARENA_HARD_BASE;
                    if is_other {
                        return self.undefined("its scores are those against gpt4-0314");
                    }
                    let share = if worth > 0.0 { 1.0 } else { 0.0 };
                    let share = if worth == 0.0 { 0.5 } else { share };
                    for _ in 0..worth.abs().max(1.0) as usize {
                        parts.add("score", one.row, share);
                    }
                }
                Self::CompassArena { halves_ties, .. } => {
                    let tie = if *halves_ties { 0.5 } else { 0.0 };
                    let share = if worth > 0.0 { 1.0 } else { 0.0 };
                    let share = if worth == 0.0 { tie } else { share };
                    parts.add(&gold("capability")?, one.row, share);
                }
                Self::WildBench => {
                    for group in task_groups(one)? {
                        parts.add(group, one.row, worth);
                    }
                }
            }
        }
        let written = match self {
            Self::ArenaBench => Written::PLAIN.times(100.0).rounded(3),
            Self::WildBench => Written::PLAIN.times(100.0).rounded(2),
            Self::AlpacaEval | Self::ArenaHard | Self::CompassArena { .. } => {
                Written::PERCENT.rounded(2)
            }
        };
        let mut results = with_replies(parts.metrics(rows(judged), written), judged);
        let has_no_figure = results.scores.metrics.is_empty();
        match self {
            Self::ArenaHard if has_no_figure => {
                let warning =
                    "no valid arena-hard judgements (expect [[A>B]] etc. in judge output)";
                results.beside =
                    Map::from_iter([("warning", json!(warning)), ("score", json!(0))].map(named));
            }
            Self::WildBench if verdicts.is_empty() => {
                let warning = "no valid wildbench judgements extracted (check judge output format)";
                results.beside = Map::from_iter([("warning", json!(warning))].map(named));
            }
            Self::ArenaBench | Self::WildBench if has_no_figure => {
                return self.undefined("no verdict of the judge is one of those known");
            }
            Self::WildBench => {
                let groups = &mut results.scores.metrics;
                let sum: f64 = groups.iter().map(|group| group.value).sum();
                let mean = Mean { value: sum / groups.len() as f64, standard_error: None };
                groups.insert(0, Metric::from_mean("average", mean, Unit::Number));
            }
            Self::CompassArena { counts_bias, .. } => {
                let bias = if *counts_bias { same_place(&verdicts) } else { 0 };
                results.beside = Map::from_iter([("position_bias", json!(bias))].map(named));
            }
            Self::AlpacaEval | Self::ArenaBench | Self::ArenaHard => {}
        }
        Ok(results)
    }
}

fn named((name, value): (&str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}

/// The groups of a row's tags.
fn task_groups(one: &Judged<'_>) -> Result<Vec<&'static str>, EvaluateError> {
    let name = Duel::WildBench.name();
    let primary = one.gold_field("primary_tag", name)?;
    let secondary = one.gold_field("secondary_tag", name)?.as_array();
    let tags = [primary].into_iter().chain(secondary.into_iter().flatten());
    let group = |tag: &Value| {
        let tag = python_str(tag);
        let found = TASK_GROUPS.iter().find(|(known, _)| *known == tag);
        found.map(|(_, group)| *group).ok_or(EvaluateError::Undefined {
            evaluator: name,
            reason: "a row has a tag that belongs to no group",
        })
    };
    tags.map(group).collect()
}

/// How many questions got the same letter in both orders: the judge chose the place and not the answer.
fn same_place(verdicts: &[Verdict<'_>]) -> usize {
    let mut first: Vec<(&Value, &str)> = Vec::new();
    let mut count = 0;
    for Verdict { one, said, .. } in verdicts {
        let question = one.entry.get("gold").and_then(|gold| gold.get("question"));
        let question = question.unwrap_or(&Value::Null);
        match first.iter().find(|(known, _)| *known == question) {
            Some((_, before)) => count += usize::from(before == said && *before != "C"),
            None => first.push((question, said)),
        }
    }
    count
}
