package stingy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/** A clock that moves when told to. */
public final class Clock {
    public static final long NEVER = Long.MAX_VALUE;
    private static final long MILLISECOND = 1_000_000;

    /** Somebody who waits by this clock. */
    public interface Sleeper {
        /** When it is to be woken, in nanoseconds; {@link #NEVER} while it does not wait. */
        long due();

        /** The clock has moved. */
        void wake();
    }

    private final Executor wakes;
    private final List<Sleeper> sleepers = new CopyOnWriteArrayList<>();
    private volatile long now;
    private volatile long set; // so far the clock on the wall has been, since this began

    Clock(Executor wakes) {
        this.wakes = wakes;
    }

    /** Goes on from where the machine's clock is: by that one the candidate has been made. */
    public void begin() {
        now = System.currentTimeMillis() * MILLISECOND;
    }

    public long nanos() {
        return now;
    }

    public long millis() {
        return now / MILLISECOND;
    }

    /** What the clock on the wall says, which somebody may set. */
    public long wallNanos() {
        return now + set;
    }

    public long wallMillis() {
        return wallNanos() / MILLISECOND;
    }

    /** Sets the clock on the wall, while no time passes: nobody is told. */
    void set(long forward) {
        set += forward;
    }

    /** The instant so much later. */
    public long in(long span) {
        return span < NEVER - now ? now + span : NEVER;
    }

    public void serve(Sleeper sleeper) {
        sleepers.add(sleeper);
    }

    /** Moves, and has it be noticed by all, in the order of their deadlines, as it would be if time passed by itself. */
    void advance(long span, Runnable settle) {
        long end = in(span);
        settle.run();
        for (long due = nextDue(); due <= end; due = nextDue()) {
            move(due);
            settle.run();
        }
        if (span > 0) {
            move(end);
            settle.run();
        }
    }

    private long nextDue() {
        return sleepers.stream().mapToLong(Sleeper::due).min().orElse(NEVER);
    }

    private void move(long instant) {
        now = instant;
        sleepers.forEach(each -> wakes.execute(each::wake));
    }
}
