//! `xml_tag`: what a model wrote between two tags, such as `<conclude>` and `</conclude>`.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor, blank::strip, python_regex::PythonRegex};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

/// What a text without the tag becomes.
const MISSING: &str = "NO ANSWER FOUND";

/// Takes the content of a tag's last occurrence, without blanks around it.
pub(super) struct XmlTag {
    content: PythonRegex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    tag: String,
}

impl XmlTag {
    /// Reads `tag`, written with its angle brackets: `'<conclude>'`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Parameters { tag } = component.read()?;
        let name =
            tag.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).ok_or_else(|| {
                ConfigError::at(&component.origin, format!("tag {tag:?} has no angle brackets"))
                    .with_hint(format!("write tag='<{tag}>'"))
            })?;
        let content = PythonRegex::dotall(&format!("{tag}(.*?)</{name}>"))
            .map_err(|error| error.at(&component.origin))?;
        Ok(Box::new(Self { content }))
    }
}

impl Postprocessor for XmlTag {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        Ok(Value::from(self.content.last(text)?.map_or(MISSING, strip)))
    }
}
