use super::strategies::Rotating;
use super::task::{Hold, Job, Ready, Stand, Task, Want};
use super::trail::Trail;
use super::want::within;
use super::{Claim, Fair, Place, Strategy, Turn};
use serde_json::{json, Value};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use std::thread::{self, Thread};
use std::panic;

/// How many steps may be taken while no time passes: after so many everybody has a turn, one after the other, and after as
/// many more it is taken for a loop that nothing ends.
const MOST: u64 = 3000;
/// A step that takes as long is no step: the thread waits in something that is not under control.
const LOST: Duration = Duration::from_secs(3);
/// So much virtual time passes in a race after the last call that has returned, as long as another one sleeps, or waits with a
/// time-out to look again.
const ASLEEP: Duration = Duration::from_secs(1);
/// A thread that is to end has so long for what its destructors do.
const PARTING: Duration = Duration::from_secs(1);

/// One candidate under control, from its making to its end.
pub struct Run {
    state: Mutex<State>,
    quiet: Condvar,
}

/// What a thread unwinds with when its candidate is no longer judged.
struct Ended;

/// Whoever has caught what a thread unwinds with lets it go on.
pub fn go_on_unwinding(panic: &(dyn Any + Send)) {
    if panic.is::<Ended>() {
        panic::resume_unwind(Box::new(Ended));
    }
}

pub struct State {
    pub tasks: Vec<Task>,
    pub strategy: Box<dyn Strategy>,
    pub trail: Option<Trail>,
    pub now: Duration,
    returned: Duration, // when a call of a lane did last
    pub tickets: u64,
    pub points: u64,
    pub trouble: Option<String>,
    names: HashMap<String, usize>,
    held: HashMap<usize, Vec<Claim>>, // by lock
    playing: bool,
    running: Option<usize>,
    before: Option<usize>,
    steps: u64,
    began: u64,
    stamp: fn() -> u64,
    wake: Option<Wake>,
}

/// Whoever is to be woken, or started, for their turn.
enum Wake {
    Goes(Thread),
    Starts(Job),
}

impl Run {
    /// Begin at this reading of the virtual clock; `stamp` says which stamp was drawn last.
    pub fn new(now: Duration, stamp: fn() -> u64) -> Arc<Self> {
        let state = State {
            tasks: Vec::new(),
            strategy: Box::new(Fair),
            trail: None,
            now,
            returned: now,
            tickets: 0,
            points: 0,
            trouble: None,
            names: HashMap::new(),
            held: HashMap::new(),
            playing: false,
            running: None,
            before: None,
            steps: 0,
            began: 0,
            stamp,
            wake: None,
        };
        Arc::new(Run { state: Mutex::new(state), quiet: Condvar::new() })
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics in here")
    }

    /// Have a lane do this when it is its turn.
    pub fn give(self: &Arc<Self>, lane: &str, job: Job) {
        let mut state = self.state();
        if let Some(task) = state.tasks.iter_mut().find(|task| task.lane && task.name == lane) {
            return task.jobs.push_back(job);
        }
        let mut task = Task::new(lane.to_owned(), true);
        task.jobs.push_back(job);
        let (run, id) = (self.clone(), state.tasks.len());
        task.starts = Some(Box::new(move || within(run.clone(), id, move || run.work(id))));
        state.add(task);
    }

    pub fn is_idle(&self, lane: &str) -> bool {
        let state = self.state();
        !state.tasks.iter().any(|task| task.lane && task.name == lane && !(task.idles() && task.jobs.is_empty()))
    }

    /// What a lane does all its life.
    fn work(&self, id: usize) {
        while !self.state().tasks[id].ends {
            let job = self.state().tasks[id].jobs.pop_front();
            match job {
                Some(job) => job(),
                None => drop(self.park(id, Place::before_call(""), Want::Work)),
            }
        }
    }

    /// Let everybody go on, the plainest way, until nobody can.
    pub fn settle(&self) {
        self.advance(Duration::ZERO);
    }

    /// Let time pass, and everybody go on as it does.
    pub fn advance(&self, span: Duration) {
        self.play(Box::new(Fair), span, Duration::ZERO);
    }

