use crate::burst::{last_stamp, Burst, Step};
use crate::control::{Run, SOURCES};
use crate::crew::Crew;
use crate::explore::{many, once, told};
use crate::keys::takes_item;
use crate::protocol::{answer, text, Answer, Refused};
use crate::{processor, settling};
use serde_json::{json, Value};
use std::io::{stdin, BufRead};
use std::sync::Arc;
use std::time::Duration;

/// All that a driver has to say of what it drives.
pub struct Driver<C> {
    pub name: &'static str,
    /// Where its sources lie, of which lines are told: `env!("CARGO_MANIFEST_DIR")`.
    pub sources: &'static str,
    /// What `new` may ask for.
    pub impls: Vec<&'static str>,
    pub ops: &'static [&'static str],
    /// One of `impls`, with its options.
    pub make: fn(&str, &Value) -> C,
    /// Makes a call: the op, its item if it has one, and all keys that it goes with. `None` if what was made has no such op.
    pub call: fn(&C, &str, &str, &Value) -> Option<Value>,
}

/// The impls of one queue: what it is to be made as follows from the ops that it has.
pub fn queues(ops: &[&str]) -> Vec<&'static str> {
    let further = [("add_after", "delaying_queue"), ("add_rate_limited", "rate_limiting_queue"), ("add_with_opts", "priority_queue")];
    let has = |(op, _): &(&str, &str)| ops.contains(op);
    std::iter::once("work_queue").chain(further.into_iter().filter(has).map(|(_, made)| made)).collect()
}

/// Answer requests, one JSON object a line by driver protocol 1, until it is told to go.
pub fn serve<C: Send + Sync + 'static>(of: Driver<C>) -> ! {
    SOURCES.get_or_init(|| of.sources);
    let mut session = Session::new(Box::leak(Box::new(of)));
    for line in stdin().lock().lines() {
        session.serve(&line.expect("UTF-8"));
    }
    std::process::exit(0)
}

/// The candidate that is judged now, and what it has been through.
pub struct Session<C: 'static> {
    pub of: &'static Driver<C>,
    crew: Option<Crew<C>>,
    controls: bool,
    now: Duration,
    made: Value,
    asked: Vec<Value>,
}

/// Ops that need nothing but an item, one of which any candidate has: in them it comes to a point, if it uses what is ours.
const TRIED: [&str; 5] = ["add", "len", "when", "reconciles", "checkout"];

