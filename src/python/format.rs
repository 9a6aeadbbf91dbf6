//! Python's `str.format`, as prompts use it: names and gaps, no more.

/// `template.format(*values, **fields)`: a value for each empty pair of braces, a field for each name in them;
/// doubled braces are braces.
pub(crate) fn python_format(
    template: &str,
    values: &[&str],
    fields: &[(&str, &str)],
) -> Result<String, String> {
    let (mut text, mut values) = (String::new(), values.iter());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        if let Some(behind) = behind.strip_prefix("{{") {
            text.push('{');
            rest = behind;
        } else if let Some(behind) = behind.strip_prefix("}}") {
            text.push('}');
            rest = behind;
        } else {
            let gap = behind.strip_prefix('{').and_then(|gap| gap.split_once('}'));
            let Some((name, behind)) = gap else {
                return Err("its prompt has a brace that is no gap".to_owned());
            };
            let value = if name.is_empty() {
                values.next().copied()
            } else {
                fields.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
            };
            let Some(value) = value else {
                return Err(format!("nothing fills {{{name}}} of its prompt"));
            };
            text.push_str(value);
            rest = behind;
        }
    }
    Ok(text + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_names_are_filled() {
        let filled = |template| python_format(template, &["1", "{2}"], &[("x", "{y}")]);
        assert_eq!(filled("a {} {{b}} {} {x}").as_deref(), Ok("a 1 {b} {2} {y}"));
        for odd in ["{} {} {}", "{z}", "}", "{"] {
            assert!(filled(odd).is_err(), "{odd}");
        }
    }
}