    /// Let everybody go on as the strategy has it, until nobody can and so much time has passed; the turns that were taken,
    /// and what is told of each.
    pub fn race(&self, strategy: Box<dyn Strategy>, patience: Duration, aloud: bool) -> (Vec<Turn>, Option<Vec<Value>>) {
        self.state().trail = Some(Trail::new(aloud));
        self.play(strategy, patience, ASLEEP);
        let trail = self.state().trail.take().unwrap_or_default();
        (trail.turns, trail.told)
    }

    /// `asleep`: so long time passes after a call has returned, for lanes alone.
    fn play(&self, strategy: Box<dyn Strategy>, span: Duration, asleep: Duration) {
        let mut state = self.state();
        let until = state.now + span;
        (state.strategy, state.playing, state.began, state.returned) = (strategy, true, state.steps, state.now);
        while state.trouble.is_none() {
            state.go_on(None);
            self.hand_over(state);
            state = self.until_quiet(self.state());
            match state.due(until, until.max(state.returned + asleep)) {
                Some(due) => (state.now, state.began) = (due, state.steps),
                None => break,
            }
        }
        (state.now, state.playing) = (state.now.max(until), false);
    }

    fn until_quiet<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while let Some(runs) = state.running {
            let seen = state.steps;
            let (after, waited) = self.quiet.wait_timeout(state, LOST).expect("nothing panics in here");
            state = after;
            if waited.timed_out() && state.steps == seen && state.running == Some(runs) {
                state.trouble = Some(format!("{} does not come to its next point: it waits in something that is not under control, such as std::sync", state.tasks[runs].name));
                break;
            }
        }
        state
    }

    /// Wait until it is this thread's turn. What it is told is whether a signal came in time.
    pub fn park(&self, id: usize, at: Place, want: Want) -> bool {
        let mut state = self.state();
        if state.tasks[id].ends {
            drop(state);
            return unwind();
        }
        state.points += u64::from(at.is_the_candidates());
        let task = &mut state.tasks[id];
        (task.at, task.stand) = (at, Stand::Parked(want));
        if state.running == Some(id) {
            state.go_on(Some(id));
            self.hand_over(state);
            state = self.state();
        }
        self.has_turn(state, id)
    }

    /// Wake whoever goes on now. They ask for the state at once, so it is let go of before.
    fn hand_over(&self, mut state: MutexGuard<'_, State>) {
        let (wake, is_quiet) = (state.wake.take(), state.running.is_none());
        drop(state);
        match wake {
            Some(Wake::Goes(thread)) => thread.unpark(),
            Some(Wake::Starts(starts)) => drop(thread::spawn(starts)),
            None if is_quiet => self.quiet.notify_all(),
            None => {}
        }
    }

    /// Begin as this one, when it is its turn.
    pub fn begins(&self, id: usize) {
        let mut state = self.state();
        state.tasks[id].thread = Some(thread::current());
        self.has_turn(state, id);
    }

    /// Wait until it goes on, or is to end.
    fn has_turn<'a>(&'a self, mut state: MutexGuard<'a, State>, id: usize) -> bool {
        while state.tasks[id].stand != Stand::Runs {
            drop(state);
            thread::park();
            state = self.state();
        }
        let (ends, signalled) = (state.tasks[id].ends && !state.tasks[id].at_rest, state.tasks[id].signalled);
        drop(state);
        if ends { unwind() } else { signalled }
    }

    /// This thread is at its end.
    pub fn over(&self, id: usize) {
        let mut state = self.state();
        state.tasks[id].stand = Stand::Over;
        while let Some(lock) = state.tasks[id].holds.last().map(|held| held.claim.lock) {
            state.let_go(id, lock);
        }
        if state.running == Some(id) {
            if state.tasks[id].ends { state.running = None } else { state.go_on(None) }
        }
        self.hand_over(state);
    }

    /// Have all threads unwind, one after the other. What their destructors do is done. Lanes without a call just go.
    pub fn end(&self) {
        let mut id = 0;
        let mut state = self.state();
        state.playing = false;
        while id < state.tasks.len() {
            let task = &mut state.tasks[id];
            let began = task.starts.take().is_none();
            (task.ends, task.at_rest) = (true, task.idles());
            if let Stand::Parked(_) = task.stand {
                task.stand = Stand::Runs;
                task.thread.iter().for_each(Thread::unpark);
            }
            if began && task.stand == Stand::Runs && !task.at_rest {
                state.running = Some(id);
                let (after, _) = self
                    .quiet
                    .wait_timeout_while(state, PARTING, |state| state.tasks[id].stand != Stand::Over)
                    .expect("nothing panics in here");
                state = after;
            }
            id += 1;
        }
    }

    /// Everybody who has not come to an end: lanes with a call, and those of the candidate's own who want or hold a lock.
    pub fn waiting(&self) -> Vec<Value> {
        let state = self.state();
        let tells = |task: &&Task| match task.stand {
            Stand::Parked(want) if task.lane => want != Want::Work,
            Stand::Parked(want) => !task.holds.is_empty() || matches!(want, Want::Lock(_)),
            _ => false,
        };
        state.tasks.iter().filter(tells).map(|task| state.waits(task)).collect()
    }

    pub fn steps(&self) -> u64 {
        self.state().steps
    }
}

