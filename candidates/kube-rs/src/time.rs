//! A clock that moves when told to, and when everything waits.

use std::{
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    task::yield_now,
    time::{Instant, sleep},
};

/// How often any of the candidate's tasks has gone on, or has let others go on before it.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// The state of the dice by which a task that is ready lets the others go on before it; 0 where tasks go on in the order in which
/// they were woken, as tokio has it.
static DICE: AtomicU64 = AtomicU64::new(0);

/// Have ready tasks go on in another order: the same one for the same seed.
pub fn throw_dice_from(seed: u64) {
    DICE.store(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), Relaxed); // seeds that are next to each other lead far apart
}

/// A task of the candidate's: each of its steps is counted.
pub struct Counted<F>(pub Pin<Box<F>>);

/// Whether a task that is ready goes on after the others that are.
fn goes_later() -> bool {
    let dice = DICE.load(Relaxed);
    if dice != 0 {
        DICE.store(dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407) | 1, Relaxed);
    }
    dice >> 63 == 1
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        STEPS.fetch_add(1, Relaxed);
        if goes_later() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.0.as_mut().poll(context)
    }
}

/// Returns when no task can go on. The runtime has one thread, and between two turns of ours it gives all others theirs: if
/// none has taken it, none is ready. It also looks for timers that are due then, and whom they wake has the next turn.
pub async fn settle() {
    let mut quiet = 0;
    while quiet < 3 {
        let before = STEPS.load(Relaxed);
        yield_now().await;
        quiet = if STEPS.load(Relaxed) == before { quiet + 1 } else { 0 };
    }
}

/// The runtime's clock, which counts milliseconds, and what has passed besides.
pub struct Clock {
    begin: Instant,
    rest: u64,
}

const MILLISECOND: u64 = 1_000_000;

impl Clock {
    pub fn new() -> Self {
        Self { begin: Instant::now(), rest: 0 }
    }

    pub fn nanoseconds(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64 + self.rest
    }

    /// Whenever everything waits, the runtime's paused clock jumps to the next timer: at last, to the one set here.
    pub async fn advance(&mut self, span: u64) {
        settle().await;
        self.rest += span;
        sleep(Duration::from_millis(self.rest / MILLISECOND)).await;
        self.rest %= MILLISECOND;
        settle().await;
    }
}
