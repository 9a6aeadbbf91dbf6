//! The answer in a text: where a formula stands, and what it says.
//!
//! A prediction's formula stands in a box or behind words like "the final answer is"; a reference is one formula. The
//! patterns are those of `math_verify` 0.9.0, the most trusted first; within a rank the match that ends last counts, and
//! it alone.

use std::{cmp::Reverse, sync::LazyLock};

use fancy_regex::Captures;

use super::{
    expression::Expression,
    latex_text::{Boxes, Normalization, normalized},
    number::{BigRational, Number},
    reader::{Unread, finite_set, read},
};
use crate::postprocess::{PatternError, PythonRegex};

/// What an answer may be compared by, most trusted first: what its formula says, then how it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    Formula(Expression),
    Text(String),
}

/// The readings of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extracted {
    pub(crate) readings: Vec<Reading>,
    /// A formula says something that is not worked out here.
    pub(crate) is_undecided: bool,
}

/// Patterns of one rank.
type Rank = Vec<(PythonRegex, Target)>;

/// What a pattern finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Latex,
    Plain,
}

/// LaTeX between signs that begin and end it; `{p}` stands in front of the names of its groups.
fn environment(prefix: &str, is_boxed: bool) -> String {
    let content = |inner: &str| {
        if is_boxed {
            format!(r"{inner}*?\\boxed{{{inner}+?}}{inner}*?")
        } else {
            format!("{inner}+?")
        }
    };
    let dollars = content(r"(?:[^$]|\$(?!\$))");
    let bracket = content(r"(?:[^\\]|\\(?!\]))");
    let dollar = content(r"(?:\\[$]|[^\n$])");
    let parenthesis = content(r"(?:[^\\\n]|\\(?!\)))");
    let plain = content(r"[^\n\]\[]");
    let fraction = if is_boxed {
        String::new()
    } else {
        let number = r"-?\d+(?:[.,]\d+)?";
        format!(r"|(?P<{prefix}latexFraction>-?\\frac{{{number}}}{{{number}}})")
    };
    format!(
        r"(?:(?:(?<!\\)\$\$(?P<{prefix}latexDisplayDollar>{dollars})(?<!\\)\$\$|(?<!\\)\\\[(?P<{prefix}latexDisplayBracket>{bracket})(?<!\\)\\\]|(?<!\\|\d)\$(?P<{prefix}latexInlineDollar>{dollar})(?<!\\)\$|(?<!\\)\\\((?P<{prefix}latexInlineParenthesis>{parenthesis})(?<!\\)\\\)|\s\[(?P<{prefix}latexInlineBracket>{plain})\]\s{fraction})\s*(?P<{prefix}percent>(?:\\?%|[Pp]ercent|[Pp]ercentage|[Pp]ct))?)"
    )
}

/// Up to six formulas with "and", "or" or a comma between them.
fn environments(is_boxed: bool) -> String {
    let blank = if is_boxed { r"\s*" } else { "" };
    let more = (1..6).map(|index| {
        let next = environment(&format!("next{index}_"), is_boxed);
        format!(r"{blank}(?:\s*(?:,?and|,?or|,)\s*{next})?")
    });
    format!("{}{}", environment("first_", is_boxed), more.collect::<String>())
}

/// A number, or arithmetic of numbers, without LaTeX.
fn plain_values() -> (String, String) {
    let number = r"(?<!\d)(?:(?P<integer1>-?[1-9]\d{0,2}(?:[ ,]\d{3})+)(?P<decimal1>\.\d+)?|(?P<integer2>-?\d+)(?P<decimal2>[.,]\d+)|(?P<decimal3>\.\d+)|(?P<integer3>-?\d+))(?P<percent>\s*(?:%|[Pp]ercent|\s*[Pp]ercentage|\s*[Pp]ct))?";
    let operators = r"\+\-\*\×\/\^\(\)\÷";
    let letters = format!(r"[\d\.\s{operators}]");
    let arithmetic = format!(r"(?P<expr>-?\(?-?\d{letters}*[{operators}]{letters}+\)?)");
    let before = r"(?:^|\s|\=)(?:\*\*)?";
    let after = r"(?:\*\*)?(?:\.|,|:|\s|\)|\$|$)";
    let currency = r"\$€£¥₹₽₪₩₫฿₡₢₣₤₥₦₧₨₩₪₫₭₮₯₰₱₲₳₴₵₶₷₸₹₺₻₼₽₾₿";
    (format!("(?:{before}{arithmetic}{after})"), format!("(?:{before}[{currency}]?{number})"))
}

