use super::task::Ready;
use super::trail::{Turn, WAY};
use std::collections::{HashMap, VecDeque};

/// Chooses who goes on, of those that are ready, and which of n waiters a signal wakes.
pub trait Strategy: Send {
    fn next(&mut self, ready: &[Ready], before: Option<usize>) -> usize;
    fn way(&mut self, n: usize) -> usize;
}

/// Everybody goes on as long as they can, and then whoever has waited longest.
pub struct Fair;

impl Strategy for Fair {
    fn next(&mut self, ready: &[Ready], before: Option<usize>) -> usize {
        before.filter(|it| has(ready, *it)).unwrap_or_else(|| Rotating.next(ready, before))
    }
    fn way(&mut self, _: usize) -> usize {
        0
    }
}

/// Whoever has waited longest takes one step.
pub struct Rotating;

impl Strategy for Rotating {
    fn next(&mut self, ready: &[Ready], _: Option<usize>) -> usize {
        ready.iter().min_by_key(|it| it.turned).expect("somebody is ready").id
    }
    fn way(&mut self, _: usize) -> usize {
        0
    }
}

/// Anybody goes on, at every step.
pub struct Random(Dice);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(Dice::new(seed))
    }
}

impl Strategy for Random {
    fn next(&mut self, ready: &[Ready], _: Option<usize>) -> usize {
        ready[self.0.below(ready.len())].id
    }
    fn way(&mut self, n: usize) -> usize {
        self.0.below(n)
    }
}

/// Somebody else goes on now and then: so often, where there are that many steps.
pub struct Sparse {
    dice: Dice,
    chance: f64,
}

impl Sparse {
    pub fn new(seed: u64, interruptions: f64, steps: u64) -> Self {
        Sparse { dice: Dice::new(seed), chance: interruptions / steps.max(1) as f64 }
    }
}

impl Strategy for Sparse {
    fn next(&mut self, ready: &[Ready], before: Option<usize>) -> usize {
        match before {
            Some(it) if has(ready, it) && self.dice.share() >= self.chance => it,
            _ => ready[self.dice.below(ready.len())].id,
        }
    }
    fn way(&mut self, n: usize) -> usize {
        if self.dice.share() < self.chance { self.dice.below(n) } else { 0 }
    }
}

/// The one with the highest priority goes on, which is lowered at a few steps drawn beforehand: probabilistic concurrency
/// testing, by Burckhardt and others.
pub struct Pct {
    dice: Dice,
    priority: HashMap<usize, f64>,
    lowers: HashMap<u64, f64>,
    step: u64,
}

impl Pct {
    pub fn new(seed: u64, depth: u64, steps: u64) -> Self {
        let mut dice = Dice::new(seed);
        let lowers = (1..depth).map(|n| (dice.below(steps.max(1) as usize) as u64, -(n as f64))).collect();
        Pct { dice, priority: HashMap::new(), lowers, step: 0 }
    }

    fn highest(&self, ready: &[Ready]) -> usize {
        let of = |it: &&Ready| self.priority[&it.id];
        ready.iter().max_by(|a, b| of(a).total_cmp(&of(b))).expect("somebody is ready").id
    }
}

impl Strategy for Pct {
    fn next(&mut self, ready: &[Ready], _: Option<usize>) -> usize {
        for it in ready {
            if !self.priority.contains_key(&it.id) {
                self.priority.insert(it.id, 1.0 + self.dice.share());
            }
        }
        if let Some(lower) = self.lowers.get(&self.step) {
            self.priority.insert(self.highest(ready), *lower);
        }
        self.step += 1;
        self.highest(ready)
    }
    fn way(&mut self, n: usize) -> usize {
        self.dice.below(n)
    }
}

/// Turns that were taken before, as far as they are possible, and then the fair way.
pub struct Replay {
    turns: VecDeque<Turn>,
    who: String,
    left: Option<u64>, // steps of the turn under way; None for as many as there are
}

impl Replay {
    pub fn new(turns: Vec<Turn>) -> Self {
        Replay { turns: turns.into(), who: String::new(), left: Some(0) }
    }
}

impl Strategy for Replay {
    fn next(&mut self, ready: &[Ready], before: Option<usize>) -> usize {
        let named = |who: &str| ready.iter().find(|it| it.name == who).map(|it| it.id);
        if let (Some(id), true) = (named(&self.who), self.left != Some(0)) {
            self.left = self.left.map(|left| left - 1);
            return id;
        }
        while let Some((who, steps)) = self.turns.pop_front() {
            if let Some(id) = named(&who) {
                (self.who, self.left) = (who, steps.map(|steps| steps.saturating_sub(1)));
                return id;
            }
        }
        self.left = Some(0);
        Fair.next(ready, before)
    }
    fn way(&mut self, n: usize) -> usize {
        match self.turns.front() {
            Some((who, steps)) if who == WAY => {
                let way = steps.unwrap_or(0) as usize;
                self.turns.pop_front();
                way.min(n - 1)
            }
            _ => 0,
        }
    }
}

fn has(ready: &[Ready], id: usize) -> bool {
    ready.iter().any(|it| it.id == id)
}

/// Whole numbers and shares by a seed: SplitMix64.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n.max(1) as u64) as usize
    }

    pub fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1u64 << 53) as f64
    }
}
