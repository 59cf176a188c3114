//! Programs that lanes run at once, and the history of their calls.

use crate::control::{at_place, returned, Place, Run, Strategy, Turn};
use crate::crew::{Caller, Crew};
use crate::driver::Driver;
use crate::keys::takes_item;
use crate::protocol::{text, Answer, Refused};
use crate::settling;
use serde_json::{json, Value};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

static STAMPS: AtomicU64 = AtomicU64::new(0);

fn stamp() -> u64 {
    STAMPS.fetch_add(1, SeqCst) + 1
}

/// The stamp that was drawn last.
pub fn last_stamp() -> u64 {
    STAMPS.load(SeqCst)
}

/// A call to make: an op, and the item or whatever else it goes with.
#[derive(Clone)]
pub struct Step {
    pub op: &'static str,
    pub item: Option<String>,
    pub with: Value,
}

impl Step {
    pub fn plain(op: &'static str) -> Self {
        Step { op, item: None, with: Value::Null }
    }

    /// What a request asks for.
    pub fn asked<C>(of: &Driver<C>, op: &str, with: Value) -> Result<Self, Refused> {
        let op = of.ops.iter().find(|known| **known == op).ok_or_else(|| Refused::unsupported(op))?;
        Ok(Step { op, item: with["item"].as_str().map(str::to_owned), with })
    }

    /// What a step of a program asks for.
    fn written<C>(of: &Driver<C>, step: &Value) -> Result<Self, Refused> {
        let with = if step[1].is_object() { step[1].clone() } else { json!({"item": step[1]}) };
        Step::asked(of, text(&step[0]), with)
    }
}

pub fn program<C>(of: &Driver<C>, steps: &Value) -> Result<Vec<Step>, Refused> {
    steps.as_array().into_iter().flatten().map(|step| Step::written(of, step)).collect()
}

/// A call of a history.
#[derive(Clone)]
pub struct Call {
    pub lane: String,
    pub op: &'static str,
    pub item: Option<String>,
    pub start: u64,
    pub end: Option<u64>,
    pub result: Option<Answer>,
}

impl Call {
    pub fn told(&self) -> Value {
        let mut told = json!({"lane": self.lane, "op": self.op, "item": self.item, "start": self.start, "end": self.end});
        match &self.result {
            Some(Ok(val)) => told["val"] = val.clone(),
            Some(Err(why)) => told["error"] = why.told(),
            None => {}
        }
        told
    }
}

/// What came of a burst, with the turns that were taken.
pub struct History {
    pub calls: Vec<Call>,
    pub turns: Vec<Turn>,
    pub told: Option<Vec<Value>>,
    pub waiting: Vec<Value>,
}

/// A burst as it was asked for.
pub struct Burst {
    programs: Vec<(String, Vec<Step>)>,
    patience: Duration,
    pub seed: u64,
}

impl Burst {
    pub fn asked<C>(of: &Driver<C>, request: &Value) -> Result<Self, Refused> {
        let mut programs = Vec::new();
        for (lane, steps) in request["programs"].as_object().into_iter().flatten() {
            programs.push((lane.clone(), program(of, steps)?));
        }
        programs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let patience = Duration::from_nanos(request["ns"].as_u64().unwrap_or(0));
        Ok(Burst { programs, patience, seed: request["seed"].as_u64().unwrap_or(0) })
    }

    pub fn lanes(&self) -> usize {
        self.programs.len()
    }

    fn check<C: Send + Sync>(&self, crew: &Crew<C>) -> Result<(), Refused> {
        match self.programs.iter().find(|(lane, _)| !crew.is_idle(lane)) {
            Some((lane, _)) => Err(Refused::senseless(&format!("lane {lane} still has a call under way"))),
            None => Ok(()),
        }
    }

    /// Run the programs with nobody in control, all at once.
    pub fn perturbed<C: Send + Sync>(&self, crew: &mut Crew<C>) -> Result<Vec<Call>, Refused> {
        crew.settle();
        self.check(crew)?;
        let all = Arc::new(Barrier::new(self.programs.len() + 1));
        let began = all.clone();
        let calls = self.play(crew, move || drop(began.wait()));
        all.wait();
        settling::settle();
        Ok(told(&calls))
    }

    /// Run them in an order that is chosen.
    pub fn controlled<C: Send + Sync>(
        &self,
        crew: &mut Crew<C>,
        run: &Arc<Run>,
        strategy: Box<dyn Strategy>,
        aloud: bool,
    ) -> Result<History, Refused> {
        run.settle();
        self.check(crew)?;
        let calls = self.play(crew, || {});
        let (turns, told_of_each) = run.race(strategy, self.patience, aloud);
        crew.trouble()?;
        Ok(History { calls: told(&calls), turns, told: told_of_each, waiting: run.waiting() })
    }

    fn play<C: Send + Sync>(&self, crew: &mut Crew<C>, begin: impl Fn() + Clone + Send + 'static) -> Arc<Mutex<Vec<Call>>> {
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        for (lane, steps) in &self.programs {
            let player = Player { caller: crew.caller(), lane: lane.clone(), calls: calls.clone(), held: VecDeque::new() };
            let (begin, steps) = (begin.clone(), steps.clone());
            crew.in_lane(
                lane,
                Box::new(move || {
                    begin();
                    player.run(steps);
                }),
            );
        }
        calls
    }
}

/// What has been called so far, oldest call first.
fn told(calls: &Mutex<Vec<Call>>) -> Vec<Call> {
    calls.lock().unwrap().clone()
}

/// A lane that runs its program.
struct Player<C: 'static> {
    caller: Caller<C>,
    lane: String,
    calls: Arc<Mutex<Vec<Call>>>,
    held: VecDeque<String>,
}

impl<C> Player<C> {
    fn run(mut self, steps: Vec<Step>) {
        for (n, mut step) in steps.into_iter().enumerate() {
            if takes_item(step.op) {
                step.item = step.item.or_else(|| self.held.front().cloned());
                if step.item.is_none() {
                    continue;
                }
            }
            if n > 0 {
                at_place(Place::before_call(step.op));
            }
            let at = self.starts(&step);
            let result = self.caller.call(&step);
            let end = stamp();
            returned();
            if step.op == "done" {
                let at = self.held.iter().position(|held| Some(held) == step.item.as_ref());
                at.and_then(|at| self.held.remove(at));
            }
            let got = result.as_ref().ok().filter(|_| step.op.starts_with("get")).cloned();
            let mut calls = self.calls.lock().unwrap();
            (calls[at].end, calls[at].result) = (Some(end), Some(result));
            drop(calls);
            if let Some(got) = got {
                match got["item"].as_str() {
                    Some(item) if got["shutdown"] != true => self.held.push_back(item.to_owned()),
                    _ => return, // the worker goes home
                }
            }
        }
    }

    fn starts(&self, step: &Step) -> usize {
        let mut calls = self.calls.lock().unwrap();
        calls.push(Call { lane: self.lane.clone(), op: step.op, item: step.item.clone(), start: stamp(), end: None, result: None });
        calls.len() - 1
    }
}
