//! A rate limiter that says what it has been told to say.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use crate::protocol::Script;

/// The first failure of a key waits for the first of the delays, and so on; all that come after the last wait for the last.
pub struct Scripted {
    script: Script,
    failures: Mutex<HashMap<String, usize>>,
}

impl Scripted {
    pub fn new(script: Script) -> Self {
        Self { script, failures: Mutex::default() }
    }

    pub fn when(&self, key: &str) -> Duration {
        let mut failures = self.failures.lock().unwrap();
        let before = failures.entry(key.to_owned()).or_default();
        let delay = self.script.delays.get(*before).or(self.script.delays.last());
        *before += 1;
        Duration::from_nanos(delay.copied().unwrap_or(0))
    }

    pub fn forget(&self, key: &str) {
        self.failures.lock().unwrap().remove(key);
    }
}
