//! One Chinese numeral in digits, as the package `cn2an` 0.5.24 reads it on its own.
//!
//! Where numerals stand in a text, and what becomes of dates and fractions, is for its neighbour
//! [`arabic_numerals`](super::arabic_numerals).

use std::sync::LazyLock;

use crate::{postprocess::PythonRegex, python::python_str};

/// Digits, as they are written in a text.
pub(super) const DIGITS: &str = "零〇一壹幺二贰两三叁四肆五伍六陆七柒八捌九玖";
/// Units, as they are written in a text.
pub(super) const UNITS: &str = "十拾百佰千仟万亿";

/// A numeral in digits; nothing where the package cannot read it.
pub(super) fn value(numeral: &str) -> Option<String> {
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