/// The patterns of a prediction, by rank.
static PREDICTION: LazyLock<Vec<Rank>> = LazyLock::new(|| {
    let latex = format!("(?:{})", environments(false));
    let boxes = [environments(true), r"(?P<first_latexBoxed>\\boxed{.+})".to_owned()];
    let [first, second, third, fourth] = introduced(&latex);
    let mut ranks = vec![vec![first], vec![second], vec![third], vec![fourth]];
    if let Some(rank) = ranks.first_mut() {
        rank.extend(boxes);
    }
    let compiled = |rank: Vec<String>| {
        rank.iter().map(|pattern| (PythonRegex::dotall_constant(pattern), Target::Latex)).collect()
    };
    ranks.into_iter().map(compiled).collect()
});

/// The patterns of a reference, by rank.
static REFERENCE: LazyLock<Vec<Rank>> = LazyLock::new(|| {
    let latex = format!("(?:{})", environments(false));
    let boxes = [environments(true), r"(?P<first_latexBoxed>\\boxed{.+})".to_owned()];
    let (arithmetic, number) = plain_values();
    let [latex_0, latex_50, latex_100, latex_200] = introduced(&latex);
    let either = format!("(?:{arithmetic}|{number})");
    let plain = [
        format!(r"(?i:final answer is)\:?\s*{either}\.?\s?I hope"),
        format!(r"(?i:final answer.{{0,100}}?)\s+is\:?{either}"),
        format!(r"(?i:answer):(?:.{{0,100}}=\s*|.{{0,50}}?){either}(?!\s*=)"),
        format!(r"(?i:answer)(?:.{{0,100}}=\s*|.{{0,50}}?){either}(?!\s*=)"),
    ];
    let [plain_0, plain_50, plain_100, plain_200] = plain;
    let [boxed, bare_box] = boxes;
    let latex_of = |pattern: &str| (PythonRegex::dotall_constant(pattern), Target::Latex);
    let plain_of = |pattern: &str| (PythonRegex::constant(pattern), Target::Plain);
    vec![
        vec![latex_of(&latex_0), plain_of(&plain_0)],
        vec![latex_of(&latex_50), latex_of(&boxed), latex_of(&bare_box), plain_of(&plain_50)],
        vec![latex_of(&latex_100), plain_of(&plain_100)],
        vec![latex_of(&latex_200), plain_of(&plain_200)],
        vec![latex_of(&latex), plain_of(&arithmetic), plain_of(&number)],
    ]
});

/// LaTeX behind what introduces an answer, most trusted first.
fn introduced(latex: &str) -> [String; 4] {
    [
        format!(r"(?i:final answer is)\:?\s*{latex}\.?\s?I hope"),
        format!(r"(?i:final answer.{{0,100}}?)\s+is\:?\s*{latex}"),
        format!(r"(?i:answer):.{{0,50}}?{latex}"),
        format!(r"(?i:answer).{{0,50}}?{latex}"),
    ]
}

/// What a prediction answers.
pub(crate) fn prediction(text: &str) -> Extracted {
    extracted(text, &PREDICTION, false)
}

/// What a reference says. Nothing, not even a text, where it holds no formula.
pub(crate) fn reference(text: &str) -> Extracted {
    extracted(&format!("${text}$"), &REFERENCE, true)
}

fn extracted(text: &str, ranks: &[Rank], repairs: bool) -> Extracted {
    find(text, ranks, repairs).unwrap_or_else(|_| {
        // The matcher gave up.
        Extracted { readings: Vec::new(), is_undecided: true }
    })
}

fn find(text: &str, ranks: &[Rank], repairs: bool) -> Result<Extracted, PatternError> {
    for rank in ranks {
        let mut matches = Vec::new();
        for (pattern, target) in rank {
            for found in pattern.matches(text)? {
                let place = found.get(0).map_or((0, 0), |whole| (whole.end(), whole.start()));
                matches.push((place, found, *target, pattern));
            }
        }
        // The last end, then the first start; of equal ones the first pattern.
        matches.sort_by_key(|((end, start), ..)| (Reverse(*end), *start));
        if let Some((_, found, target, pattern)) = matches.into_iter().next() {
            return match target {
                Target::Latex => latex(&found, pattern, repairs),
                Target::Plain => Ok(plain(&found)),
            };
        }
    }
    Ok(Extracted::default())
}

