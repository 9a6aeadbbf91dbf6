//! `supergpqa`: the option that an answer names by letter or by its text, also by difficulty.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{
    postprocess::{PythonRegex, escaped},
    python::is_blank,
};

/// Marks and commands of LaTeX in front of an option.
const OPENING: &str = r"(?:\\(?:boxed|mathbf|mathrm|text)\{|[*${(\[\\])*\s*";

/// Marks behind it, and where it has to end.
const CLOSING: &str = r"[\\}$)\]]*(?:[\s:.*)]|$)";

/// Levels of difficulty, and their figures.
const LEVELS: &[(&str, &str)] =
    &[("hard", "hard_accuracy"), ("middle", "middle_accuracy"), ("easy", "easy_accuracy")];

/// Shares, from 0 to 1, of right answers and of answers without an option.
pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let (mut correct, mut missed) = (Vec::new(), 0_usize);
    let mut levels = vec![Vec::new(); LEVELS.len()];
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "supergpqa");
        let parsed = parsed(&asked)?;
        let answer = asked.text_column("answer_letter")?;
        if row.reference != answer {
            return Err(asked.unreadable_reference("the row's answer_letter"));
        }
        let difficulty = asked.column("difficulty")?;
        let level = LEVELS.iter().position(|(name, _)| difficulty == name);
        let Some(level) = level.and_then(|level| levels.get_mut(level)) else {
            return Err(asked.wrong("difficulty", "hard, middle or easy", difficulty));
        };
        let is_correct = parsed.as_deref() == Some(answer);
        missed += usize::from(parsed.is_none());
        level.push(is_correct);
        correct.push(is_correct);
        details.push(Map::from_iter([
            ("pred".to_owned(), row.prediction.clone()),
            ("answer".to_owned(), asked.column("answer")?.clone()),
            ("parsed_answer".to_owned(), parsed.into()),
            ("correct".to_owned(), is_correct.into()),
        ]));
    }
    let scores = |of: &[bool]| of.iter().map(|own| f64::from(u8::from(*own))).collect();
    let of_all = |name, share| Metric::of_all(name, Unit::Number, share);
    let mut metrics = vec![
        Metric::of_numbers("accuracy", Unit::Number, scores(&correct)),
        of_all("error_rate", 0.0),
        of_all("miss_rate", missed as f64 / rows.len() as f64),
    ];
    for ((_, name), own) in LEVELS.iter().zip(&levels) {
        let mut metric = Metric::of_numbers(name, Unit::Number, scores(own));
        metric.scores.clear();
        if own.is_empty() {
            metric.value = 0.0;
        }
        metrics.push(metric);
    }
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// The letter that an answer names. Of an answer that goes on with questions of its own, what stands before
/// them comes first.
fn parsed(asked: &Asked<'_>) -> Result<Option<String>, EvaluateError> {
    let text = asked.prediction()?;
    let options = asked.list_column("options")?;
    let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
    let mode = asked.column("prompt_mode")?;
    let own = text.split("Question:").next().unwrap_or_default();
    let texts: &[&str] = match mode.as_str() {
        Some("zero-shot") => &[text],
        Some("five-shot") => &[own, text],
        _ => return Err(asked.wrong("prompt_mode", "zero-shot or five-shot", mode)),
    };
    for text in texts {
        if let Some(letter) = by_letter(text).or_else(|| by_text(text, &options)) {
            return Ok(Some(letter));
        }
    }
    Ok(None)
}

fn by_letter(text: &str) -> Option<String> {
    static FORMS: LazyLock<[PythonRegex; 3]> = LazyLock::new(|| {
        [
            r"(?i)[Tt]he\s+(?:\w+\s+)?(?:answer|option)(?:\w+\s+)?\s+is?:?\s*",
            r"(?i)Answer[\*\s]*:\s*",
            r"(?i)^[^\w\r\n]*",
        ]
        .map(|start| PythonRegex::constant(&format!("{start}{OPENING}([A-J]){CLOSING}")))
    });
    // A search that gives up has found nothing, as one that takes the original too long.
    let found = |text| FORMS.iter().find_map(|form| form.first(text).ok().flatten());
    let text = text.trim_end_matches(is_blank);
    found(last_line(text)).or_else(|| found(text)).map(str::to_owned)
}

fn by_text(text: &str, options: &[&str]) -> Option<String> {
    let any: Vec<String> = options.iter().map(|option| escaped(option)).collect();
    let any = any.join("|");
    let forms: Vec<PythonRegex> = [
        r"[Tt]he\s+(?:\w+\s+)?(?:answer|option)(?:\w+\s+)?\s+is:?\s*",
        r"(?i:Answer)\s*",
        r"^[^\w\r\n]*",
    ]
    .iter()
    .filter_map(|start| PythonRegex::new(&format!("{start}{OPENING}({any}){CLOSING}")).ok())
    .collect();
    let found = |text| forms.iter().find_map(|form| form.first(text).ok().flatten());
    let text = text.trim_end_matches(is_blank);
    let option =
        found(last_line(text)).or_else(|| found(text)).filter(|option| !option.is_empty())?;
    let place = options.iter().position(|own| *own == option)?;
    char::from_u32(u32::from('A') + u32::try_from(place).ok()?).map(String::from)
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or_default()
}
