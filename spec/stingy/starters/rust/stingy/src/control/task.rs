use super::Place;
use std::collections::VecDeque;
use std::thread::Thread;
use std::time::Duration;

pub type Job = Box<dyn FnOnce() + Send>;

/// One thread under control.
pub struct Task {
    pub name: String,
    pub lane: bool, // the driver's, and not the candidate's own
    pub stand: Stand,
    pub at: Place,
    pub within: &'static str, // the op of the call under way
    pub turned: u64,          // the step at which it went on last
    pub holds: Vec<Hold>,
    pub signalled: bool, // what it waited for last came in time
    pub ends: bool,      // it is to unwind at its next operation …
    pub at_rest: bool,   // … or just to go
    pub jobs: VecDeque<Job>,
    pub starts: Option<Job>, // a lane's thread, which begins when it is its turn
    pub thread: Option<Thread>,
}

/// Somebody who can go on, as a strategy sees them.
pub struct Ready<'a> {
    pub id: usize,
    pub name: &'a str,
    pub turned: u64,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Stand {
    Runs,
    Parked(Want),
    Over,
}

/// What has to come before a thread can go on. Times are readings of the virtual clock; locks and signals are known by where
/// they lie.
#[derive(Clone, Copy, PartialEq)]
pub enum Want {
    Nothing,
    Work,
    Lock(Claim),
    Signal { of: usize, ticket: u64, lock: Claim, until: Option<Duration> },
    Time(Duration),
    End(usize),
}

/// A lock that is wanted or held, alone or with others.
#[derive(Clone, Copy, PartialEq)]
pub struct Claim {
    pub lock: usize,
    pub alone: bool,
}

impl Claim {
    pub fn bars(self, other: Claim) -> bool {
        self.lock == other.lock && (self.alone || other.alone)
    }
}

pub struct Hold {
    pub claim: Claim,
    pub at: Place,
}

impl Task {
    pub fn new(name: String, lane: bool) -> Self {
        Task {
            name,
            lane,
            stand: Stand::Parked(if lane { Want::Work } else { Want::Nothing }),
            at: Place::before_call(""),
            within: "",
            turned: 0,
            holds: Vec::new(),
            signalled: false,
            ends: false,
            at_rest: false,
            jobs: VecDeque::new(),
            starts: None,
            thread: None,
        }
    }

    /// Whether it has a claim that keeps this one from being had.
    pub fn bars(&self, claim: Claim) -> bool {
        self.holds.iter().any(|held| held.claim.bars(claim))
    }

    pub fn idles(&self) -> bool {
        self.stand == Stand::Parked(Want::Work)
    }
}