/// The formulas of a match.
fn latex(
    found: &Captures<'_, str>,
    pattern: &PythonRegex,
    repairs: bool,
) -> Result<Extracted, PatternError> {
    let (mut formulas, mut texts) = (Vec::new(), Vec::new());
    for prefix in ["first_", "next1_", "next2_", "next3_", "next4_", "next5_"] {
        let mut groups = pattern
            .group_names()
            .filter(|name| name.strip_prefix(prefix).is_some_and(|name| name.starts_with("latex")));
        let group =
            groups.find(|name| found.name(name).is_some_and(|group| !group.as_str().is_empty()));
        let Some((name, group)) = group.and_then(|name| Some((name, found.name(name)?))) else {
            continue;
        };
        let boxes = if name.ends_with("latexBoxed") { Boxes::Last } else { Boxes::All };
        let text = normalized(group.as_str(), Normalization { boxes, units: true, repairs })?;
        let is_percent = found.name(&format!("{prefix}percent")).is_some();
        formulas.push(formula(&text).map(|value| if is_percent { percent(value) } else { value }));
        texts.push(text);
    }
    if formulas.len() > 1
        && let Ok(all) = formulas.iter().cloned().collect::<Result<Vec<_>, _>>()
    {
        let members = all.into_iter().flat_map(members).collect();
        return Ok(readings(Some(finite_set(members)), texts.join(" and "), false));
    }
    // Where one cannot be read, the first counts alone.
    let is_undecided = formulas.contains(&Err(Unread::Undecided));
    let first = formulas.into_iter().next().and_then(Result::ok);
    Ok(readings(first, texts.into_iter().next().unwrap_or_default(), is_undecided))
}

/// The members of a set that was written out, or the value itself.
fn members(value: Expression) -> Vec<Expression> {
    match value {
        Expression::FiniteSet(members) => members,
        other => vec![other],
    }
}

fn readings(value: Option<Expression>, text: String, is_undecided: bool) -> Extracted {
    let formula = value.map(Reading::Formula);
    let text = Some(text).filter(|text| !text.is_empty()).map(Reading::Text);
    Extracted { readings: formula.into_iter().chain(text).collect(), is_undecided }
}

/// What a formula says; if it says nothing as a whole, what its last side says.
fn formula(text: &str) -> Result<Expression, Unread> {
    read(text, !is_complex(text)).or_else(|reason| match last_side(text) {
        Some(side) if reason == Unread::Refused => read(side, !is_complex(side)),
        _ => Err(reason),
    })
}

/// Behind the last of several equal signs, where commas do not divide equations.
fn last_side(text: &str) -> Option<&str> {
    static SIDES: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<!\\|\<|\!|\>)="));
    if text.contains([',', ';']) {
        return None;
    }
    let signs = SIDES.matches(text).ok()?;
    let last = signs.last()?.get(0)?.end();
    if signs.len() > 1 { text.get(last..) } else { None }
}

/// Whether a formula speaks of complex numbers, ranks or determinants.
fn is_complex(text: &str) -> bool {
    static SIGNS: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(
            r"\\mathbb\{C\}|\\i\b|\bi\b|\\text\{i\}|\\mathrm\{i\}|\\imath\b|\\det|\\operatorname\{tr\}|\\operatorname\{rank\}|\\text\{rank\}|\\arg\{|\\Re\{|\\Im\{|\\operatorname\{Re\}|\\operatorname\{Im\}|\\text\{Re\}|\\text\{Im\}",
        )
    });
    SIGNS.finds(text).unwrap_or(false)
}

/// A hundredth of a value, which is kept apart from other numbers.
fn percent(value: Expression) -> Expression {
    let hundredth = BigRational::new(1.into(), 100.into());
    Expression::Mul(vec![value, Expression::Held(Box::new(Expression::rational(hundredth)))])
}

/// A number, or arithmetic of numbers.
fn plain(found: &Captures<'_, str>) -> Extracted {
    let group = |names: &[&str]| {
        let mut groups = names.iter().filter_map(|name| found.name(name));
        groups.find(|group| !group.as_str().is_empty()).map(|group| group.as_str())
    };
    let whole = group(&["integer1", "integer2", "integer3"]);
    let fraction = group(&["decimal1", "decimal2", "decimal3"]);
    if whole.is_some() || fraction.is_some() {
        let whole = whole.unwrap_or_default().replace([',', ' '], "");
        let digits = whole.trim_start_matches('0');
        let whole = if digits.is_empty() { "0" } else { digits };
        let text = format!("{whole}{}", fraction.unwrap_or_default().replace(',', "."));
        let unsigned = text.strip_prefix('-').unwrap_or(&text);
        let number = Number::parse(unsigned)
            .map(|number| if text.starts_with('-') { number.negated() } else { number });
        let value = number
            .map(Expression::Number)
            .map(|value| if group(&["percent"]).is_some() { percent(value) } else { value });
        let is_undecided = value.is_none();
        return readings(value, text, is_undecided);
    }
    let text = group(&["expr"]).unwrap_or_default();
    // Python has no sign for these.
    let is_foreign = text.contains(['×', '÷']);
    let value =
        if is_foreign { Err(Unread::Refused) } else { read(&text.replace('\n', " "), true) };
    let is_undecided = value == Err(Unread::Undecided);
    readings(value.ok(), text.to_owned(), is_undecided)
}
