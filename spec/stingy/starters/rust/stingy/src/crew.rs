use crate::burst::Step;
use crate::control::{self, Run};
use crate::driver::Driver;
use crate::protocol::{text, Answer, Refused};
use crate::settling;
use serde_json::Value;
use std::any::Any;
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// One candidate with the lanes that call it.
pub struct Crew<C: 'static> {
    of: &'static Driver<C>,
    candidate: Arc<C>,
    /// Its threads, where they are under control …
    pub run: Option<Arc<Run>>,
    lanes: HashMap<String, Lane>, // … and its lanes, where they are not
    abandoned: Arc<Mutex<bool>>,
}

struct Lane {
    jobs: Sender<Job>,
    under_way: Arc<Mutex<usize>>,
}

impl<C: Send + Sync + 'static> Crew<C> {
    /// What this request asks for.
    pub fn new(of: &'static Driver<C>, request: &Value, run: Option<Arc<Run>>) -> Result<Self, Refused> {
        let made: Arc<OnceLock<Result<Arc<C>, Refused>>> = Arc::default();
        let (make, to, request) = (of.make, made.clone(), request.clone());
        let maker = move || drop(to.set(caught(|| Arc::new(make(text(&request["impl"]), &request["options"])))));
        match &run {
            Some(run) => {
                run.begin();
                run.give("new", Box::new(maker));
                run.settle();
            }
            None => maker(),
        }
        let stuck = || Err(Refused::uncontrolled("it is not made before something else happens".to_owned()));
        let candidate = made.get().cloned().unwrap_or_else(stuck);
        if let (Err(_), Some(run)) = (&candidate, &run) {
            run.release();
            run.end();
        }
        Ok(Crew { of, candidate: candidate?, run, lanes: HashMap::new(), abandoned: Arc::default() })
    }

    /// Have a lane do this, after what it has to do before.
    pub fn in_lane(&mut self, name: &str, job: Job) {
        if let Some(run) = &self.run {
            return run.give(name, job);
        }
        let lane = self.lanes.entry(name.to_owned()).or_insert_with(Lane::new);
        *lane.under_way.lock().unwrap() += 1;
        lane.jobs.send(job).expect("a lane goes on");
    }

    pub fn is_idle(&self, lane: &str) -> bool {
        match &self.run {
            Some(run) => run.is_idle(lane),
            None => self.lanes.get(lane).is_none_or(|lane| *lane.under_way.lock().unwrap() == 0),
        }
    }

    /// Make a call, and have its answer heard unless nobody waits for it any more.
    pub fn ask(&mut self, lane: &str, step: Step, hear: impl FnOnce(Answer) + Send + 'static) {
        let (caller, abandoned) = (self.caller(), self.abandoned.clone());
        self.in_lane(
            lane,
            Box::new(move || {
                let result = caller.call(&step);
                let abandoned = abandoned.lock().unwrap();
                if !*abandoned {
                    hear(result);
                }
            }),
        );
        if let Some(run) = &self.run {
            run.settle();
        }
    }

    pub fn caller(&self) -> Caller<C> {
        Caller { of: self.of, candidate: self.candidate.clone() }
    }

    pub fn settle(&self) {
        match &self.run {
            Some(run) => run.settle(),
            None => settling::settle(),
        }
    }

    pub fn advance(&self, span: Duration) {
        match &self.run {
            Some(run) => run.advance(span),
            None => settling::settle(),
        }
    }

    /// The reading of the virtual clock, where there is one.
    pub fn now(&self) -> Option<Duration> {
        self.run.as_ref().map(|run| run.state().now)
    }

    /// Why the candidate cannot be followed any more.
    pub fn trouble(&self) -> Result<(), Refused> {
        match self.run.as_ref().and_then(|run| run.state().trouble.clone()) {
            Some(why) => Err(Refused::uncontrolled(why)),
            None => Ok(()),
        }
    }

    /// Another one takes its place: whoever still waits in this one is sent home, and never answered.
    pub fn abandon(self) {
        *self.abandoned.lock().unwrap() = true;
        match &self.run {
            Some(run) => {
                run.release();
                run.end();
            }
            None => {
                let caller = self.caller();
                thread::spawn(move || ["shut_down", "stop"].map(|op| caller.call(&Step::plain(op))));
            }
        }
    }
}

impl Lane {
    fn new() -> Self {
        let (jobs, due) = channel::<Job>();
        let under_way: Arc<Mutex<usize>> = Arc::default();
        let done = under_way.clone();
        thread::spawn(move || {
            for job in due {
                job();
                *done.lock().unwrap() -= 1;
            }
        });
        Lane { jobs, under_way }
    }
}

/// Whoever calls the candidate.
pub struct Caller<C: 'static> {
    of: &'static Driver<C>,
    candidate: Arc<C>,
}

impl<C> Caller<C> {
    pub fn call(&self, step: &Step) -> Answer {
        control::calls(step.op);
        caught(|| (self.of.call)(&self.candidate, step.op, step.item.as_deref().unwrap_or_default(), &step.with))?
            .ok_or_else(|| Refused::unsupported(step.op))
    }
}

fn caught<T>(what: impl FnOnce() -> T) -> Result<T, Refused> {
    catch_unwind(AssertUnwindSafe(what)).or_else(|panic| {
        control::go_on_unwinding(&*panic);
        Err(Refused::raised(format!("panic: {}", said(&panic))))
    })
}

fn said(panic: &Box<dyn Any + Send>) -> String {
    panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|said| said.to_string())).unwrap_or_default()
}
