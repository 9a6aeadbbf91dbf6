//! Chinese numerals turned into digits, as the package `cn2an` 0.5.24 does it in running text.
//!
//! A numeral that the package cannot read stays as it is, and so does the date or fraction that it is part
//! of. Only what the package's `transform(text, 'cn2an')` does is here; nothing is turned into words.

use std::{cell::Cell, sync::LazyLock};

use crate::{
    postprocess::{PatternError, PythonRegex},
    python::python_str,
};

/// Digits, as they are written in a text.
const DIGITS: &str = "零〇一壹幺二贰两三叁四肆五伍六陆七柒八捌九玖";
/// Those that only a text may have: traditional spellings.
const TRADITIONAL_DIGITS: &str = "貳兩參陸";
/// Formal spellings, which alone are more often part of a name.
const FORMAL_DIGITS: &str = "壹贰貳叁參肆伍陆陸柒捌玖";
/// Units, as they are written in a text.
const UNITS: &str = "十拾百佰千仟万亿";
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

/// A numeral in digits; nothing where the package cannot read it.
fn value(numeral: &str) -> Option<String> {
    let simplified: String = numeral
        .chars()
        .map(|letter| match letter {
            '貳' => '贰',
            '兩' => '两',
            '參' => '参',
            '陸' => '陆',
            '萬' => '万',
            '億' => '亿',
            other => other,
        })
        .collect();
    let complete = simplified.replace("零十", "零一十").replace("零百", "零一百");
    if let Some(mixed) = mixed_value(&complete) {
        return Some(mixed);
    }
    let (sign, plain) = match complete.strip_prefix('负') {
        Some(plain) => ("-", plain),
        None => ("", complete.as_str()),
    };
    let (whole, fraction) = match plain.split_once('点') {
        Some((whole, fraction)) => (words_for_digits(whole)?, Some(fraction)),
        None => (words_for_digits(plain)?, None),
    };
    let whole = whole_number(&with_missing_words(&whole)?)?;
    let Some(fraction) = fraction else {
        return Some(if whole == "0" { whole } else { format!("{sign}{whole}") });
    };
    let places = fraction.chars().count();
    let digits: String = fraction.chars().map(digit).collect::<Option<_>>()?;
    if places > 16 {
        return None;
    }
    // Rounding to the places that are written is what reading them gives.
    let number: f64 = format!("{whole}.{digits}").parse().ok()?;
    let number = if sign.is_empty() { number } else { -number };
    Some(python_str(&number.into()))
}

/// A number in digits with at most one unit behind it.
fn mixed_value(numeral: &str) -> Option<String> {
    let (sign, plain) = match numeral.strip_prefix('-') {
        Some(plain) => ("-", plain),
        None => ("", numeral),
    };
    let unit = plain.chars().last().and_then(unit)?;
    let number = plain.get(..plain.len() - '十'.len_utf8())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) || number.ends_with('.') {
        return None;
    }
    // All digits as a whole number of the last place, which is then cut off.
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = 10_u128.checked_pow(fraction.len().try_into().ok()?)?;
    let value = digits.checked_mul(unit)? / scale;
    Some(if value == 0 { "0".to_owned() } else { format!("{sign}{value}") })
}

/// Runs of digits in a numeral with several units, such as the 3 of `3千万`, in words.
fn words_for_digits(numeral: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut words = String::new();
    let mut rest = numeral;
    while let Some(first) = rest.chars().next() {
        if !is_digit(first) {
            words.push(first);
            rest = rest.get(first.len_utf8()..)?;
            continue;
        }
        let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        words.push_str(&in_words(rest.get(..end)?)?);
        rest = rest.get(end..)?;
    }
    Some(words)
}

/// Digits in words; those of a number that begins with 0 one by one.
fn in_words(digits: &str) -> Option<String> {
    static ZERO: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant("(?<=[万亿])零(?=[一二三四五六七八九][千仟])"));
    const WORDS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    const PLACES: [&str; 16] = [
        "", "十", "百", "千", "万", "十", "百", "千", "亿", "十", "百", "千", "万", "十", "百",
        "千",
    ];
    let values: Vec<usize> =
        digits.bytes().map(|byte| usize::from(byte.saturating_sub(b'0'))).collect();
    let word = |value: usize| WORDS.get(value).copied();
    if values.len() > 1 && values.first() == Some(&0) {
        return values.into_iter().map(word).collect();
    }
    let mut words = String::new();
    for (index, &value) in values.iter().enumerate() {
        let place = values.len() - index - 1;
        if value > 0 {
            words.push(word(value)?);
            words.push_str(PLACES.get(place)?);
            continue;
        }
        if place.is_multiple_of(4) {
            words.push(word(0)?);
            words.push_str(PLACES.get(place)?);
        }
        if index > 0 && !words.ends_with('零') {
            words.push('零');
        }
    }
    if values.len() > PLACES.len() {
        return None;
    }
    for (from, to) in [("零零", "零"), ("零万", "万"), ("零亿", "亿"), ("亿万", "亿")] {
        words = words.replace(from, to);
    }
    let words = words.trim_matches('零');
    let words = ZERO.replace(words, "").ok()?;
    Some(match words.strip_prefix("一十") {
        Some(rest) => format!("十{rest}"),
        None if words.is_empty() => "零".to_owned(),
        None => words,
    })
}

