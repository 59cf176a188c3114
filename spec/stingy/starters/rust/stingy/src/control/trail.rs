use serde_json::{json, Value};

/// Who goes on, and after how many steps somebody else does; `None` for whoever cannot go on then. With the name [`WAY`] it
/// is which of several waiters a signal wakes.
pub type Turn = (String, Option<u64>);

/// The name of a turn that is none.
pub const WAY: &str = "select";

/// A turn as the protocol has it.
pub fn choice((who, steps): &Turn) -> Value {
    json!([who, steps])
}

/// The turn that this says; `None` where it says none.
pub fn chosen(choice: &Value) -> Option<Turn> {
    Some((choice[0].as_str()?.to_owned(), choice[1].as_u64()))
}

/// The turns of a race as they are taken.
#[derive(Default)]
pub struct Trail {
    pub turns: Vec<Turn>,
    /// What is told of each, where it is wanted.
    pub told: Option<Vec<Value>>,
    open: usize,
    took: u64,
    who: Option<usize>,
}

impl Trail {
    pub fn new(aloud: bool) -> Self {
        Trail { told: aloud.then(Vec::new), ..Trail::default() }
    }

    pub fn step(&mut self, id: usize, name: &str, others: impl Iterator<Item = String>) {
        if self.who == Some(id) {
            self.took += 1;
            return;
        }
        (self.open, self.took, self.who) = (self.turns.len(), 1, Some(id));
        self.turns.push((name.to_owned(), None));
        if let Some(told) = &mut self.told {
            told.push(json!({"who": name, "of": others.collect::<Vec<_>>()}));
        }
    }

    pub fn way(&mut self, n: usize) {
        self.turns.push((WAY.to_owned(), Some(n as u64)));
        if let Some(told) = &mut self.told {
            told.push(json!({"who": WAY, "steps": n}));
        }
    }

    /// Somebody does not go on, and stands there: `cut` if they could.
    pub fn rest(&mut self, id: usize, cut: bool, stands: impl FnOnce() -> Option<Value>) {
        if self.who != Some(id) {
            return;
        }
        self.who = None;
        if cut {
            self.turns[self.open].1 = Some(self.took);
        }
        if let Some(told) = &mut self.told {
            if cut {
                told[self.open]["steps"] = json!(self.took);
            }
            if let Some(rest) = stands() {
                told[self.open]["rest"] = rest;
            }
        }
    }
}
