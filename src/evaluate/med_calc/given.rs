//! What an answer gives, by the kind of value that a calculator has.

use std::sync::LazyLock;

use super::term::{Value, term};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// Where no answer is found.
pub(super) const NONE: &str = "N/A";

/// Calculators of dates, of weeks with days, of points and of numbers, by their numbers in the benchmark.
const DATES: [i64; 2] = [13, 68];
const WEEKS: [i64; 1] = [69];
const WHOLE: [i64; 18] = [4, 15, 16, 17, 18, 20, 21, 25, 27, 28, 29, 32, 33, 36, 43, 45, 48, 51];
const DECIMAL: [i64; 34] = [
    2, 3, 5, 6, 7, 8, 9, 10, 11, 19, 22, 23, 24, 26, 30, 31, 38, 39, 40, 44, 46, 49, 56, 57, 58,
    59, 60, 61, 62, 63, 64, 65, 66, 67,
];

/// The kind of a calculator's values.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Date,
    Weeks,
    Whole,
    Decimal,
}

impl Kind {
    /// That of a calculator; nothing for a number that no calculator has.
    pub(super) fn of(calculator: i64) -> Option<Self> {
        [
            (&DATES[..], Self::Date),
            (&WEEKS[..], Self::Weeks),
            (&WHOLE[..], Self::Whole),
            (&DECIMAL[..], Self::Decimal),
        ]
        .into_iter()
        .find(|(all, _)| all.contains(&calculator))
        .map(|(_, kind)| kind)
    }
}

/// An answer as the benchmark's script reads it.
pub(super) struct Given {
    pub(super) answer: String,
    pub(super) explanation: String,
    /// Whether it is a program that is not worked out here.
    pub(super) is_undecided: bool,
}

impl Given {
    /// Reads a record of an explanation and an answer, or something like it.
    pub(super) fn read(kind: Kind, text: &str) -> Result<Self, PatternError> {
        static ANSWER: LazyLock<PythonRegex> =
            LazyLock::new(|| PythonRegex::constant(r#"[Aa]nswer":\s*(.*?)\}"#));
        static THINKING: LazyLock<PythonRegex> = LazyLock::new(|| {
            PythonRegex::constant(r#""step_by_step_thinking":\s*"([^"]+)"\s*,\s*"[Aa]nswer""#)
        });
        let explanation = THINKING.last(text)?.unwrap_or("No Explanation").to_owned();
        let found = ANSWER.last(text)?.map(|found| strip(found).trim_matches('"'));
        let found = found.filter(|found| *found != "X.XX").unwrap_or("Not Found");
        let (answer, is_undecided) = match kind {
            Kind::Date => (date(found)?, false),
            Kind::Weeks => {
                let plain = found.replace('[', "(").replace(']', ")").replace(['\'', '"'], "");
                let pair = weeks(&plain)?;
                (pair.map(|(weeks, days)| format!("({weeks}, {days})")), false)
            }
            Kind::Whole => (points(found)?, false),
            Kind::Decimal => match decimal(found)? {
                None => (None, calls(found)?),
                found => (found, false),
            },
        };
        Ok(Self { answer: answer.unwrap_or_else(|| NONE.to_owned()), explanation, is_undecided })
    }
}

/// A date at the beginning, month and day with two digits.
fn date(found: &str) -> Result<Option<String>, PatternError> {
    static DATE: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"^(0?[1-9]|1[0-2])\/(0?[1-9]|[12][0-9]|3[01])\/(\d{4})")
    });
    let Some(parts) = DATE.search(found)? else { return Ok(None) };
    let part = |group| parts.get(group).map_or("", |part| part.as_str());
    Ok(Some(format!("{:0>2}/{:0>2}/{}", part(1), part(2), part(3))))
}

/// The first weeks and days, as they are written.
pub(super) fn weeks(text: &str) -> Result<Option<(String, String)>, PatternError> {
    static PAIR: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(
            r#"\(?["\']?(\d+)\s*(weeks?)?["\']?,?\s*["\']?(\d+)\s*(days?)?["\']?\s*\)?"#,
        )
    });
    let Some(parts) = PAIR.search(text)? else { return Ok(None) };
    let part = |group| parts.get(group).map_or("", |part| part.as_str()).to_owned();
    Ok(Some((part(1), part(3))))
}

/// Points out of some, how many points are listed, or the last number.
fn points(found: &str) -> Result<Option<String>, PatternError> {
    static SHARE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"(\d+) out of"));
    static LIST: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d+(?:, ?-?\d+)+"));
    if let Some(points) = SHARE.first(found)? {
        return Ok(Some(points.to_owned()));
    }
    if let Some(list) = LIST.first(found)? {
        return Ok(Some(list.split(',').count().to_string()));
    }
    last_number(found)
}

fn last_number(found: &str) -> Result<Option<String>, PatternError> {
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d+(?:\.\d+)?"));
    Ok(NUMBER.last(found)?.map(str::to_owned))
}

/// What `str(…)` holds, worked out; else a filtration rate, a share of a hundred, or the last number.
fn decimal(found: &str) -> Result<Option<String>, PatternError> {
    static RATE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(-?\d+(?:\.\d+)?)\s*mL/min/1.73"));
    static PERCENT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(-?\d+(?:\.\d+)?)\%"));
    if let Some(program) = program(found)? {
        let text = ['"', '\''].into_iter().find_map(|quote| {
            strip(&program)
                .strip_prefix(quote)?
                .strip_suffix(quote)
                .filter(|own| !own.contains(quote))
        });
        return Ok(text.map(str::to_owned).or_else(|| term(&program).map(|own| own.to_string())));
    }
    if let Some(rate) = RATE.first(found)? {
        return Ok(term(rate).map(|own| own.to_string()));
    }
    if let Some(percent) = PERCENT.last(found)? {
        let share = term(percent).map(|value| Value::Float(value.number() / 100.0));
        return Ok(share.map(|own| own.to_string()));
    }
    Ok(last_number(found)?.and_then(|number| Some(term(&number)?.to_string())))
}

/// The program in `str(…)` as the benchmark's script makes it one: without units, with as many brackets closed as open.
fn program(found: &str) -> Result<Option<String>, PatternError> {
    static PROGRAM: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"str\((.*)\)"));
    const REPLACED: [(&str, &str); 13] = [
        ("^", "**"),
        ("is odd", "% 2 == 1"),
        ("is even", "% 2 == 0"),
        ("sqrt", "math.sqrt"),
        (".math", ""),
        ("weight", ""),
        ("height", ""),
        ("mg/dl", ""),
        ("g/dl", ""),
        ("mmol/L", ""),
        ("kg", ""),
        ("g", ""),
        ("mEq/L", ""),
    ];
    let Some(program) = PROGRAM.first(found)? else { return Ok(None) };
    let mut program = program.to_owned();
    for (text, other) in REPLACED {
        program = program.replace(text, other);
    }
    let program = program.split('#').next().unwrap_or_default();
    let count = |bracket| program.matches(bracket).count();
    let (open, closed) = (count('('), count(')'));
    let missing = |bracket: &str, count: usize| bracket.repeat(count);
    Ok(Some(
        missing("(", closed.saturating_sub(open))
            + program
            + &missing(")", open.saturating_sub(closed)),
    ))
}

/// Whether a program in `str(…)` does more than arithmetic.
fn calls(found: &str) -> Result<bool, PatternError> {
    static NAMES: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"\b(?:min|pow|round|abs|int|float|math|np|numpy)\b|[=<>%]")
    });
    match program(found)? {
        Some(program) => NAMES.finds(&program),
        None => Ok(false),
    }
}