impl State {
    pub fn add(&mut self, task: Task) -> usize {
        self.tasks.push(task);
        self.tasks.len() - 1
    }

    /// A thread of the candidate's own, named after its function; a second one gets a 2.
    pub fn born(&mut self, function: &str) -> usize {
        let times = self.names.entry(function.to_owned()).or_default();
        *times += 1;
        let name = if *times == 1 { function.to_owned() } else { format!("{function} {times}") };
        self.add(Task::new(name, false))
    }

    fn is_ready(&self, id: usize) -> bool {
        let task = &self.tasks[id];
        match task.stand {
            Stand::Runs | Stand::Over => false,
            Stand::Parked(want) => match want {
                Want::Nothing => true,
                Want::Work => !task.jobs.is_empty(),
                Want::Lock(claim) => self.is_free(claim),
                Want::Signal { lock, until, .. } => until.is_some_and(|due| due <= self.now) && self.is_free(lock),
                Want::Time(due) => due <= self.now,
                Want::End(of) => self.tasks[of].stand == Stand::Over,
            },
        }
    }

    fn is_free(&self, claim: Claim) -> bool {
        !self.held.get(&claim.lock).is_some_and(|all| all.iter().any(|held| held.bars(claim)))
    }

    pub fn hold(&mut self, id: usize, hold: Hold) {
        self.held.entry(hold.claim.lock).or_default().push(hold.claim);
        self.tasks[id].holds.push(hold);
    }

    /// Let go of a lock, which may be another thread's by now.
    pub fn let_go(&mut self, id: usize, lock: usize) {
        let has = |task: &Task| task.holds.iter().any(|held| held.claim.lock == lock);
        let whose = if has(&self.tasks[id]) { Some(id) } else { self.tasks.iter().position(has) };
        let Some(task) = whose.map(|id| &mut self.tasks[id]) else { return };
        let at = task.holds.iter().rposition(|held| held.claim.lock == lock).expect("it has it");
        let claim = task.holds.remove(at).claim;
        if let Some(all) = self.held.get_mut(&lock) {
            let at = all.iter().position(|held| *held == claim);
            at.map(|at| all.swap_remove(at));
            if all.is_empty() {
                self.held.remove(&lock);
            }
        }
    }

    /// A call of a lane has: what comes to its end is no loop, unless the others had to be given turns for it.
    pub fn has_returned(&mut self) {
        self.returned = self.now;
        if self.steps - self.began <= MOST {
            self.began = self.steps;
        }
    }

