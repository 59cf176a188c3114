//! Lines in and out.

use serde_json::{json, Value};
use std::io::{stdout, Write};

/// Why a request is not answered with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub kind: &'static str,
    pub text: String,
}

pub type Answer = Result<Value, Refused>;

impl Refused {
    pub fn unsupported(what: &str) -> Self {
        Refused { kind: "unsupported", text: what.to_owned() }
    }

    pub fn senseless(why: &str) -> Self {
        Refused { kind: "protocol", text: why.to_owned() }
    }

    pub fn raised(text: String) -> Self {
        Refused { kind: "raised", text }
    }

    pub fn uncontrolled(text: String) -> Self {
        Refused { kind: "uncontrolled", text }
    }

    pub fn told(&self) -> Value {
        json!({"kind": self.kind, "text": self.text})
    }
}

pub fn answer(id: &Value, result: Answer) {
    say(match result {
        Ok(val) => json!({"id": id, "ok": true, "val": val}),
        Err(why) => json!({"id": id, "ok": false, "error": why.told()}),
    });
}

fn say(message: Value) {
    let mut out = stdout().lock();
    writeln!(out, "{message}").and_then(|()| out.flush()).expect("somebody reads the answers");
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
