package stingy;

import java.util.ArrayDeque;
import java.util.Deque;

/** The lock that goes with an object, and who waits for a signal in it: as the JVM has it, whoever came first is woken first. */
final class Monitor implements Want {
    private Strand owner;
    private int depth;
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    @Override
    public boolean granted(Strand strand) {
        return owner == null || owner == strand;
    }

    @Override
    public String told(Strand strand) {
        return owner == null ? "a lock" : "a lock that " + owner.name + " holds";
    }

    boolean isOwnedBy(Strand strand) {
        return owner == strand;
    }

    void enter(Strand strand, String at) {
        strand.point(at, this);
        take(strand, 1, at);
    }

    private void take(Strand strand, int times, String at) {
        owner = strand;
        depth += times;
        if (depth == times) {
            strand.holds.put(this, at);
        }
    }

    void exit(Strand strand) {
        check(strand);
        if (--depth == 0) {
            release(strand);
        }
    }

    private void release(Strand strand) {
        owner = null;
        strand.holds.remove(this);
    }

    /** Lets go of it until there is a signal, or for so long: nanoseconds. */
    void await(Strand strand, long span, String at) throws InterruptedException {
        check(strand);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int times = depth;
        String taken = strand.holds.get(this);
        depth = 0;
        release(strand);
        Waiter waiter = new Waiter();
        waiters.add(waiter);
        strand.setAlarm(span, () -> waiter.late = waiters.remove(waiter)); // no signal is for who is late
        strand.point(at, waiter);
        strand.stopAlarm();
        waiters.remove(waiter);
        take(strand, times, taken);
        if (!waiter.signalled && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    void signal(Strand strand, String at, boolean all) {
        strand.point(at, null);
        check(strand);
        for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
            waiter.signalled = true;
            if (!all) {
                return;
            }
        }
    }

    private void check(Strand strand) {
        if (owner != strand) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
    }

    private final class Waiter implements Want {
        boolean signalled;
        boolean late;

        @Override
        public boolean granted(Strand strand) {
            return owner == null && (signalled || late || strand.thread.isInterrupted());
        }

        @Override
        public String told(Strand strand) {
            return signalled || late ? Monitor.this.told(strand) : "a signal";
        }
    }
}
