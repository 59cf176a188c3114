//! What threads ask for: each has its turn first, where it is under control.

use super::task::{Hold, Stand, Want};
use super::{Place, Run};
use std::cell::RefCell;
use std::io;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe, Location};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub use super::task::Claim;

thread_local! {
    static ME: RefCell<Option<(Arc<Run>, usize)>> = const { RefCell::new(None) };
}

/// The candidate that is under control now, for threads that do not know of it.
static CURRENT: Mutex<Option<Arc<Run>>> = Mutex::new(None);

impl Run {
    /// Take control of what a candidate does from now on.
    pub fn begin(self: &Arc<Self>) {
        *current() = Some(self.clone());
    }

    pub fn release(&self) {
        *current() = None;
    }
}

fn current() -> std::sync::MutexGuard<'static, Option<Arc<Run>>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that asks; `None` where nothing is under control.
pub fn me() -> Option<(Arc<Run>, usize)> {
    ME.try_with(|me| me.borrow().clone()).ok().flatten().or_else(stranger)
}

/// One that nobody has told of, and that is not the driver's own: its candidate cannot be followed.
fn stranger() -> Option<(Arc<Run>, usize)> {
    if thread::current().name() != Some("main") {
        if let Some(run) = &*current() {
            let mut state = run.state();
            state.trouble.get_or_insert("a thread that std::thread has started is not under control: start it with stingy::thread".to_owned());
        }
    }
    None
}

/// Run this as that thread, when it is its turn.
pub fn within<T>(run: Arc<Run>, id: usize, what: impl FnOnce() -> T) -> T {
    ME.with(|me| *me.borrow_mut() = Some((run.clone(), id)));
    let result = catch_unwind(AssertUnwindSafe(|| {
        run.begins(id);
        what()
    }));
    ME.with(|me| *me.borrow_mut() = None);
    run.over(id);
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The thread that asks, unless it is leaving its candidate.
fn going() -> Option<(Arc<Run>, usize)> {
    me().filter(|(run, id)| !(thread::panicking() && run.state().tasks[*id].ends))
}

/// Let others go on here.
pub fn point(at: &'static Location<'static>, op: &'static str) {
    at_place(Place::new(at, op));
}

pub fn at_place(place: Place) {
    if let Some((run, id)) = going() {
        run.park(id, place, Want::Nothing);
    }
}

pub fn acquire(claim: Claim, at: &'static Location<'static>, op: &'static str) {
    if let Some((run, id)) = going() {
        run.park(id, Place::new(at, op), Want::Lock(claim));
    }
}

/// Note a lock that was free when somebody tried.
pub fn took(claim: Claim, at: &'static Location<'static>, op: &'static str) {
    if let Some((run, id)) = going() {
        run.state().hold(id, Hold { claim, at: Place::new(at, op) });
    }
}

pub fn release(lock: usize) {
    if let Some((run, id)) = me() {
        run.state().let_go(id, lock);
    }
}

/// What a wait for a signal came to.
pub enum Signal {
    Uncontrolled,
    Came,
    TimedOut,
}

/// Let go of a lock and wait for a signal, or so long, and then for the lock. `let_go` lets go of the real one.
pub fn wait(of: usize, lock: usize, span: Option<Duration>, at: &'static Location<'static>, let_go_of_it: impl FnOnce()) -> Signal {
    let Some((run, id)) = going() else { return Signal::Uncontrolled };
    let_go_of_it();
    let claim = Claim { lock, alone: true };
    let want = {
        let mut state = run.state();
        state.let_go(id, lock);
        state.tickets += 1;
        state.tasks[id].signalled = false;
        Want::Signal { of, ticket: state.tickets, lock: claim, until: span.map(|span| state.now.saturating_add(span)) }
    };
    if run.park(id, Place::new(at, "wait"), want) { Signal::Came } else { Signal::TimedOut }
}

/// Wake one of those that wait for this signal, or all of them. Whether it was one under control who did.
pub fn notify(of: usize, all: bool, at: &'static Location<'static>) -> bool {
    let Some((run, _)) = going() else { return me().is_some() };
    point(at, if all { "notify_all" } else { "notify_one" });
    let mut state = run.state();
    let mut waiters: Vec<(u64, usize, Claim)> = (state.tasks.iter().enumerate())
        .filter_map(|(id, task)| match task.stand {
            Stand::Parked(Want::Signal { of: theirs, ticket, lock, .. }) if theirs == of => Some((ticket, id, lock)),
            _ => None,
        })
        .collect();
    waiters.sort_by_key(|(ticket, ..)| *ticket);
    if !all && waiters.len() > 1 {
        let way = state.strategy.way(waiters.len());
        if let (Some(trail), true) = (&mut state.trail, way > 0) {
            trail.way(way);
        }
        waiters = vec![waiters[way]];
    }
    for (_, id, lock) in waiters {
        let task = &mut state.tasks[id];
        (task.signalled, task.stand) = (true, Stand::Parked(Want::Lock(lock)));
    }
    true
}

/// Let this much time pass, or go on to the others' end. Whether that is a matter of the virtual clock.
pub fn sleep(span: Duration, at: &'static Location<'static>) -> bool {
    let Some((run, id)) = going() else { return false };
    let due = run.state().now.saturating_add(span);
    run.park(id, Place::new(at, "sleep"), Want::Time(due));
    true
}

/// The end of a thread under control, for who waits for it.
pub struct Joined {
    run: Arc<Run>,
    id: usize,
}

/// Start a thread that goes on when it is its turn; `start` starts the real one.
pub fn spawn<T>(
    function: &str,
    at: &'static Location<'static>,
    start: impl FnOnce(Option<(Arc<Run>, usize)>) -> io::Result<thread::JoinHandle<T>>,
) -> io::Result<(thread::JoinHandle<T>, Option<Joined>)> {
    let Some((run, _)) = going() else { return Ok((start(None)?, None)) };
    point(at, "spawn");
    let id = run.state().born(function);
    let started = start(Some((run.clone(), id)))?;
    Ok((started, Some(Joined { run, id })))
}

pub fn join(whom: &Joined, at: &'static Location<'static>) {
    if let Some((run, id)) = going() {
        if Arc::ptr_eq(&run, &whom.run) {
            run.park(id, Place::new(at, "join"), Want::End(whom.id));
        }
    }
}

/// Say which call a lane makes now, for what is told of it.
pub fn calls(op: &'static str) {
    if let Some((run, id)) = me() {
        run.state().tasks[id].within = op;
    }
}

/// Say that a lane's call has returned.
pub fn returned() {
    if let Some((run, _)) = me() {
        run.state().has_returned();
    }
}

/// The reading of the virtual clock; `None` where time passes by itself.
pub fn now() -> Option<Duration> {
    me().map(|(run, _)| run.state().now)
}

