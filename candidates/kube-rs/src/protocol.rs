//! Driver protocol 1: what is asked, and how it is answered.

use std::{
    collections::BTreeMap,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::{Write, stdout},
};

use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Request {
    pub id: i64,
    pub op: String,
    pub r#impl: String,
    pub options: Options,
    pub lane: String,
    pub item: Option<String>,
    pub ns: i64,
    pub kind: String,
    pub seed: u64,
    pub programs: BTreeMap<String, Vec<Vec<Value>>>,
}

impl Request {
    /// A step of a program: an op, and the item or whatever else it goes with.
    pub fn step(lane: &str, words: &[Value]) -> Result<Self, Failure> {
        let mut fields = match words.get(1) {
            Some(Value::Object(fields)) => fields.clone(),
            Some(item) => Map::from_iter([("item".to_owned(), item.clone())]),
            None => Map::new(),
        };
        fields.insert("op".to_owned(), words.first().cloned().unwrap_or_default());
        fields.insert("lane".to_owned(), lane.into());
        serde_json::from_value(Value::Object(fields)).map_err(Failure::senseless)
    }
}

/// What a candidate is to be made with. All times are in nanoseconds.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Options {
    pub max_concurrent_reconciles: Option<i64>,
    pub rate_limiter: Script,
}

/// How a scripted rate limiter answers.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Script {
    pub delays: Vec<u64>,
}

pub type Answer = Result<Value, Failure>;

/// Why there is no value.
pub struct Failure {
    kind: &'static str,
    text: String,
}

impl Failure {
    pub fn unsupported(text: impl ToString) -> Self {
        Self { kind: "unsupported", text: text.to_string() }
    }

    pub fn senseless(text: impl ToString) -> Self {
        Self { kind: "protocol", text: text.to_string() }
    }

    pub fn raised(text: impl ToString) -> Self {
        Self { kind: "raised", text: text.to_string() }
    }
}

/// Writes one line, in one write, so that the runner sees it at once.
pub fn answer(id: i64, answer: Answer) {
    let message = match answer {
        Ok(value) => json!({ "id": id, "ok": true, "val": value }),
        Err(failure) => json!({ "id": id, "ok": false, "error": { "kind": failure.kind, "text": failure.text } }),
    };
    stdout().write_all(format!("{message}\n").as_bytes()).expect("somebody listens");
}

pub fn identity(ops: &[&str]) -> Value {
    json!({
        "protocol": 1,
        "name": "kube-rs",
        "version": env!("KUBE"),
        "build": format!("{} {}", env!("RUSTC_VERSION"), executable_hash()),
        "language": "rust",
        "ops": ops,
        "capabilities": {
            "virtual_clock": true, "settle": true, "burst": true, "cancel": false, "step": false,
            "resolution_ns": 1_000_000,
        },
    })
}

fn executable_hash() -> String {
    let mut hasher = DefaultHasher::new();
    env::current_exe().and_then(fs::read).unwrap_or_default().hash(&mut hasher);
    format!("{:016x}", hasher.finish())[..12].to_owned()
}
