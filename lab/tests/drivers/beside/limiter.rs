//! What is no queue, and is made beside one.
use crate::calls;
use serde_json::{json, Value};
use std::collections::HashMap;
use stingy::sync::Mutex;

pub const OPS: &[&str] = &["add", "get", "done", "len", "shut_down", "shutting_down", "when", "forget", "num_requeues"];

pub enum Candidate {
    Queue(calls::Candidate),
    Limiter(Limiter),
}

pub struct Limiter {
    base: u128,
    most: u128,
    failures: Mutex<HashMap<String, u32>>,
}

pub fn new_candidate(what: &str, options: &Value) -> Candidate {
    let span = |key: &str| options[key].as_u64().unwrap_or_default().into();
    match what {
        "exponential_rate_limiter" => {
            Candidate::Limiter(Limiter { base: span("base_delay"), most: span("max_delay"), failures: Mutex::default() })
        }
        _ => Candidate::Queue(calls::new_candidate(what, options)),
    }
}

pub fn call(of: &Candidate, op: &str, item: &str, keys: &Value) -> Option<Value> {
    match of {
        Candidate::Queue(its) => calls::call(its, op, item, keys),
        Candidate::Limiter(its) => its.call(op, item),
    }
}

impl Limiter {
    fn call(&self, op: &str, item: &str) -> Option<Value> {
        let mut failures = self.failures.lock().unwrap();
        let count = failures.entry(item.to_owned()).or_default();
        Some(match op {
            "when" => {
                let wait = (self.base << (*count).min(63)).min(self.most);
                *count += 1;
                json!(wait as u64)
            }
            "forget" => json!(*count = 0),
            "num_requeues" => json!(count),
            _ => return None,
        })
    }
}
