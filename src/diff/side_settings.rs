//! How a side's model was asked, as far as its program says so: `results_<date>.json` of lm-eval, beside the samples.
//!
//! Samples tell prompts and log-likelihoods, and in numbers alone a token that is missing at the beginning, a window that is
//! too small and another type look alike. What is stated settles it.

use serde_json::Value as Json;

/// What is said of a model; nothing where it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideSettings {
    /// What it was computed in: `f32`, `bf16` or `f16`.
    pub dtype: Option<String>,
    /// Whether a token is put before each text.
    pub adds_bos: Option<bool>,
    /// That token: its text and its id.
    pub bos: Option<(String, u32)>,
    /// Most tokens that it reads at once.
    pub window_tokens: Option<usize>,
}

impl SideSettings {
    /// Of a results file of lm-eval; nothing if it is none.
    pub fn of_results(text: &str) -> Option<Self> {
        let file: Json = serde_json::from_str(text).ok()?;
        let config = file.get("config")?.as_object()?;
        let bos = file.get("tokenizer_bos_token").and_then(|own| {
            let id = own.get(1)?;
            let id = id.as_u64().or_else(|| id.as_str()?.parse().ok())?;
            Some((own.get(0)?.as_str()?.to_owned(), u32::try_from(id).ok()?))
        });
        let window = file.get("max_length").and_then(Json::as_u64);
        let arguments = config.get("model_args");
        Some(Self {
            dtype: config.get("model_dtype").and_then(Json::as_str).and_then(dtype),
            adds_bos: arguments
                .and_then(|own| argument(own, "add_bos_token"))
                .and_then(|own| is_true(&own)),
            bos,
            window_tokens: window.and_then(|own| usize::try_from(own).ok()),
        })
    }
}

/// An argument of the model: of a dict, or of a text such as `pretrained=gpt2,dtype=float32`.
fn argument(arguments: &Json, name: &str) -> Option<String> {
    match arguments {
        Json::Object(fields) => match fields.get(name)? {
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        },
        Json::String(text) => {
            let mut parts = text.split(',').filter_map(|part| part.split_once('='));
            parts.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
        }
        _ => None,
    }
}

fn is_true(text: &str) -> Option<bool> {
    text.to_lowercase().parse().ok()
}

/// `torch.float32` as it is called here.
fn dtype(name: &str) -> Option<String> {
    let short = match name.strip_prefix("torch.").unwrap_or(name) {
        "float32" => "f32",
        "bfloat16" => "bf16",
        "float16" => "f16",
        _ => return None,
    };
    Some(short.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_stated_is_read_of_dicts_and_of_texts() {
        let stated = |arguments: Json| {
            let file = json!({
                "config": {"model_args": arguments, "model_dtype": "torch.bfloat16"},
                "tokenizer_bos_token": ["<s>", "1"], "max_length": 512,
            });
            SideSettings::of_results(&file.to_string()).unwrap()
        };
        let expected = SideSettings {
            dtype: Some("bf16".to_owned()),
            adds_bos: Some(false),
            bos: Some(("<s>".to_owned(), 1)),
            window_tokens: Some(512),
        };
        assert_eq!(stated(json!({"pretrained": "m", "add_bos_token": false})), expected);
        assert_eq!(stated(json!("pretrained=m,add_bos_token=False")), expected);
        assert_eq!(stated(json!("pretrained=m")), SideSettings { adds_bos: None, ..expected });
        assert_eq!(SideSettings::of_results("[]"), None);
        assert_eq!(SideSettings::of_results("no JSON"), None);
    }
}
