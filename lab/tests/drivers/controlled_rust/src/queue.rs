use crate::has;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use stingy::sync::{Arc, Condvar, Mutex, MutexGuard};
use stingy::thread;
use stingy::time::{Duration, Instant};

#[derive(Default)]
struct State {
    queue: VecDeque<String>,
    dirty: HashSet<String>,
    processing: HashSet<String>,
    shutting_down: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    counting: Mutex<()>,
    changed: Condvar,
    theirs: std::sync::Mutex<()>,
    spins: AtomicBool,
}

pub struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    pub fn new() -> Self {
        let shared: Arc<Shared> = Arc::default();
        if has("starts a thread of std") {
            let shared = shared.clone();
            std::thread::spawn(move || drop(shared.state.lock()));
        }
        Queue { shared }
    }

    pub fn add(&self, item: &str) {
        let it = &*self.shared;
        if has("sleeps in Add") {
            thread::sleep(Duration::from_millis(400));
        }
        let mut state = it.state.lock().unwrap();
        if state.shutting_down || state.dirty.contains(item) {
            return;
        }
        if has("checks, then acts") {
            drop(state);
            state = it.state.lock().unwrap();
        }
        state.dirty.insert(item.to_owned());
        if has("spins on an atomic of std") {
            self.spin_while(|| drop(it.counting.lock()));
        }
        if has("holds a lock of std") {
            let theirs = it.theirs.lock();
            drop(it.counting.lock());
            drop(theirs);
        }
        if !state.processing.contains(item) {
            state.queue.push_back(item.to_owned());
            it.wake(&state);
        }
    }

    /// Whoever asks for Len goes round and round meanwhile, where nobody sees it.
    fn spin_while(&self, what: impl FnOnce()) {
        self.shared.spins.store(true, SeqCst);
        what();
        self.shared.spins.store(false, SeqCst);
    }

    /// Adds it when so much time has passed.
    pub fn add_after(&self, item: &str, ns: u64) {
        let (shared, item) = (self.shared.clone(), item.to_owned());
        let due = Instant::now() + Duration::from_nanos(ns);
        thread::spawn(move || {
            thread::sleep(due - Instant::now());
            Queue { shared }.add(&item);
        });
    }

    pub fn get(&self) -> Option<String> {
        let it = &*self.shared;
        let mut state = it.state.lock().unwrap();
        while state.queue.is_empty() && !state.shutting_down {
            state = if has("sleeps in Get") {
                drop(state);
                thread::sleep(Duration::from_millis(2));
                it.state.lock().unwrap()
            } else if has("polls") {
                it.changed.wait_timeout(state, Duration::from_millis(10)).unwrap().0
            } else {
                it.changed.wait(state).unwrap()
            };
        }
        let item = state.queue.pop_front()?;
        state.dirty.remove(&item);
        state.processing.insert(item.clone());
        Some(item)
    }

    pub fn done(&self, item: &str) {
        let it = &*self.shared;
        let mut state = it.state.lock().unwrap();
        if state.processing.remove(item) && state.dirty.contains(item) {
            state.queue.push_back(item.to_owned());
            if !has("wakes nobody in Done") {
                it.wake(&state);
            }
        }
    }

    pub fn len(&self) -> usize {
        while has("spins on an atomic of std") && self.shared.spins.load(SeqCst) {
            std::hint::spin_loop();
        }
        let _counting = has("takes two locks in either order").then(|| self.shared.counting.lock());
        self.shared.state.lock().unwrap().queue.len()
    }

    pub fn shut_down(&self) {
        let it = &*self.shared;
        if has("wakes before it shuts down") {
            it.changed.notify_all();
        }
        let mut state = it.state.lock().unwrap();
        let _counting = has("takes two locks in either order").then(|| it.counting.lock());
        state.shutting_down = true;
        match () {
            () if has("wakes one at shutdown") => it.changed.notify_one(),
            () if has("wakes before it shuts down") => {}
            () => it.changed.notify_all(),
        }
    }

    pub fn shutting_down(&self) -> bool {
        self.shared.state.lock().unwrap().shutting_down
    }
}

impl Shared {
    fn wake(&self, state: &MutexGuard<State>) {
        if !has("polls") && !(has("wakes only if it was empty") && state.queue.len() > 1) {
            self.changed.notify_one();
        }
    }
}
