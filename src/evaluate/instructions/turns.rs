//! `multi_if`: instructions in a dialogue of three turns, each checked in the answer of its turn.

use serde_json::Value;

use super::{
    super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked},
    Followed, followed,
    instruction::Instruction,
    instructions, of_instructions, of_prompts,
};

/// Turns of a dialogue.
const TURNS: usize = 3;

/// The shares of each turn, their mean, and the mean of all turns.
pub(in super::super) struct MultiIf;

impl Evaluator for MultiIf {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut metrics = Vec::new();
        let mut overall = 0.0;
        for turn in 1..=TURNS {
            let mut all = Vec::with_capacity(rows.len());
            for (index, row) in rows.iter().enumerate() {
                all.push(of_turn(&Asked::new(row, index, "multi_if"), turn)?);
            }
            let strict: Vec<&[bool]> = all.iter().map(|own| own.strict.as_slice()).collect();
            let loose: Vec<&[bool]> = all.iter().map(|own| own.loose.as_slice()).collect();
            let name = |what: &str| format!("turn_{turn}_{what}");
            let own = [
                of_prompts(&name("prompt_strict"), &strict),
                of_instructions(&name("inst_strict"), &strict),
                of_prompts(&name("prompt_loose"), &loose),
                of_instructions(&name("inst_loose"), &loose),
            ];
            let mean = own.iter().map(|metric| metric.value).sum::<f64>() / own.len() as f64;
            overall += mean / TURNS as f64;
            metrics.extend(own);
            metrics.push(Metric::of_all(&name("overall"), Unit::Percent, mean));
        }
        metrics.push(Metric::of_all("overall", Unit::Percent, overall));
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let of_row = |(index, row)| {
            let asked = Asked::new(row, index, "multi_if");
            let mut all = (1..=TURNS).filter_map(|turn| of(&asked, turn).ok()).flatten();
            Some((index, all.find_map(|own| own.departure())?))
        };
        rows.iter().enumerate().filter_map(of_row).collect()
    }
}

fn of(asked: &Asked<'_>, turn: usize) -> Result<Vec<Instruction>, EvaluateError> {
    let [names, parameters] =
        ["instruction_id_list", "kwargs"].map(|name| format!("turn_{turn}_{name}"));
    instructions(asked, &names, &parameters)
}

fn of_turn(asked: &Asked<'_>, turn: usize) -> Result<Followed, EvaluateError> {
    let prediction = &asked.row.prediction;
    let answer = prediction.get(turn - 1).and_then(Value::as_str);
    let answer = answer
        .ok_or_else(|| asked.wrong("the prediction", "the answers of three turns", prediction))?;
    followed(answer, &of(asked, turn)?).map_err(|error| asked.failed(error))
}
