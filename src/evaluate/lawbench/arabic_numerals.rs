//! Chinese numerals turned into digits, as the package `cn2an` 0.5.24 does it in running text.
//!
//! A numeral that the package cannot read stays as it is, and so does the date or fraction that it is part
//! of. Only what the package's `transform(text, 'cn2an')` does is here; nothing is turned into words.

use std::{cell::Cell, sync::LazyLock};

use super::numeral::{DIGITS, UNITS, value};
use crate::postprocess::{PatternError, PythonRegex};

/// Those that only a text may have: traditional spellings.
const TRADITIONAL_DIGITS: &str = "貳兩參陸";
/// Formal spellings, which alone are more often part of a name.
const FORMAL_DIGITS: &str = "壹贰貳叁參肆伍陆陸柒捌玖";
/// What is measured in numbers.
const MEASURES: &str = "斤|克|千克|公斤|吨|米|厘米|毫米|公里|升|毫升|元|角|分|个|只|条|张|块|瓶|杯|份|本|辆|台|匹|头|位|亩|小时|分钟|秒|天|半";

/// What is looked for in a text, in this order.
struct Patterns {
    half: PythonRegex,
    date: PythonRegex,
    fraction: PythonRegex,
    percent: PythonRegex,
    celsius: PythonRegex,
    number: PythonRegex,
    number_or_mixed: PythonRegex,
    number_of_percent: PythonRegex,
    measure: PythonRegex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let digits = format!("{DIGITS}{TRADITIONAL_DIGITS}");
    let units = format!("{UNITS}萬億");
    let number = format!("负?(?:[{digits}{units}]+点)?[{digits}{units}]+");
    let mixed = format!(r"-?(?:[0-9]+\.)?[0-9]+[{units}]+");
    let compiled = |pattern: String| PythonRegex::constant(&pattern);
    Patterns {
        half: compiled(format!("半(?={MEASURES})")),
        date: compiled(format!(
            "(?:(?:{mixed}|{number})年)?(?:[{digits}{units}]+月)?(?:[{digits}{units}]+日)?"
        )),
        fraction: compiled(format!("{number}分之{number}")),
        percent: compiled(format!("百分之{number}")),
        celsius: compiled(format!("(?:零下)?{number}摄氏度")),
        number_or_mixed: compiled(format!("{mixed}|{number}")),
        number_of_percent: compiled(format!("(?<=百分之){number}")),
        number: compiled(number),
        measure: compiled(format!("^(?:{MEASURES})")),
    }
});

/// The text with digits for the numerals in it.
pub(super) fn with_arabic_numerals(text: &str) -> Result<String, PatternError> {
    let patterns = &*PATTERNS;
    let text = text.replace('廿', "二十");
    let text = patterns.half.replace(&text, "0.5")?;
    let text =
        replaced(&patterns.date, &text, |date| all_numbers(&patterns.number_or_mixed, date))?;
    let text = replaced(&patterns.fraction, &text, fraction)?;
    let text = replaced(&patterns.percent, &text, |percent| {
        let number = all_numbers(&patterns.number_of_percent, percent)?;
        Some(format!("{}%", number.replace("百分之", "")))
    })?;
    let text = replaced(&patterns.celsius, &text, |degrees| {
        let plain = degrees.strip_suffix("摄氏度")?;
        let (sign, plain) = match plain.strip_prefix("零下") {
            Some(plain) => ("-", plain),
            None => ("", plain),
        };
        Some(format!("{sign}{}℃", value(plain)?))
    })?;
    plain_numbers(&text)
}

/// Replaces every match; one that gives nothing stays.
fn replaced(
    pattern: &PythonRegex,
    text: &str,
    replacement: impl Fn(&str) -> Option<String>,
) -> Result<String, PatternError> {
    pattern.replace_by(text, |captures| {
        let found = captures.get(0).map_or("", |found| found.as_str());
        replacement(found).unwrap_or_else(|| found.to_owned())
    })
}

/// A text with all its numbers in digits, or nothing if one cannot be read.
fn all_numbers(pattern: &PythonRegex, text: &str) -> Option<String> {
    let is_readable = Cell::new(true);
    let digits = pattern.replace_by(text, |captures| {
        let digits = captures.get(0).and_then(|found| value(found.as_str()));
        is_readable.set(is_readable.get() && digits.is_some());
        digits.unwrap_or_default()
    });
    digits.ok().filter(|_| is_readable.get())
}

/// `三分之一` is 1/3.
fn fraction(text: &str) -> Option<String> {
    if text.starts_with('百') {
        return None;
    }
    let digits = all_numbers(&PATTERNS.number, text)?;
    let (denominator, numerator) = digits.split_once("分之")?;
    Some(format!("{numerator}/{denominator}"))
}

/// Numbers that are part of nothing else. `两` and formal spellings alone count only before a measure.
fn plain_numbers(text: &str) -> Result<String, PatternError> {
    let patterns = &*PATTERNS;
    patterns.number.replace_by(text, |captures| {
        let Some(found) = captures.get(0) else { return String::new() };
        let numeral = found.as_str();
        let behind = text.get(found.end()..).unwrap_or_default();
        let is_doubtful =
            numeral == "两" || numeral.chars().count() == 1 && FORMAL_DIGITS.contains(numeral);
        if is_doubtful && !patterns.measure.finds(behind).unwrap_or(false) {
            return numeral.to_owned();
        }
        value(numeral).unwrap_or_else(|| numeral.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was run in cn2an 0.5.24.
    #[test]
    fn numerals_are_read_as_in_the_package() {
        let rows = [
            ("判处有期徒刑三年六个月", "判处有期徒刑3年6个月"),
            ("二〇二三年十二月三十一日", "2023年12月31日"),
            ("三分之一和百分之二十点五", "1/3和20.5%"),
            ("零下十五摄氏度", "-15℃"),
            ("两个月，两人", "2个月，两人"),
            ("一万二，两千三百四，三百五", "12000，2340，350"),
            ("3万元，3千万年，1.5亿年，0.05万年", "3万元，30000000年，150000000年，500年"),
            ("负三点一四", "-3.14"),
            ("一百零五条、二百六十四条", "105条、264条"),
            ("千三十、一千零十", "千三十、1010"),
            ("十万零一千", "101000"),
            ("参与兩個", "参与2個"),
            ("半个月", "0.5个月"),
            ("一二三四五六七八九零", "1234567890"),
            ("三万二百万五", "302005000"),
            ("万，百分之百", "万，百分之百"),
            ("一亿三千万零五", "130000005"),
            ("廿三日", "23日"),
            ("陆先生", "陆先生"),
            ("100百万年", "100百万年"),
            ("十点十，一千百，一百十", "十点十，一千百，110"),
        ];
        for (text, expected) in rows {
            assert_eq!(with_arabic_numerals(text).unwrap(), expected, "{text}");
        }
    }
}
