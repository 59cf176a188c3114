package stingy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One candidate under control, from its making to its end. Its threads run one at a time, each carried by the thread that
 * has begun this, in an order that a strategy chooses.
 */
final class Run {
    /**
     * So many steps may be taken while no time passes: after that everybody has a turn, one after the other, and after as many
     * more it is taken for a loop that nothing ends.
     */
    private static final int MOST = 20_000;

    /** So long calls that sleep are waited for after one has returned: nanoseconds. */
    static final long ASLEEP = 1_000_000_000;

    private static Run current;

    private final Thread carrier = Thread.currentThread();
    private final List<Strand> strands = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final Map<Object, Monitor> monitors = new IdentityHashMap<>();
    private final Map<Thread, Strand> instead = new IdentityHashMap<>();
    private final Map<Object, Object> locks = new IdentityHashMap<>(); // by the conditions that were made of them
    private Strategy strategy = Strategy.FAIR;
    private Trail trail;
    private Strand running;
    private Strand last; // who has taken the last step
    private List<Strand> ready = List.of();
    private Strand chosen; // by the one that runs, as it comes to a point …
    private boolean isChosen; // … if it has; it may be nobody
    private long steps;
    private long slept; // so many nanoseconds have passed for those who sleep …
    private long late; // … and so many may
    private long began; // the step at which time has passed last
    private int passed; // how often it has, since everybody was let go on
    private volatile String trouble;

    /** Has all threads that come from now on under control. */
    static Run begin() {
        current = new Run();
        return current;
    }

    void end() {
        current = null; // whoever waits has nobody any more who could wake it, and is forgotten
    }

    /** The thread that asks; null where nothing is under control. */
    static Strand me() {
        Run run = current;
        if (run == null) {
            return null;
        }
        Thread thread = Thread.currentThread();
        if (run.running != null && run.running.thread == thread) {
            return run.running;
        }
        if (run.isForeign(thread) && thread.getThreadGroup() != RealThreads.GROUP) {
            run.lose("the candidate has started " + thread.getName() + " in a way that is not under control");
        }
        return null;
    }

    /** Whether a thread is neither the one that carries all others nor the one that it carries now. */
    boolean isForeign(Thread thread) {
        return thread != carrier && (running == null || running.thread != thread);
    }

    /** Says why it cannot be followed any more. */
    void lose(String why) {
        if (trouble == null) {
            trouble = why;
        }
    }

    /** Why it cannot go on; null if it can. */
    String trouble() {
        return trouble;
    }

    long steps() {
        return steps;
    }

    /** A thread that goes on when it is its turn, once it has been started; a second one of this name is told from the first. */
    Strand own(String name, Runnable work) {
        int count = names.merge(name, 1, Integer::sum);
        return added(count > 1 ? name + " " + count : name, false, work);
    }

    /** A thread of the driver's, which is ready. */
    void lane(String name, Runnable work) {
        added(name, true, work).thread.start();
    }

    private Strand added(String name, boolean lane, Runnable work) {
        strands.removeIf(Strand::isOver);
        Strand strand = new Strand(this, name, lane, work);
        strands.add(strand);
        return strand;
    }

    /** Starts a thread of the candidate's own: what it does, another one does in its place. */
    void start(Thread thread, String name) {
        Strand its = own(name, thread::run);
        instead.put(thread, its);
        its.thread.start();
    }

    /** Who does what a thread was started for; null for nobody. */
    Strand standsFor(Thread thread) {
        return instead.get(thread);
    }

    /** The thread in whose place somebody runs; null for none. */
    Thread original(Strand of) {
        for (Map.Entry<Thread, Strand> each : instead.entrySet()) {
            if (each.getValue() == of) {
                return each.getKey();
            }
        }
        return null;
    }

    Monitor monitor(Object of) {
        return monitors.computeIfAbsent(of, any -> new Monitor());
    }

    void belongs(Object condition, Object lock) {
        locks.put(condition, lock);
    }

