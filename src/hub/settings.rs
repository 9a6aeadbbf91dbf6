//! How the hub is reached, from the environment variables of `huggingface_hub`.

use std::{
    env, fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Where the hub is without `HF_ENDPOINT`.
const ENDPOINT: &str = "https://huggingface.co";

/// How long nothing may arrive without `HF_HUB_DOWNLOAD_TIMEOUT`.
const STALL: Duration = Duration::from_secs(30);

/// How long a reply may come in slowly.
const SLOW: Duration = Duration::from_mins(1);

/// Waits before a request is sent again.
const WAITS: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];

/// How the hub is reached.
#[derive(Clone)]
pub struct HubSettings {
    /// The hub's address, without a slash at the end.
    pub endpoint: String,
    /// The cache, in the layout of `huggingface_hub`.
    pub cache: PathBuf,
    /// Sent to the hub, and nowhere else.
    pub token: Option<String>,
    /// Whether no connection may be made.
    pub offline: bool,
    /// How long a reply or more of a file may be waited for.
    pub stall: Duration,
    /// How long to wait before each further try; a hub that says how long is believed instead.
    pub waits: Vec<Duration>,
    /// How long a reply may come in at less than 1000 bytes a second.
    pub slow: Duration,
    /// Whether weights are taken of which the hub tells no sha256.
    pub allow_unverified: bool,
}

/// What [`HubSettings::allow_unverified`] is in the settings of this process.
static ALLOW_UNVERIFIED: AtomicBool = AtomicBool::new(false);

impl HubSettings {
    /// The settings that the environment asks for.
    pub fn from_env() -> Self {
        let home = text("HF_HOME").map_or_else(default_home, PathBuf::from);
        let cache = text("HF_HUB_CACHE")
            .or_else(|| text("HUGGINGFACE_HUB_CACHE"))
            .map_or_else(|| home.join("hub"), PathBuf::from);
        let token_file = text("HF_TOKEN_PATH").map_or_else(|| home.join("token"), PathBuf::from);
        let token = text("HF_TOKEN")
            .or_else(|| text("HUGGING_FACE_HUB_TOKEN"))
            .or_else(|| fs::read_to_string(token_file).ok());
        let stall = text("HF_HUB_DOWNLOAD_TIMEOUT").and_then(|seconds| seconds.parse().ok());
        Self {
            endpoint: text("HF_ENDPOINT")
                .map_or_else(|| ENDPOINT.to_owned(), |url| url.trim_end_matches('/').to_owned()),
            cache,
            token: token.map(|token| token.trim().to_owned()).filter(|token| is_token(token)),
            offline: is_set("HF_HUB_OFFLINE") || is_set("TRANSFORMERS_OFFLINE"),
            stall: stall.filter(|seconds| *seconds > 0).map_or(STALL, Duration::from_secs),
            waits: WAITS.to_vec(),
            slow: SLOW,
            allow_unverified: ALLOW_UNVERIFIED.load(Ordering::Relaxed),
        }
    }

    /// From now on the settings of this process allow weights of which the hub tells no sha256.
    pub fn allow_unverified_from_now_on() {
        ALLOW_UNVERIFIED.store(true, Ordering::Relaxed);
    }
}

/// Whether the text can stand in a header.
fn is_token(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The value of a variable that is set to something.
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Whether a switch is on, in the spellings that `huggingface_hub` knows.
fn is_set(name: &str) -> bool {
    text(name).is_some_and(|value| {
        ["1", "ON", "YES", "TRUE"].contains(&value.trim().to_ascii_uppercase().as_str())
    })
}

/// The folder of everything of Hugging Face without `HF_HOME`.
fn default_home() -> PathBuf {
    let cache = text("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| env::home_dir().map(|home| home.join(".cache")));
    cache.unwrap_or_default().join("huggingface")
}