    /// Let somebody take a step, if anybody can; whoever asks need not be woken.
    fn go_on(&mut self, asks: Option<usize>) {
        let before = self.before;
        self.running = None;
        if !self.playing || self.trouble.is_some() {
            return;
        }
        let ready: Vec<usize> = (0..self.tasks.len()).filter(|id| self.is_ready(*id)).collect();
        let Some(first) = ready.first() else { return self.rest(before) };
        let (taken, most) = (self.steps - self.began, MOST + 10 * self.tasks.len() as u64);
        if taken > 2 * most {
            let spins = &self.tasks[*first];
            self.trouble = Some(format!("{} goes round and round at {}", spins.name, spins.at.spot("")["at"]));
            return;
        }
        let next = self.choose(&ready, before, taken > most);
        if before != Some(next) {
            self.rest(before);
        }
        if let Some(trail) = &mut self.trail {
            let others = ready.iter().filter(|id| **id != next).map(|id| self.tasks[*id].name.clone());
            trail.step(next, &self.tasks[next].name, others);
        }
        self.turn(next, asks);
    }

    fn choose(&mut self, ready: &[usize], before: Option<usize>, in_rotation: bool) -> usize {
        let seen = |id: &usize| Ready { id: *id, name: &self.tasks[*id].name, turned: self.tasks[*id].turned };
        let ready: Vec<Ready> = ready.iter().map(seen).collect();
        if in_rotation { Rotating.next(&ready, before) } else { self.strategy.next(&ready, before) }
    }

    fn turn(&mut self, id: usize, asks: Option<usize>) {
        self.steps += 1;
        (self.before, self.running) = (Some(id), Some(id));
        if let Stand::Parked(Want::Lock(claim) | Want::Signal { lock: claim, .. }) = self.tasks[id].stand {
            self.hold(id, Hold { claim, at: self.tasks[id].at });
        }
        let task = &mut self.tasks[id];
        (task.turned, task.stand) = (self.steps, Stand::Runs);
        let goes = || task.thread.clone().filter(|_| asks != Some(id)).map(Wake::Goes);
        self.wake = task.starts.take().map(Wake::Starts).or_else(goes);
    }

    /// Note where somebody stands who does not go on.
    fn rest(&mut self, who: Option<usize>) {
        let (Some(id), Some(mut trail)) = (who, self.trail.take()) else { return };
        let cut = self.is_ready(id);
        trail.rest(id, cut, || self.stands(id, cut));
        self.trail = Some(trail);
    }

    fn stands(&self, id: usize, cut: bool) -> Option<Value> {
        let task = &self.tasks[id];
        if task.stand == Stand::Over || task.idles() {
            return None;
        }
        let mut rest = task.at.spot(task.within);
        rest["cut"] = json!(cut);
        rest["stamp"] = json!((self.stamp)());
        rest["for"] = json!(if cut { String::new() } else { self.waits_for(task) });
        Some(rest)
    }

    fn waits(&self, task: &Task) -> Value {
        let mut told = task.at.spot(task.within);
        told["who"] = json!(task.name);
        told["for"] = json!(self.waits_for(task));
        told["holds"] = task.holds.iter().map(|held| held.at.spot(task.within)).collect();
        told
    }

    /// What keeps it from going on.
    fn waits_for(&self, task: &Task) -> String {
        match task.stand {
            Stand::Parked(Want::Lock(claim)) => match self.tasks.iter().find(|other| other.bars(claim)) {
                Some(holder) => format!("a lock that {} holds", holder.name),
                None => "a lock".to_owned(),
            },
            Stand::Parked(Want::Signal { .. }) => "a signal".to_owned(),
            Stand::Parked(Want::Time(_)) => "time to pass".to_owned(),
            Stand::Parked(Want::End(of)) => format!("the end of {}", self.tasks[of].name),
            _ => String::new(),
        }
    }

    /// The next reading of the clock at which somebody can go on who is to be waited for so long.
    fn due(&self, until: Duration, lanes_until: Duration) -> Option<Duration> {
        let due = |task: &Task| match task.stand {
            Stand::Parked(Want::Time(due) | Want::Signal { until: Some(due), .. }) => {
                (due > self.now && due <= if task.lane { lanes_until } else { until }).then_some(due)
            }
            _ => None,
        };
        self.tasks.iter().filter_map(due).min()
    }
}

/// Leave the candidate, unless it is being left already: what a destructor does is done in peace.
fn unwind() -> bool {
    if !thread::panicking() {
        panic::resume_unwind(Box::new(Ended));
    }
    false
}