/// The words that speech leaves out: `千三十` is `千零三十`.
fn with_missing_words(numeral: &str) -> Option<String> {
    static RULES: LazyLock<[(PythonRegex, &str); 4]> = LazyLock::new(|| {
        [
            (format!("(万)零(?=[{DIGITS}][千仟])"), ""),
            (format!("([万亿])(?=[{DIGITS}][十拾百佰])"), "零"),
            (format!("([千仟])(?=[{DIGITS}]?[十拾])"), "零"),
            ("([百佰])(?=[十拾])".to_owned(), "一"),
        ]
        .map(|(pattern, word)| (PythonRegex::constant(&pattern), word))
    });
    let mut text = numeral.to_owned();
    for (pattern, word) in RULES.iter() {
        text = pattern
            .replace_by(&text, |captures| {
                let unit = captures.get(1).map_or("", |found| found.as_str());
                format!("{unit}{word}")
            })
            .ok()?;
    }
    Some(text.replace("零十", "零一十").replace("零拾", "零一拾"))
}

/// A whole number in digits, in one of three ways: as it is counted, digit by digit, or with a last digit
/// whose unit is left out.
fn whole_number(numeral: &str) -> Option<String> {
    static SPOKEN: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(&format!("^(?:[{DIGITS}]{{0,2}}[{UNITS}])+[{DIGITS}]$"))
    });
    if counted().finds(numeral).ok()? {
        return sum(numeral).map(|value| value.to_string());
    }
    if let Some(digits) = numeral.chars().map(digit).collect::<Option<String>>() {
        let digits = digits.trim_start_matches('0');
        let is_number = !numeral.is_empty();
        return is_number.then(|| if digits.is_empty() { "0" } else { digits }.to_owned());
    }
    let letters: Vec<char> = numeral.chars().collect();
    if letters.len() < 3 || !SPOKEN.finds(numeral).ok()? {
        return None;
    }
    let unit = match letters.get(letters.len() - 2)? {
        '百' | '佰' => '十',
        '千' | '仟' => '百',
        '万' => '千',
        _ => return None,
    };
    sum(&format!("{numeral}{unit}")).map(|value| value.to_string())
}

/// How numbers up to sixteen places are written.
fn counted() -> &'static PythonRegex {
    static COUNTED: LazyLock<PythonRegex> = LazyLock::new(|| {
        let (zero, ten, hundred, thousand) = ("[零〇]", "[十拾]", "[百佰]", "[千仟]");
        let one = "[一壹幺二贰两三叁仨四肆五伍六陆七柒八捌九玖]";
        let tens = format!("{one}{ten}{one}?");
        let to_99 = format!("(?:{one}?{ten}{one}?|{one})");
        let hundreds = format!("(?:{one}{hundred}(?:{zero}{one})?|{one}{hundred}{tens})");
        let to_999 = format!("(?:{hundreds}|{to_99})");
        let thousands = format!("(?:{one}{thousand}(?:{zero}{to_99})?|{one}{thousand}{hundreds})");
        let to_9999 = format!("(?:{thousands}|{to_999})");
        let with_10_000 = format!("(?:{to_9999}万(?:{zero}{to_999})?|{to_9999}万{thousands})");
        let to_8_places = format!("(?:{with_10_000}|{to_9999})");
        let with_100_million =
            format!("(?:{to_8_places}亿(?:{zero}{to_8_places})?|{to_8_places}亿{with_10_000})");
        PythonRegex::constant(&format!("^(?:{zero}|{with_100_million}|{to_8_places})$"))
    });
    &COUNTED
}

/// Digits times their units, added up from the right.
fn sum(numeral: &str) -> Option<u128> {
    let letters: Vec<char> = numeral.chars().collect();
    let (mut sum, mut unit, mut large) = (0_u128, 1_u128, 1_u128);
    for (index, &letter) in letters.iter().enumerate().rev() {
        if let Some(value) = digit(letter).and_then(|digit| digit.to_digit(10)) {
            sum = sum.checked_add(u128::from(value).checked_mul(unit)?)?;
            continue;
        }
        unit = self::unit(letter)?;
        if unit.is_multiple_of(10_000) {
            if unit > large {
                large = unit;
            } else {
                large = large.checked_mul(unit)?;
                unit = large;
            }
        }
        if unit < large {
            unit = unit.checked_mul(large)?;
        }
        if index == 0 {
            sum = sum.checked_add(unit)?;
        }
    }
    Some(sum)
}

fn digit(letter: char) -> Option<char> {
    Some(match letter {
        '零' | '〇' => '0',
        '一' | '壹' | '幺' => '1',
        '二' | '贰' | '两' => '2',
        '三' | '叁' => '3',
        '四' | '肆' => '4',
        '五' | '伍' => '5',
        '六' | '陆' => '6',
        '七' | '柒' => '7',
        '八' | '捌' => '8',
        '九' | '玖' => '9',
        _ => return None,
    })
}

fn unit(letter: char) -> Option<u128> {
    Some(match letter {
        '十' | '拾' => 10,
        '百' | '佰' => 100,
        '千' | '仟' => 1000,
        '万' => 10_000,
        '亿' => 100_000_000,
        _ => return None,
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
