//! A checkpoint as conversations need it: templates, special tokens and, if there is one, a tokenizer.

#![expect(clippy::disallowed_methods, reason = "a template may be all there is of a checkpoint")]

use std::path::Path;

use jiff::civil::DateTime;

use super::PrepareError;
use crate::{
    chat::{
        ChatError, ChosenTemplate, NamedTemplate, RenderOptions, TemplateChoice, TemplateSet,
        checkpoint_templates, own_template,
    },
    hub::{CheckpointPart, DownloadProgress},
    model::{Checkpoint, ModelError, Tokenizer, TokenizerSettings, gguf::GgufFile},
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// Of a folder without a chat template, one of these says that it is a checkpoint all the same.
const CHECKPOINT_FILES: [&str; 4] =
    ["config.json", "tokenizer_config.json", "tokenizer.json", "tokenizer.model"];

/// What a folder, a file or a name on the hub gives for conversations. Weights
/// need not be there.
#[derive(Debug)]
pub struct ChatCheckpoint {
    templates: TemplateSet,
    settings: TokenizerSettings,
    tokenizer: Option<Tokenizer>,
}

impl ChatCheckpoint {
    /// Opens a checkpoint folder, a GGUF file, a `tokenizer_config.json`, a `.jinja` file, or a name on the
    /// hub. The neighbours of a text file give what it does not say itself: special tokens and the
    /// tokenizer.
    pub fn open(name: &str, progress: &dyn DownloadProgress) -> Result<Self, PrepareError> {
        let failed_model = |source: ModelError| PrepareError::Model {
            model: name.to_owned(),
            source: Box::new(source),
        };
        let failed_chat = |source: ChatError| PrepareError::Chat {
            model: name.to_owned(),
            source: Box::new(source),
        };
        let path = Checkpoint::locate(name, CheckpointPart::WithoutWeights, progress)
            .map_err(failed_model)?;
        let path = path.as_path();
        if Checkpoint::is_gguf(path) {
            let file = GgufFile::open(path).map_err(failed_model)?;
            let tokenizer = Tokenizer::from_gguf(file.metadata()).map_err(failed_model)?;
            let settings = tokenizer.settings().clone();
            let templates =
                checkpoint_templates(path, &settings.chat_templates).map_err(failed_chat)?;
            return Ok(Self { templates, settings, tokenizer: Some(tokenizer) });
        }
        if path.is_dir() {
            let folder = path.to_owned();
            let tokenizer = tokenizer(&folder).map_err(failed_model)?;
            let settings = match &tokenizer {
                Some(tokenizer) => tokenizer.settings().clone(),
                None => TokenizerSettings::read(&folder).map_err(failed_model)?,
            };
            let templates =
                checkpoint_templates(&folder, &settings.chat_templates).map_err(failed_chat)?;
            let is_checkpoint = CHECKPOINT_FILES.iter().any(|file| folder.join(file).is_file());
            if templates.names().next().is_none() && !is_checkpoint {
                let problem = format!(
                    "this is no checkpoint folder: there is no chat template in it, and none of {}",
                    CHECKPOINT_FILES.join(", ")
                );
                return Err(failed_chat(ChatError::Malformed { path: folder, problem }));
            }
            return Ok(Self { templates, settings, tokenizer });
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let (settings, templates) = if is_json {
            let settings = TokenizerSettings::read_file(path).map_err(failed_model)?;
            let named = |(name, source): &(String, String)| NamedTemplate {
                name: name.clone(),
                source: source.clone(),
                file: Some(path.to_owned()),
            };
            let templates = TemplateSet::new(settings.chat_templates.iter().map(named).collect());
            (settings, templates)
        } else {
            let source = regular_file::read_text(path, MOST_SETTINGS_BYTES).map_err(|source| {
                failed_chat(ChatError::Unreadable { path: path.to_owned(), source })
            })?;
            let file = Some(path.to_owned());
            let template = NamedTemplate { name: "default".to_owned(), source, file };
            let settings = TokenizerSettings::read(folder).map_err(failed_model)?;
            (settings, TemplateSet::new(vec![template]))
        };
        Ok(Self { templates, settings, tokenizer: tokenizer(folder).map_err(failed_model)? })
    }

    /// The template that is wanted: the user's own, a text or a file; the one of a name; or the
    /// checkpoint's default.
    pub fn template(
        &self,
        own: Option<&str>,
        name: Option<&str>,
        with_tools: bool,
    ) -> Result<ChosenTemplate, ChatError> {
        let find = |path: &Path| Some(path.to_owned()).filter(|path| path.is_file());
        let choice = match (own, name) {
            (Some(written), _) => own_template(written, "--template", find)?,
            (None, Some(name)) => TemplateChoice::Named(name.to_owned()),
            (None, None) => TemplateChoice::Automatic,
        };
        self.templates.choose(&choice, with_tools)
    }

    /// A rendering at a given time with the checkpoint's special tokens.
    pub fn options(&self, now: DateTime) -> RenderOptions {
        let special_tokens = self.settings.special_tokens.clone();
        RenderOptions { special_tokens, ..RenderOptions::at(now) }
    }

    /// The ids of a rendered conversation, to which no special tokens are added; nothing without a
    /// tokenizer.
    pub fn ids(&self, text: &str) -> Result<Option<Vec<u32>>, ModelError> {
        self.tokenizer.as_ref().map(|tokenizer| tokenizer.encode(text, false)).transpose()
    }

    /// The texts of the special tokens, as far as they are known.
    pub fn special_tokens(&self) -> Vec<String> {
        if let Some(tokenizer) = &self.tokenizer {
            return tokenizer.special_tokens();
        }
        let texts = |value: &serde_json::Value| match value {
            serde_json::Value::Array(tokens) => tokens.clone(),
            token => vec![token.clone()],
        };
        let tokens = self.settings.special_tokens.values().flat_map(texts);
        tokens.filter_map(|token| token.as_str().map(str::to_owned)).collect()
    }

    /// What is odd about a rendered conversation: a special token written twice at its beginning or its
    /// end.
    pub fn notes(&self, text: &str) -> Vec<String> {
        let twice = |token: &Option<String>| {
            token.as_ref().filter(|token| !token.is_empty()).map(|token| token.repeat(2))
        };
        let begins = twice(&self.settings.bos_token).is_some_and(|bos| text.starts_with(&bos));
        let ends =
            twice(&self.settings.eos_token).is_some_and(|eos| text.trim_end().ends_with(&eos));
        let mut notes = Vec::new();
        if begins {
            notes.push(
                "the text begins with two BOS tokens; the template and a message write one each"
                    .to_owned(),
            );
        }
        if ends {
            notes.push("the text ends with two EOS tokens".to_owned());
        }
        notes
    }
}

/// The tokenizer of a folder that has one.
fn tokenizer(folder: &Path) -> Result<Option<Tokenizer>, ModelError> {
    Tokenizer::is_in(folder).then(|| Tokenizer::read(folder)).transpose()
}
