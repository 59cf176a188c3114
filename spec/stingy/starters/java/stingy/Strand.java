package stingy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/** One thread under control. It stops at its points, and goes on when it is its turn. */
final class Strand implements Executor {
    final Run run;
    final String name;
    /** The driver's, and not the candidate's own. */
    final boolean lane;
    final Thread thread;
    /** The locks that it has, with where they were taken. */
    final Map<Object, String> holds = new LinkedHashMap<>();
    /** The lock of java.util.concurrent that it has asked for; null if it has got it. */
    Object sought;
    /** Whether it waits for a condition to be signalled. */
    boolean awaits;
    long turned; // the step at which it went on last

    private Runnable continuation; // takes it on from where it has left its carrier; null while it cannot go on
    private boolean stands; // at a point, or where it was woken
    private boolean after; // what is done there
    private boolean over;
    private long due = Clock.NEVER; // when the alarm rings …
    private Runnable alarm; // … that ends a wait
    private boolean rang;
    private String at = "";
    private Want want;

    Strand(Run run, String name, boolean lane, Runnable work) {
        this.run = run;
        this.name = name;
        this.lane = lane;
        thread = Virtual.thread(this, name, () -> {
            try {
                work.run();
            } finally {
                over = true;
            }
        });
    }

    boolean isOver() {
        return over;
    }

    boolean isBegun() {
        return turned > 0;
    }

    boolean isReady() {
        return stands && (want == null || want.granted(this));
    }

    /** Called by the JVM when it can go on: from the beginning, after a yield, or because somebody woke it. */
    @Override
    public void execute(Runnable task) {
        if (run.isForeign(Thread.currentThread())) {
            run.lose(name + " was woken by a thread that is not under control, at " + spot());
        }
        continuation = task;
        if (!stands) {
            stands = true;
            after = true;
        }
    }

    /** Another thread may go on here; this one does once it has what it wants. */
    void point(String at, Want wants) {
        this.at = at;
        want = wants;
        after = false;
        stands = true;
        if (run.goesOn(this)) {
            proceed();
            return;
        }
        Thread.yield();
        if (stands) { // it could not leave its carrier: there is a native frame, or a class initialiser, below it
            run.stays();
            if (!isReady()) {
                run.lose(name + " waits within a class initialiser or native code, at " + spot());
                throw new IllegalStateException("it cannot be followed here");
            }
            proceed();
        }
    }

    /** So long it waits at most from now on, in nanoseconds; then this is done. */
    void setAlarm(long span, Runnable alarm) {
        long now = run.slept();
        due = span < Clock.NEVER - now ? now + span : Clock.NEVER;
        this.alarm = alarm;
        if (span <= 0) {
            ring();
        }
    }

    void ring() {
        due = Clock.NEVER;
        rang = true;
        alarm.run();
    }

    /** It waits no longer; whether the time had passed. */
    boolean stopAlarm() {
        boolean has = rang;
        due = Clock.NEVER;
        rang = false;
        return has;
    }

    boolean hasRung() {
        return rang;
    }

    /** When its alarm is to ring. */
    long due() {
        return over ? Clock.NEVER : due;
    }

    private void proceed() {
        stands = false;
        after = false;
        want = null;
    }

    /** Takes it on until it leaves its carrier. */
    void goOn() {
        Runnable task = continuation;
        continuation = null;
        proceed();
        task.run();
        if (continuation == null && !over && !Virtual.isParked(thread)) {
            run.lose(name + " waits for time to pass, or for a lock, where it cannot be followed, at " + spot());
        }
    }

    private String spot() {
        return Spot.at(at) + ", " + Spot.method(at);
    }

    /** What keeps it from going on, in words; empty for nobody knows what. */
    String waitsFor() {
        if (stands || over) {
            return want == null ? "" : want.told(this);
        }
        return awaits ? "a signal" : sought == null ? "" : run.toldLock(sought);
    }

    boolean wantsLock() {
        return want != null || sought != null || awaits;
    }

    Map<String, Object> toldSpot() {
        return Spot.told(at, after);
    }
}