    Object lockOf(Object condition) {
        return locks.get(condition);
    }

    /** Lets everybody go on, the plainest way, until nobody can. */
    void settle() {
        play(Strategy.FAIR);
    }

    /** Lets everybody go on as the strategy has it while this is done; the turns that were taken. */
    List<Turn> race(Strategy strategy, boolean aloud, Consumer<Runnable> done) {
        trail = new Trail(aloud);
        done.accept(() -> play(strategy));
        List<Turn> turns = trail.turns;
        trail = null;
        return turns;
    }

    private void play(Strategy strategy) {
        this.strategy = strategy;
        began = steps;
        passed = 0;
        last = null;
        returned();
        while (true) {
            Strand next = isChosen ? chosen : choose();
            isChosen = false;
            if (next == null) {
                if (passTime()) {
                    continue;
                }
                break;
            }
            step(next);
            running = next;
            next.goOn();
            running = null;
        }
        rest();
        last = null;
    }

    /** A call of a lane has: what comes to its end is no loop, unless the others had to be given turns for it. */
    void returned() {
        late = slept + ASLEEP;
        if (steps - began <= MOST) {
            began = steps;
        }
    }

    long slept() {
        return slept;
    }

    /** Lets time pass until somebody wakes; false if nobody is to. */
    private boolean passTime() {
        long due = strands.stream().mapToLong(Strand::due).min().orElse(Clock.NEVER);
        if (trouble != null || due > late) {
            return false;
        }
        if (++passed > MOST) {
            lose("a thread looks again and again, and hardly sleeps in between");
            return false;
        }
        slept = Math.max(slept, due);
        began = steps;
        strands.stream().filter(each -> each.due() <= slept).forEach(Strand::ring);
        return true;
    }

    /** Whether the one that runs goes on at the point that it has come to; if not, another one does. */
    boolean goesOn(Strand strand) {
        chosen = choose();
        if (chosen == strand) {
            step(strand);
            return true;
        }
        isChosen = true;
        return false;
    }

    /** The one that runs could not be stopped. */
    void stays() {
        isChosen = false;
    }

    private Strand choose() {
        if (trouble != null) {
            return null;
        }
        ready = new ArrayList<>();
        for (Strand each : strands) {
            if (each.isReady()) {
                ready.add(each);
            }
        }
        if (ready.isEmpty()) {
            return null;
        }
        if (steps - began > 2 * MOST) {
            lose(ready.get(0).name + " goes round and round at " + ready.get(0).toldSpot().get("at"));
            return null;
        }
        return (steps - began > MOST ? Strategy.ROTATING : strategy).next(ready, last);
    }

    private void step(Strand next) {
        if (next != last) {
            rest();
        }
        if (trail != null) {
            trail.step(next, ready);
        }
        next.turned = ++steps;
        last = next;
    }

    private void rest() {
        if (last != null && trail != null) {
            trail.rest(last);
        }
    }

    /** Everybody who has not come to an end: lanes, and those of the candidate's own who wait for a lock or have one. */
    List<Map<String, Object>> waiting() {
        List<Map<String, Object>> waiting = new ArrayList<>();
        for (Strand each : strands) {
            if (each.isOver() || !each.isBegun() || !each.lane && each.holds.isEmpty() && !each.wantsLock()) {
                continue;
            }
            Map<String, Object> told = each.toldSpot();
            told.put("who", each.name);
            told.put("for", each.waitsFor());
            List<Object> holds = new ArrayList<>();
            each.holds.values().forEach(at -> holds.add(Spot.told(at, false)));
            told.put("holds", holds);
            waiting.add(told);
        }
        return waiting;
    }

    /** In words, a lock that somebody may have. */
    String toldLock(Object lock) {
        for (Strand each : strands) {
            if (each.holds.containsKey(lock)) {
                return "a lock that " + each.name + " holds";
            }
        }
        return "a lock";
    }
}
