//! Texts to write: summaries, translations, instructions followed to the letter.

use serde_json::Value;

use super::{
    class::{ClassForm, Format, Tables, one, own},
    file::{Encoding, Item, malformed, split_lines, text, text_lines},
    row::{Fields, Flaw, Made, Row, row, strip},
    step::Step::{Letter, Own},
};

/// How many lines of `XSum` are read.
const XSUM_LINES: usize = 1000;

pub(super) const SUMM_EDITS: ClassForm = one(Format::Lines, &[Letter("label", "label", "BA")]);

pub(super) const IF_EVAL: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        *line = row([("prompt", line.at("prompt")?.clone()), ("reference", line.clone().into())]);
        Ok(())
    })],
);

pub(super) const FLORES: ClassForm = own(&["path", "name"], |arguments| {
    let name = arguments.text("name")?;
    let folder = arguments.path("path")?;
    let [source, target] = name.split('-').collect::<Vec<_>>()[..] else {
        return arguments
            .asked(Flaw::new(format!("name='{name}' is no pair of languages like a-b")));
    };
    let table = |split: &str| {
        let lines =
            |language: &str| text_lines(&folder.join(split).join(format!("{language}.{split}")));
        let (sources, targets) = (lines(source)?, lines(target)?);
        if sources.len() != targets.len() {
            let what =
                format!("{} lines of {source}, {} of {target}", sources.len(), targets.len());
            return Err(malformed(&folder.join(split).display().to_string(), Flaw(what)));
        }
        let pair = |(one, other): (&Item, &Item)| {
            row([
                (&*format!("sentence_{source}"), stripped(one)),
                (&*format!("sentence_{target}"), stripped(other)),
            ])
        };
        Ok(sources.iter().zip(&targets).map(pair).collect::<Vec<Row>>())
    };
    Ok(Tables::Splits(vec![("dev".into(), table("dev")?), ("devtest".into(), table("devtest")?)]))
});

pub(super) const LCSTS: ClassForm = own(&["path"], |arguments| {
    let folder = arguments.path("path")?;
    let (texts, summaries) =
        (text_lines(&folder.join("test.src.txt"))?, text_lines(&folder.join("test.tgt.txt"))?);
    let pair = |(text, summary)| row([("content", stripped(text)), ("abst", stripped(summary))]);
    Ok(Tables::Single(texts.iter().zip(&summaries).map(pair).collect()))
});

pub(super) const XSUM: ClassForm =
    own(&["path"], |arguments| {
        let path = arguments.path("path")?;
        let text = text(&path, Encoding::Ignoring)?;
        let mut rows = Vec::new();
        for (index, line) in split_lines(&text).take(XSUM_LINES).enumerate() {
            let read = dialogue(&without_nan(line));
            rows.extend(read.map_err(|flaw| {
                malformed(&format!("{}, line {}", path.display(), index + 1), flaw)
            })?);
        }
        Ok(Tables::Single(rows))
    });

fn stripped(line: &Item) -> Value {
    strip(line.value.as_str().unwrap_or_default()).into()
}

/// A dialogue and its summary; nothing where either is a fraction, which is how a gap was written.
fn dialogue(line: &str) -> Made<Option<Row>> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| Flaw(format!("this line is not JSON: {error}")))?;
    let (dialogue, summary) = (value.at("dialogue")?, value.at("summary")?);
    if dialogue.is_f64() || summary.is_f64() {
        return Ok(None);
    }
    Ok(Some(row([("dialogue", dialogue.clone()), ("summary", summary.clone())])))
}

/// Python's JSON knows `NaN`, which is a fraction like any other here.
fn without_nan(line: &str) -> String {
    let mut parts = Vec::new();
    let mut rest = line;
    // Texts and what stands between them, by turns.
    while let Some(begin) = rest.find('"') {
        let (between, text) = rest.split_at(begin);
        let mut is_escaped = false;
        let end = text.char_indices().skip(1).find(|(_, letter)| {
            let closes = *letter == '"' && !is_escaped;
            is_escaped = *letter == '\\' && !is_escaped;
            closes
        });
        let (text, after) = text.split_at(end.map_or(text.len(), |(place, _)| place + 1));
        parts.push(between.replace("NaN", "0.5"));
        parts.push(text.to_owned());
        rest = after;
    }
    parts.push(rest.replace("NaN", "0.5"));
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::without_nan;

    #[test]
    fn only_a_bare_nan_is_a_fraction() {
        let line = r#"{"a": NaN, "NaN \" NaN": "NaN\\", "b": NaN}"#;
        assert_eq!(without_nan(line), r#"{"a": 0.5, "NaN \" NaN": "NaN\\", "b": 0.5}"#);
    }
}
