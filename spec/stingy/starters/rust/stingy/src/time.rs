//! What `std::time` has, with an `Instant` that is read off the virtual clock where there is one.

use crate::control;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::sync::LazyLock;
pub use std::time::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration); // since the driver began, or of the virtual clock

static BEGAN: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);

impl Instant {
    pub fn now() -> Self {
        Instant(control::now().unwrap_or_else(|| BEGAN.elapsed()))
    }

    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }

    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }

    pub fn checked_add(&self, span: Duration) -> Option<Self> {
        self.0.checked_add(span).map(Instant)
    }

    pub fn checked_sub(&self, span: Duration) -> Option<Self> {
        self.0.checked_sub(span).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Instant(self.0 + span)
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, span: Duration) -> Self {
        Instant(self.0 - span)
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        self.0 += span;
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, span: Duration) {
        self.0 -= span;
    }
}
