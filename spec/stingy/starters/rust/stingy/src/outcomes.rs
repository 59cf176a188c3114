use crate::burst::History;
use serde_json::{json, Value};
use std::collections::HashMap;

/// The different ways in which a burst went: what its calls answered, where everybody stood, and what was found in the end.
/// Of those that are alike in that, it is of account which calls were over before which began; a history with fewer of those
/// is left out, for whatever it shows, one with more does.
#[derive(Default)]
pub struct Outcomes(HashMap<String, Outcome>);

struct Outcome {
    times: usize,
    number: usize,
    ordered: Vec<Ordered>,
}

struct Ordered {
    history: History,
    before: Vec<bool>, // for each pair of calls, whether the one was over before the other began
    pairs: usize,
}

impl Outcomes {
    pub fn add(&mut self, history: History, then: &[Value]) {
        let number = self.0.len();
        let its = self.0.entry(key(&history, then)).or_insert_with(|| Outcome { times: 0, number, ordered: Vec::new() });
        its.times += 1;
        its.add(Ordered::new(history));
    }

    /// So many of them: of each outcome, first those in which somebody is left with a lock in hand, then the rarest, one with
    /// most in order, then of each the next.
    pub fn told(self, most: usize) -> Vec<History> {
        let mut all: Vec<Outcome> = self.0.into_values().collect();
        all.sort_by_key(|its| (usize::MAX - its.locked(), its.times, its.number));
        let mut each: Vec<_> = all.into_iter().map(Outcome::most_ordered_first).collect();
        let mut told = Vec::new();
        while told.len() < most {
            let round: Vec<History> = each.iter_mut().filter_map(Iterator::next).collect();
            if round.is_empty() {
                break;
            }
            told.extend(round);
        }
        told.truncate(most);
        told
    }
}

impl Outcome {
    fn add(&mut self, new: Ordered) {
        if !self.ordered.iter().any(|had| had.covers(&new)) {
            self.ordered.retain(|had| !new.covers(had));
            self.ordered.push(new);
        }
    }

    fn locked(&self) -> usize {
        let holds = |waits: &&Value| waits["holds"].as_array().is_some_and(|holds| !holds.is_empty());
        self.ordered[0].history.waiting.iter().filter(holds).count()
    }

    fn most_ordered_first(mut self) -> impl Iterator<Item = History> {
        self.ordered.sort_by_key(|it| usize::MAX - it.pairs);
        self.ordered.into_iter().map(|it| it.history)
    }
}

impl Ordered {
    fn new(history: History) -> Self {
        let calls = in_lanes(&history);
        let is_before = |a: usize, b: usize| history.calls[a].end.is_some_and(|end| end < history.calls[b].start);
        let before: Vec<bool> = calls.iter().flat_map(|a| calls.iter().map(move |b| (*a, *b))).map(|(a, b)| is_before(a, b)).collect();
        let pairs = before.iter().filter(|is| **is).count();
        Ordered { history, before, pairs }
    }

    /// Whether all that is ordered in the other one is ordered so in this one.
    fn covers(&self, other: &Self) -> bool {
        self.pairs >= other.pairs && self.before.iter().zip(&other.before).all(|(mine, theirs)| *mine || !theirs)
    }
}

/// The calls by lane, so that they stand alike however they came.
fn in_lanes(history: &History) -> Vec<usize> {
    let mut calls: Vec<usize> = (0..history.calls.len()).collect();
    calls.sort_by_key(|at| &history.calls[*at].lane);
    calls
}

/// All but the stamps.
fn key(history: &History, then: &[Value]) -> String {
    let calls = in_lanes(history).into_iter().map(|at| {
        let mut told = history.calls[at].told();
        told["start"] = Value::Null;
        told["end"] = json!(history.calls[at].end.is_some());
        told
    });
    json!([then, history.waiting, calls.collect::<Vec<_>>()]).to_string()
}
