//! In which order a burst is run, or in which orders.

use crate::burst::{program, Burst, History, Step};
use crate::control::{choice, chosen, Fair, Pct, Random, Replay, Run, Sparse, Strategy};
use crate::crew::Crew;
use crate::driver::Session;
use crate::keys::takes_item;
use crate::outcomes::Outcomes;
use crate::protocol::{text, Refused};
use serde_json::{json, Value};
use std::sync::{Arc, Mutex};

/// So many steps a race is taken to have of which nothing is known.
const USUAL: u64 = 60;

/// The strategy for a run of this number, where the one before had so many steps.
fn strategy(schedule: &Value, number: u64, steps: u64) -> Box<dyn Strategy> {
    let steps = if steps == 0 { USUAL } else { steps };
    let seed = schedule["seed"].as_u64().unwrap_or(0).wrapping_add(number);
    if let Some(choices) = schedule["choices"].as_array().filter(|choices| !choices.is_empty()) {
        return Box::new(Replay::new(choices.iter().filter_map(chosen).collect()));
    }
    match text(&schedule["strategy"]) {
        "random" => Box::new(Random::new(seed)),
        "pct" => Box::new(Pct::new(seed, 3, steps)),
        "sparse" => Box::new(Sparse::new(seed, schedule["interruptions"].as_f64().unwrap_or(0.0), steps)),
        _ => Box::new(Fair),
    }
}

/// Run a burst with the candidate that is there.
pub fn once<C: Send + Sync>(crew: &mut Crew<C>, run: &Arc<Run>, burst: &Burst, schedule: &Value) -> Result<History, Refused> {
    let by_seed = json!({"strategy": if burst.lanes() == 1 { "fair" } else { "random" }, "seed": burst.seed});
    let schedule = if schedule.is_null() { &by_seed } else { schedule };
    burst.controlled(crew, run, strategy(schedule, 0, 0), schedule["aloud"] == true)
}

/// Run a burst many times, each time with a fresh candidate that has been asked the same as this one; what came of it, each
/// history once. In the end there is a candidate again that has not run it.
pub fn many<C: Send + Sync>(session: &mut Session<C>, request: &Value) -> Result<Value, Refused> {
    let schedule = &request["schedule"];
    let burst = Burst::asked(session.of, request)?;
    let then = program(session.of, &schedule["then"])?;
    let runs = schedule["runs"].as_u64().unwrap_or(0);
    let (mut outcomes, mut steps) = (Outcomes::default(), 0);
    for number in 0..runs {
        if number > 0 {
            session.again()?; // the one that is there has been asked nothing else
        }
        let (crew, run) = session.controlled()?;
        let before = run.steps();
        let history = burst.controlled(crew, &run, strategy(schedule, number, steps), false)?;
        steps = run.steps() - before;
        let answers = finally(crew, then.clone());
        crew.trouble()?;
        outcomes.add(history, &answers);
    }
    session.again()?;
    let histories = outcomes.told(schedule["most"].as_u64().unwrap_or(0) as usize);
    Ok(json!({"calls": [], "choices": [], "runs": runs, "histories": histories.iter().map(told).collect::<Vec<_>>()}))
}

pub fn told(history: &History) -> Value {
    let mut told = json!({
        "calls": history.calls.iter().map(|call| call.told()).collect::<Vec<_>>(),
        "choices": history.turns.iter().map(choice).collect::<Vec<_>>(),
        "waiting": history.waiting,
    });
    if let Some(each) = &history.told {
        told["trail"] = json!(each);
    }
    told
}

/// Make calls one after the other, as far as they return; what they answer.
fn finally<C: Send + Sync>(crew: &mut Crew<C>, steps: Vec<Step>) -> Vec<Value> {
    let answers: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (caller, to) = (crew.caller(), answers.clone());
    let calls = move || {
        let mut held: Option<String> = None;
        for mut step in steps {
            if takes_item(step.op) {
                step.item = step.item.or_else(|| held.clone());
                if step.item.is_none() {
                    continue;
                }
            }
            to.lock().unwrap().push(json!(step.op));
            let answered = caller.call(&step);
            if let (Ok(val), true) = (&answered, step.op.starts_with("get")) {
                held = val["item"].as_str().map(str::to_owned);
            }
            to.lock().unwrap().push(answered.unwrap_or_else(|why| why.told()));
        }
    };
    crew.in_lane("then", Box::new(calls));
    crew.settle();
    let told = answers.lock().unwrap().clone();
    told
}
