//! Templates that read what is said in parts alone.
//!
//! `content` of a message is a text, or a list of parts such as `{"type": "text", "text": …}`. Templates of models that see go over parts,
//! and those of `LLaVA`, Idefics and their kin over nothing else: of a text they write nothing, or stop. So a short conversation is
//! written as texts first; where its words are lost, and are there when it is written as parts, the template is given parts from then on.

use super::{ChatTemplate, Message, RenderOptions};

/// What is said to find out: words that no template has of its own.
const SAID: [(&str, &str); 2] = [("user", "askedasatext"), ("assistant", "answeredasatext")];

impl ChatTemplate {
    /// The same template, given parts in the place of texts if it writes texts in no other form.
    #[must_use]
    pub fn reading_texts(mut self, options: &RenderOptions) -> Self {
        let options = RenderOptions {
            add_generation_prompt: false,
            continue_final_message: None,
            ..options.clone()
        };
        let messages = SAID.map(|(role, said)| Message::new(role, said));
        let writes = |template: &Self| {
            let written = template.render(&messages, &options);
            written.is_ok_and(|own| SAID.iter().all(|(_, said)| own.text.contains(said)))
        };
        if !writes(&self) {
            self.is_given_parts = true;
            self.is_given_parts = writes(&self);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const OF_PARTS: &str = "{% for m in messages %}{{ m.role }}:{% for p in m.content | selectattr('type', 'equalto', 'text') %}{{ p.text }}\
        {% endfor %};{% endfor %}";
    const OF_TEXTS: &str = "{% for m in messages %}{{ m.role + ':' + m.content }};{% endfor %}";
    const OF_BOTH: &str = "{% for m in messages %}{{ m.role }}:{% if m.content is string %}{{ m.content }}{% else %}{{ m.content[0].text }}!\
        {% endif %};{% endfor %}";
    const OF_FIRST_PART: &str =
        "{% for m in messages %}{{ m.role + ':' + m.content[0]['text'] }};{% endfor %}";

    #[test]
    fn texts_are_given_in_the_form_in_which_they_are_written() {
        let options = RenderOptions::at(date(2025, 7, 4).at(9, 5, 6, 0));
        let messages = [Message::new("user", "Hi"), Message::new("assistant", "A")];
        for source in [OF_PARTS, OF_TEXTS, OF_BOTH, OF_FIRST_PART] {
            let template = ChatTemplate::compile("own", source).unwrap().reading_texts(&options);
            let written = template.render(&messages, &options).unwrap();
            assert_eq!(written.text, "user:Hi;assistant:A;", "{source}");
            let goes_on = RenderOptions {
                continue_final_message: Some("content".to_owned()),
                ..options.clone()
            };
            let written = template.render(&messages, &goes_on).unwrap();
            assert_eq!(written.text, "user:Hi;assistant:A", "{source}");
        }
    }

    #[test]
    fn a_template_that_writes_neither_stays_as_it_is() {
        let options = RenderOptions::at(date(2025, 7, 4).at(9, 5, 6, 0));
        let template = ChatTemplate::compile("own", "{{ messages[0].content }}").unwrap();
        let template = template.reading_texts(&options);
        let written = template.render(&[Message::new("user", "Hi")], &options).unwrap();
        assert_eq!(written.text, "Hi");
    }
}
