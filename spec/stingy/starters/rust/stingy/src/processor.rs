//! On which processors the driver's threads run. Where one goes on at a time, one processor hands over to another slowly.

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::LazyLock;

    type Mask = [u64; 16];
    extern "C" {
        fn sched_getaffinity(pid: i32, size: usize, mask: *mut u64) -> i32;
        fn sched_setaffinity(pid: i32, size: usize, mask: *const u64) -> i32;
    }

    static ALL: LazyLock<Option<Mask>> = LazyLock::new(|| {
        let mut mask: Mask = [0; 16];
        let told = unsafe { sched_getaffinity(0, size_of::<Mask>(), mask.as_mut_ptr()) };
        (told >= 0).then_some(mask)
    });

    fn set(mask: &Mask) {
        unsafe { sched_setaffinity(0, size_of::<Mask>(), mask.as_ptr()) }; // slower, if it cannot be
    }

    pub fn keep_to_one() {
        if let Some(all) = &*ALL {
            let mut one: Mask = [0; 16];
            if let Some((word, bits)) = all.iter().enumerate().rev().find(|(_, bits)| **bits != 0) {
                one[word] = 1 << (63 - bits.leading_zeros());
                set(&one);
            }
        }
    }

    pub fn take_all() {
        if let Some(all) = &*ALL {
            set(all);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    pub fn keep_to_one() {}
    pub fn take_all() {}
}

pub use linux::{keep_to_one, take_all};
