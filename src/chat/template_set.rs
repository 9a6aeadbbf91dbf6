//! The templates of a checkpoint, and which of them is used.

use std::path::PathBuf;

use super::{ChatError, ChatTemplate};

/// The layout of most models that say nothing about theirs.
const CHATML: &str = "\
{% for message in messages %}\
{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}\
{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// One template of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTemplate {
    /// Its name; `default` for one that has none.
    pub name: String,
    /// Its text.
    pub source: String,
    /// The file it was found in.
    pub file: Option<PathBuf>,
}

/// Templates by name; a checkpoint's only one is named `default`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateSet {
    templates: Vec<NamedTemplate>,
}

/// The template that a user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TemplateChoice {
    /// The checkpoint's own: `tool_use` if there are tools and it has one, else `default`; ChatML if
    /// the checkpoint has no template at all.
    #[default]
    Automatic,
    /// The checkpoint's template of that name.
    Named(String),
    /// The user's own.
    Own {
        /// What messages call it: the file, or the field of the config.
        name: String,
        /// The template.
        source: String,
        /// Its file, if it has one.
        file: Option<PathBuf>,
    },
}

/// A template, ready for use.
#[derive(Debug)]
pub struct ChosenTemplate {
    /// The template.
    pub template: ChatTemplate,
    /// The file it was found in, if it was in one.
    pub file: Option<PathBuf>,
    /// What the user should know about the choice.
    pub note: Option<String>,
}

impl TemplateSet {
    /// Templates in the order in which they are listed; of two with one name the first counts.
    pub fn new(templates: Vec<NamedTemplate>) -> Self {
        Self { templates }
    }

    /// The names there are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|template| template.name.as_str())
    }

    /// The template of a name.
    pub fn get(&self, name: &str) -> Option<&NamedTemplate> {
        self.templates.iter().find(|template| template.name == name)
    }

    /// Compiles the template that a user wants, for conversations with or without tools.
    pub fn choose(
        &self,
        choice: &TemplateChoice,
        with_tools: bool,
    ) -> Result<ChosenTemplate, ChatError> {
        let chosen = match choice {
            TemplateChoice::Own { name, source, file } => {
                let template = ChatTemplate::compile(name, source)?;
                return Ok(ChosenTemplate { template, file: file.clone(), note: None });
            }
            TemplateChoice::Named(name) => self.get(name).ok_or_else(|| {
                ChatError::UnknownTemplate { name: name.clone(), available: self.names_owned() }
            })?,
            TemplateChoice::Automatic if self.templates.is_empty() => {
                let template = ChatTemplate::compile("ChatML", CHATML)?;
                let note = "the checkpoint has no chat template; ChatML is used, which may not be \
                            what it was trained with";
                return Ok(ChosenTemplate { template, file: None, note: Some(note.to_owned()) });
            }
            TemplateChoice::Automatic => self
                .get("tool_use")
                .filter(|_| with_tools)
                .or_else(|| self.get("default"))
                .ok_or_else(|| ChatError::NoDefault { available: self.names_owned() })?,
        };
        let template = ChatTemplate::compile(&chosen.name, &chosen.source)?;
        Ok(ChosenTemplate { template, file: chosen.file.clone(), note: None })
    }

    fn names_owned(&self) -> Vec<String> {
        self.names().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Message, RenderOptions},
        *,
    };

    fn set(names: &[&str]) -> TemplateSet {
        let template = |name: &&str| {
            let name = (*name).to_owned();
            NamedTemplate { source: name.clone(), name, file: None }
        };
        TemplateSet::new(names.iter().map(template).collect())
    }

    fn chosen(set: &TemplateSet, choice: &TemplateChoice, with_tools: bool) -> String {
        match set.choose(choice, with_tools) {
            Ok(chosen) => chosen.template.name().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn tools_choose_their_template_and_names_win() {
        let both = set(&["rag", "default", "tool_use"]);
        assert_eq!(chosen(&both, &TemplateChoice::Automatic, false), "default");
        assert_eq!(chosen(&both, &TemplateChoice::Automatic, true), "tool_use");
        assert_eq!(chosen(&set(&["default"]), &TemplateChoice::Automatic, true), "default");
        assert_eq!(chosen(&both, &TemplateChoice::Named("rag".to_owned()), true), "rag");
        let unknown = chosen(&both, &TemplateChoice::Named("rga".to_owned()), true);
        assert!(unknown.ends_with("the checkpoint has rag, default, tool_use"), "{unknown}");
        let without = chosen(&set(&["rag"]), &TemplateChoice::Automatic, false);
        assert!(without.contains("none is named `default`"), "{without}");
    }

    #[test]
    fn a_checkpoint_without_templates_gets_chatml_and_a_note() {
        let chosen = TemplateSet::default().choose(&TemplateChoice::Automatic, true).unwrap();
        assert!(chosen.note.is_some());
        let options = RenderOptions::at(jiff::civil::date(2025, 1, 1).into());
        let messages = [Message::new("user", "Hi")];
        let text =
            chosen.template.render(&messages, &options.with_generation_prompt()).unwrap().text;
        assert_eq!(text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    }
}
