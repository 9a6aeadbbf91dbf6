//! Numbers as people read them.

/// A count with its thousands apart: `22,344`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount of memory in KiB, MiB or GiB, with three digits that count.
pub fn memory(bytes: usize) -> String {
    let (unit, size) = [("GiB", 1 << 30), ("MiB", 1 << 20)]
        .into_iter()
        .find(|(_, size)| bytes >= *size)
        .unwrap_or(("KiB", 1 << 10));
    let amount = bytes as f64 / size as f64;
    let decimals = if amount < 9.995 { 2 } else { usize::from(amount < 99.95) };
    format!("{amount:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_and_units() {
        assert_eq!(
            [0, 999, 1000, 581_888, 39_300_000].map(grouped),
            ["0", "999", "1,000", "581,888", "39,300,000"]
        );
        assert_eq!(
            [512, 50 << 20, 3 << 29, 123 << 20].map(memory),
            ["0.50 KiB", "50.0 MiB", "1.50 GiB", "123 MiB"]
        );
    }
}
