//! A template over the columns of one row, as lm-evaluation-harness renders them.
//!
//! It is the language of chat templates in another environment: a column that is not there is an error and never empty
//! text, line breaks around tags stay, and so does the one at the end.

use minijinja::{Environment, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde};
use serde_json::{Map, Value as Json};

use super::{
    ChatError, dialect, limits,
    template::{compiled, guarded},
};

/// The name under which the engine knows the one template of an environment.
const ENTRY: &str = "row";

/// A compiled template of a row.
///
/// ```
/// use serde_json::json;
/// use surprisal::chat::RowTemplate;
///
/// let template = RowTemplate::compile("doc_to_text", "Q: {{question.strip()}}\nA:\n")?;
/// let row = json!({"question": " Why? "});
/// assert_eq!(template.render(row.as_object().unwrap())?, "Q: Why?\nA:\n");
/// assert!(RowTemplate::compile("doc_to_text", "{{answer}}")?.render(row.as_object().unwrap()).is_err());
/// # Ok::<(), surprisal::chat::ChatError>(())
/// ```
#[derive(Debug)]
pub struct RowTemplate {
    name: String,
    environment: Environment<'static>,
}

impl RowTemplate {
    /// Compiles a template; the name is for messages about it.
    ///
    /// # Errors
    ///
    /// Where it is no template, names a filter that is not known, or is longer than the limits of chat templates.
    pub fn compile(name: &str, source: &str) -> Result<Self, ChatError> {
        let mut environment = dialect::environment();
        environment.set_syntax(
            SyntaxConfig::builder()
                .keep_trailing_newline(true)
                .build()
                .map_err(|error| ChatError::from_engine(name, &error))?,
        );
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let environment = compiled(name, source, ENTRY, environment)?;
        Ok(Self { name: name.to_owned(), environment })
    }

    /// The text of a row.
    ///
    /// # Errors
    ///
    /// Where the row lacks a column that the template names, a value cannot be used as it is, or the limits of chat
    /// templates are reached.
    pub fn render(&self, row: &Map<String, Json>) -> Result<String, ChatError> {
        let columns = Value::from_pairs(
            row.iter().map(|(name, value)| (name.clone(), Value::from(Serde(value.clone())))),
        );
        let rendered = guarded(|| self.environment.get_template(ENTRY)?.render(columns))
            .map_err(|error| ChatError::from_engine(&self.name, &error))?;
        if rendered.len() > limits::OUTPUT_BYTES {
            let limit = format!("its text is longer than {} MiB", limits::OUTPUT_BYTES >> 20);
            return Err(ChatError::Limit { template: self.name.clone(), line: None, limit });
        }
        Ok(rendered)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(source: &str) -> Result<String, ChatError> {
        let row = json!({"question": "Why?", "choices": {"text": ["a", "it's"], "label": [1, 2.0]}, "n": null});
        RowTemplate::compile("test", source)?.render(row.as_object().unwrap_or(&Map::new()))
    }

    #[test]
    fn rows_are_rendered_as_by_lm_eval() {
        for (source, expected) in [
            ("{{question}}\n", "Why?\n"),
            ("  {% if question %}\n  x\n  {% endif %}\n", "  \n  x\n  \n"),
            ("{{choices.text}}", "['a', \"it's\"]"),
            ("{{choices['label'][1]}} {{n}}", "2.0 None"),
            ("{% for t in choices.text %}{{ loop.index }}:{{ t }}\n{% endfor %}", "1:a\n2:it's\n"),
            ("{{[question, 'b']|join(' - ')}} {{ 3 // 2 }}", "Why? - b 1"),
        ] {
            assert_eq!(render(source).ok().as_deref(), Some(expected), "{source}");
        }
    }

    #[test]
    fn a_column_that_is_not_there_is_an_error() {
        for source in ["{{answer}}", "{% if answer %}x{% endif %}", "{{choices.other}}", "{{x.y}}"]
        {
            assert!(render(source).is_err(), "{source}");
        }
        assert_eq!(render("{{answer|default('-')}}").ok().as_deref(), Some("-"));
    }
}
