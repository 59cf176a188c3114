use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex};

#[derive(Default)]
struct State {
    queue: VecDeque<String>,
    dirty: HashSet<String>,
    processing: HashSet<String>,
    shutting_down: bool,
}

#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    pub fn add(&self, item: &str) {
        let mut state = self.state.lock().unwrap();
        if state.shutting_down || !state.dirty.insert(item.to_owned()) {
            return;
        }
        if !state.processing.contains(item) {
            state.queue.push_back(item.to_owned());
            self.changed.notify_one();
        }
    }

    /// Waits for an item; `None` after shutdown.
    pub fn get(&self) -> Option<String> {
        let mut state = self
            .changed
            .wait_while(self.state.lock().unwrap(), |it| it.queue.is_empty() && !it.shutting_down)
            .unwrap();
        let item = state.queue.pop_front()?;
        state.dirty.remove(&item);
        state.processing.insert(item.clone());
        Some(item)
    }

    pub fn done(&self, item: &str) {
        let mut state = self.state.lock().unwrap();
        if state.processing.remove(item) && state.dirty.contains(item) {
            state.queue.push_back(item.to_owned());
            self.changed.notify_one();
        }
    }

    pub fn len(&self) -> usize {
        self.state.lock().unwrap().queue.len()
    }

    pub fn shut_down(&self) {
        self.state.lock().unwrap().shutting_down = true;
        self.changed.notify_all();
    }

    pub fn shutting_down(&self) -> bool {
        self.state.lock().unwrap().shutting_down
    }
}