impl<C: Send + Sync + 'static> Session<C> {
    fn new(of: &'static Driver<C>) -> Self {
        let mut session = Session { of, crew: None, controls: true, now: Duration::from_secs(1_700_000_000), made: Value::Null, asked: Vec::new() };
        session.controls = session.is_followed();
        session
    }

    /// Whether what the candidate does goes through points where another thread could go on: it may use what is not ours.
    fn is_followed(&mut self) -> bool {
        let make = |session: &mut Self| {
            session.make(&json!({"impl": session.of.impls[0]}), true)?;
            for op in TRIED.into_iter().filter(|op| session.of.ops.contains(op)) {
                let step = Step::asked(session.of, op, json!({"item": "a"}))?;
                session.crew()?.ask("lane", step, |_| {});
            }
            session.crew()?.trouble()
        };
        let made: Result<(), Refused> = make(self);
        let points = self.crew.as_ref().and_then(|crew| crew.run.as_ref()).map_or(0, |run| run.state().points);
        self.leave();
        made.is_ok() && points > 0
    }

    fn serve(&mut self, line: &str) {
        let request: Value = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => return answer(&json!(0), Err(Refused::senseless(&error.to_string()))),
        };
        let (id, op) = (&request["id"], text(&request["op"]));
        if self.of.ops.contains(&op) {
            if let Err(why) = self.called(&request) {
                answer(id, Err(why));
            }
            return;
        }
        let result = self.handle(op, &request);
        answer(id, result.and_then(|val| self.crew.as_ref().map_or(Ok(()), Crew::trouble).map(|()| val)));
        if op == "bye" {
            std::process::exit(0);
        }
    }

    fn handle(&mut self, op: &str, request: &Value) -> Answer {
        match op {
            "hello" => Ok(self.hello()),
            "bye" => Ok(Value::Null),
            "new" => {
                let wanted = text(&request["impl"]);
                self.leave(); // even if this one is refused, no call may reach the one before
                if !self.of.impls.contains(&wanted) {
                    return Err(Refused::unsupported(&format!("impl {wanted}")));
                }
                self.make(request, self.controls && request["control"] != false)?;
                Ok(self.reading())
            }
            "settle" if self.settles() => {
                self.crew()?.settle();
                Ok(self.reading())
            }
            "advance" if self.controls => {
                let span = request["ns"].as_u64().ok_or_else(|| Refused::senseless("time does not go back"))?;
                self.note(request);
                self.crew()?.advance(Duration::from_nanos(span));
                Ok(self.reading())
            }
            "burst" if self.settles() => self.burst(request),
            op => Err(Refused::unsupported(op)),
        }
    }

    fn settles(&self) -> bool {
        self.controls || settling::CAN_TELL
    }

    fn hello(&self) -> Value {
        let mut can = json!({"settle": self.settles(), "virtual_clock": self.controls, "burst": self.settles(), "resolution_ns": 1});
        if self.controls {
            can["schedules"] = json!({"by": ["choices", "seed"], "points": "sync"});
        }
        json!({"protocol": 1, "name": self.of.name, "version": "", "language": "Rust", "ops": self.of.ops, "capabilities": can})
    }

    /// Of the clock that the candidate sees; null where time passes by itself.
    fn reading(&self) -> Value {
        let now = self.crew.as_ref().and_then(Crew::now);
        now.map_or(Value::Null, |now| json!({"now_ns": now.as_nanos() as u64}))
    }

    fn make(&mut self, request: &Value, controlled: bool) -> Result<(), Refused> {
        self.leave();
        self.made = request.clone();
        self.asked.clear();
        let run = controlled.then(|| Run::new(self.now, last_stamp));
        if controlled { processor::keep_to_one() } else { processor::take_all() }
        self.crew = Some(Crew::new(self.of, &self.made, run)?);
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(crew) = self.crew.take() {
            self.now = crew.now().unwrap_or(self.now);
            crew.abandon();
        }
    }

    fn crew(&mut self) -> Result<&mut Crew<C>, Refused> {
        self.crew.as_mut().ok_or_else(|| Refused::senseless("no candidate"))
    }

    /// The candidate, and its threads, which are under control.
    pub fn controlled(&mut self) -> Result<(&mut Crew<C>, Arc<Run>), Refused> {
        let crew = self.crew()?;
        let run = crew.run.clone().ok_or_else(|| Refused::unsupported("a schedule where nothing is under control"))?;
        Ok((crew, run))
    }

    fn called(&mut self, request: &Value) -> Result<(), Refused> {
        let step = Step::asked(self.of, text(&request["op"]), request.clone())?;
        let lane = request["lane"].as_str().ok_or_else(|| Refused::senseless("no lane"))?;
        if takes_item(step.op) && step.item.is_none() {
            return Err(Refused::senseless("no item"));
        }
        self.note(request);
        let id = request["id"].clone();
        self.crew()?.ask(lane, step, move |result| answer(&id, result));
        Ok(())
    }

    fn burst(&mut self, request: &Value) -> Answer {
        let schedule = &request["schedule"];
        if schedule["runs"].as_u64().unwrap_or(0) > 0 {
            self.controlled()?;
            return many(self, request);
        }
        let burst = Burst::asked(self.of, request)?;
        if self.crew()?.run.is_none() && schedule.is_null() {
            let calls = burst.perturbed(self.crew()?)?;
            return Ok(json!({"calls": calls.iter().map(|call| call.told()).collect::<Vec<_>>()}));
        }
        self.note(request);
        let (crew, run) = self.controlled()?;
        Ok(told(&once(crew, &run, &burst, schedule)?))
    }

    /// Keep in mind what is asked of a candidate under control.
    fn note(&mut self, request: &Value) {
        if self.crew.as_ref().is_some_and(|crew| crew.run.is_some()) {
            self.asked.push(request.clone());
        }
    }

    /// Make the candidate anew, and ask of it what has been asked.
    pub fn again(&mut self) -> Result<(), Refused> {
        let asked = self.asked.clone();
        self.make(&self.made.clone(), true)?;
        for request in &asked {
            match text(&request["op"]) {
                "advance" => self.crew()?.advance(Duration::from_nanos(request["ns"].as_u64().unwrap_or(0))),
                "burst" => {
                    let burst = Burst::asked(self.of, request)?;
                    let (crew, run) = self.controlled()?;
                    once(crew, &run, &burst, &request["schedule"])?;
                }
                op => {
                    let step = Step::asked(self.of, op, request.clone())?;
                    self.crew()?.ask(text(&request["lane"]), step, |_| {});
                }
            }
        }
        self.asked = asked;
        Ok(())
    }
}
