//! Whether an answer is the reference, and in which form both were compared.

use super::{
    compare::objects,
    equality::Verdict,
    extraction::{Extracted, Reading, prediction, reference},
    print::print,
};
use crate::python::{blank::strip, python_repr};

/// What comparing an answer with a reference came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verification {
    pub(crate) is_correct: bool,
    /// The answer could be right, and it is not worked out here.
    pub(crate) is_undecided: bool,
    /// What was read out of the answer, as Python prints it.
    pub(crate) prediction: String,
    /// What was read out of the reference.
    pub(crate) reference: String,
}

/// Compares an answer in running text with a reference; nothing if the reference holds no formula.
pub(crate) fn verify(answer: &str, gold: &str) -> Option<Verification> {
    let gold = reference(gold);
    if gold.readings.is_empty() && !gold.is_undecided {
        return None;
    }
    let answer = prediction(answer);
    let mut verdict = Verdict::Different;
    for given in &answer.readings {
        for expected in &gold.readings {
            verdict = verdict.or(|| compared(given, expected));
        }
    }
    let is_correct = verdict == Verdict::Equal;
    // Without an answer, or with one that cannot be the reference, nothing is left open.
    let is_open = verdict == Verdict::Undecided
        || (answer.is_undecided || gold.is_undecided) && !answer.readings.is_empty();
    Some(Verification {
        is_correct,
        is_undecided: !is_correct && (is_open || answer.is_undecided),
        prediction: printed(&answer),
        reference: printed(&gold),
    })
}

fn compared(given: &Reading, expected: &Reading) -> Verdict {
    match (given, expected) {
        (Reading::Formula(given), Reading::Formula(expected)) => objects(given, expected),
        (Reading::Text(given), Reading::Text(expected)) => {
            let (given, expected) = (strip(given), strip(expected));
            Verdict::of(!given.is_empty() && given == expected)
        }
        _ => Verdict::Different,
    }
}

/// A list of readings as Python prints it.
fn printed(extracted: &Extracted) -> String {
    let readings = extracted.readings.iter().map(|reading| match reading {
        Reading::Formula(formula) => print(formula),
        Reading::Text(text) => python_repr(&text.as_str().into()),
    });
    format!("[{}]", readings.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was run through `math_verify` 0.9.0; the last two are right there, and not worked out here.
    #[test]
    fn formulas_that_say_the_same_are_equal() {
        let rows = [
            (r"\boxed{0.5}", r"\frac{1}{2}", true, false),
            (r"\boxed{(x+1)^2}", "x^2+2x+1", true, false),
            (r"\boxed{x=5}", "5", true, false),
            (r"\boxed{x=5}", "2x=10", false, false),
            (r"\boxed{[1,\infty)}", r"[1,+\infty)", true, false),
            (r"\boxed{(1,2)}", "(1,2]", false, false),
            (r"\boxed{\sin\frac{\pi}{6}}", "1/2", true, false),
            (r"\boxed{17}", "17.0000001", false, false),
            ("The result is $5$.", "5", false, false),
            (r"\boxed{\lim_{x\to0}\frac{\sin x}{x}}", "1", false, true),
            (r"\boxed{1}", r"\lim_{x\to0}\frac{\sin x}{x}", false, true),
        ];
        for (answer, gold, is_correct, is_undecided) in rows {
            let found = verify(answer, gold).unwrap();
            assert_eq!(
                (found.is_correct, found.is_undecided),
                (is_correct, is_undecided),
                "{answer}"
            );
        }
        assert_eq!(verify(r"\boxed{5}", ""), None);
    }

    #[test]
    fn what_is_long_or_deep_is_read_or_refused() {
        for depth in [10, 23, 60, 5000] {
            let deep = format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
            let long = vec!["12"; depth].join("+");
            for text in [deep, long] {
                assert!(verify(&format!(r"\boxed{{{text}}}"), "1").is_some());
            }
        }
    }
}
