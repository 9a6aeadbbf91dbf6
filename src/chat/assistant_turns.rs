//! Where the assistant's messages stand in a conversation's text.
//!
//! Templates made for training say it themselves, unless they do it where it cannot be followed (inside
//! of a macro or a variable). Of the others it is found by rendering: what the text
//! of the messages up to an answer has more than the text that asks for this answer is the answer, with the
//! markup that closes it. That is exact as long as the one text begins with the other and the whole
//! text with both; a template that writes a message differently once others follow is refused.

use std::ops::Range;

use serde::Serialize;

use super::{ChatError, ChatTemplate, Message, RenderOptions, Rendered};

/// What the assistant says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssistantTurns {
    /// Bytes of the rendered text, in order.
    pub spans: Vec<Range<usize>>,
    /// How that is known.
    pub marked_by: MarkedBy,
}

/// How it is known where the assistant's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkedBy {
    /// The template says it with `{% generation %}`.
    Template,
    /// The conversation was rendered up to each answer.
    Prefixes,
}

impl ChatTemplate {
    /// Where the assistant's messages stand in `rendered`, which is what this template made of the same
    /// messages with the same options.
    pub fn assistant_turns(
        &self,
        messages: &[Message],
        options: &RenderOptions,
        rendered: &Rendered,
    ) -> Result<AssistantTurns, ChatError> {
        if !rendered.assistant_spans.is_empty() && rendered.has_all_spans {
            let spans = rendered.assistant_spans.clone();
            return Ok(AssistantTurns { spans, marked_by: MarkedBy::Template });
        }
        let answers = (0..messages.len())
            .filter(|&index| messages.get(index).and_then(Message::role) == Some("assistant"));
        let spans = answers
            .map(|index| self.turn_between_prefixes(messages, index, options, &rendered.text))
            .collect::<Result<_, _>>()?;
        Ok(AssistantTurns { spans, marked_by: MarkedBy::Prefixes })
    }

    fn turn_between_prefixes(
        &self,
        messages: &[Message],
        index: usize,
        options: &RenderOptions,
        whole: &str,
    ) -> Result<Range<usize>, ChatError> {
        let unmarked = |problem: String| ChatError::Unmarked {
            template: self.name().to_owned(),
            index,
            problem,
        };
        let prefix = |end: usize, asks: bool| {
            let options = RenderOptions {
                add_generation_prompt: asks,
                continue_final_message: None,
                ..options.clone()
            };
            let rendered = self.render(messages.get(..end).unwrap_or_default(), &options);
            rendered
                .map(|rendered| rendered.text)
                .map_err(|error| unmarked(format!("the first {end} messages alone fail: {error}")))
        };
        let before = prefix(index, true)?;
        let goes_on = options.continue_final_message.is_some() && index + 1 == messages.len();
        let up_to = if goes_on { whole.to_owned() } else { prefix(index + 1, false)? };
        if !whole.starts_with(&up_to) {
            let problem = "the template writes it differently when more messages follow";
            return Err(unmarked(problem.to_owned()));
        }
        if !up_to.starts_with(&before) {
            let problem = "its text does not begin with what asks for it";
            return Err(unmarked(problem.to_owned()));
        }
        Ok(before.len()..up_to.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKED: &str = "{% for m in messages %}{% if m.role == 'assistant' %}A:{% generation %}{{ m.content }};{% endgeneration %}{% else %}U:{{ m.content }};{% endif %}{% endfor %}{% if add_generation_prompt %}A:{% endif %}";

    fn turns(source: &str) -> Result<(Vec<String>, MarkedBy), ChatError> {
        let template = ChatTemplate::compile("short", source)?;
        let said = [("user", "a"), ("assistant", "bé"), ("user", "c"), ("assistant", "d")];
        let messages = said.map(|(role, content)| Message::new(role, content));
        let options = RenderOptions::at(jiff::civil::date(2025, 1, 1).into());
        let rendered = template.render(&messages, &options)?;
        let turns = template.assistant_turns(&messages, &options, &rendered)?;
        let texts = turns.spans.into_iter().map(|span| rendered.text[span].to_owned());
        Ok((texts.collect(), turns.marked_by))
    }

    #[test]
    fn prefixes_find_what_marks_say() {
        let unmarked = MARKED.replace("{% generation %}", "").replace("{% endgeneration %}", "");
        let expected = vec!["bé;".to_owned(), "d;".to_owned()];
        assert_eq!(turns(MARKED).unwrap(), (expected.clone(), MarkedBy::Template));
        assert_eq!(turns(&unmarked).unwrap(), (expected, MarkedBy::Prefixes));
    }

    #[test]
    fn a_mark_that_is_lost_in_a_macro_is_not_half_believed() {
        let macro_says =
            "{% macro say(m) %}{% generation %}{{ m.content }};{% endgeneration %}{% endmacro %}";
        let both = MARKED.replace(
            "A:{% generation %}",
            "A:{% if loop.first or loop.last %}{{ say(m) }}{% else %}{% generation %}",
        );
        let both = both.replace("{% endgeneration %}", "{% endgeneration %}{% endif %}");
        let expected = vec!["bé;".to_owned(), "d;".to_owned()];
        assert_eq!(turns(&format!("{macro_says}{both}")).unwrap(), (expected, MarkedBy::Prefixes));
    }

    #[test]
    fn a_template_that_changes_earlier_answers_is_refused() {
        let changing = "{% for m in messages %}{{ m.content }}{{ '!' if loop.last }}{% endfor %}";
        let error = turns(changing).unwrap_err().to_string();
        assert!(error.contains("of message 1") && error.contains("more messages"), "{error}");
        let elsewhere = "{% if add_generation_prompt %}x{% endif %}{{ messages|length }}";
        assert!(turns(elsewhere).is_err());
    }
}
