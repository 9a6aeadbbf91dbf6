//! A command as it is typed into a shell.

/// Words as a shell reads them, with blanks between. What a shell would read otherwise stands in single quotes.
pub fn shell_text(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    let written = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    words.iter().map(written).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::shell_text;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["a", "", "b c", "it's", "$HOME", "*", "x=1"].map(str::to_owned);
        assert_eq!(shell_text(&words), r"a '' 'b c' 'it'\''s' '$HOME' '*' x=1");
    }
}
