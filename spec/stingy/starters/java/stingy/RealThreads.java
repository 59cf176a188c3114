package stingy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads whose order is left to the machine. Linux tells whether all of them sleep. */
final class RealThreads implements Crew {
    static final ThreadGroup GROUP = new ThreadGroup("left alone");

    /** So long somebody may be awake before it is taken for no rest at all: seconds. */
    private static final int PATIENCE = 12;
    /** So long a thread that is to wake is waited for without another look: milliseconds. */
    private static final int GLANCE = 50;

    private final boolean clocked;
    private final Map<String, Lane> lanes = new HashMap<>();
    private final List<Thread> all = new CopyOnWriteArrayList<>();
    private final Set<Thread> handedOut = ConcurrentHashMap.newKeySet();
    private final AtomicInteger returned = new AtomicInteger(); // calls that have
    private volatile boolean abandoned;

    /** Whether what waits for time to pass in threads that were handed out goes by a clock of the driver's. */
    RealThreads(boolean clocked) {
        this.clocked = clocked;
    }

    @Override
    public ThreadFactory threads(String name) {
        return work -> {
            Thread made = thread(name, work);
            handedOut.add(made);
            return made;
        };
    }

    @Override
    public void ask(String lane, Runnable work) {
        lanes.computeIfAbsent(lane, Lane::new).ask(work);
    }

    @Override
    public boolean isBusy(String lane) {
        return lanes.containsKey(lane) && lanes.get(lane).undone.get() > 0;
    }

    @Override
    public void wake(Runnable telling) {
        telling.run();
    }

    @Override
    public boolean isAbandoned() {
        return abandoned;
    }

    @Override
    public void abandon(Candidate candidate) {
        abandoned = true;
        thread("closer", () -> {
            try {
                candidate.end();
            } catch (Throwable nobodyHears) {
                // it is over
            }
            all.forEach(Thread::interrupt);
        }).start();
    }

    private Thread thread(String name, Runnable work) {
        Thread thread = new Thread(GROUP, work, name);
        thread.setDaemon(true);
        all.add(thread);
        return thread;
    }

    @Override
    public void returned() {
        returned.incrementAndGet();
    }

    /**
     * Until every thread sleeps, whoever has started it, and none of them has been awake between two looks. A thread that is to be
     * woken does not sleep any more for Linux, so nothing is left to come, but for what waits for time to pass. That is waited for
     * as long as under control: up to a second after a call has returned. Only time counts in which everybody slept, for a thread
     * that computes, or that a busy machine keeps from going on, may be about to sleep for no more than a moment.
     */
    @Override
    public void settle() {
        if (!Look.POSSIBLE) {
            return; // nobody asks for it who heeds what the driver says of itself
        }
        long left = Run.ASLEEP;
        int before = returned.get();
        Look last = new Look(threads(), this::goesByTheMachine);
        for (long end = last.at() + TimeUnit.SECONDS.toNanos(PATIENCE); last.at() < end; ) {
            pause(last.due() - last.at());
            Look look = new Look(threads(), this::goesByTheMachine);
            int now = returned.get();
            if (now != before) {
                before = now;
                left = Run.ASLEEP;
            } else if (look.allSleep()) {
                left -= Math.min(look.at() - last.at(), TimeUnit.MILLISECONDS.toNanos(GLANCE));
            }
            boolean isLate = left <= 0; // then who looks again and again is left to it
            if (look.allSleep() && look.isLike(last, isLate) && look.due() - look.at() > left) {
                return;
            }
            last = look;
        }
        throw Failure.restless("the candidate's threads do not come to rest within " + PATIENCE + " s, so that it cannot be told what"
                + " is still to come: a thread that looks again and again by the machine's time needs a clock that the driver moves, or"
                + " to be under control");
    }

    /** Until somebody is to wake, but not for long: others may be at work. */
    private static void pause(long nanos) {
        try {
            Thread.sleep(nanos > TimeUnit.MILLISECONDS.toNanos(GLANCE) ? 1 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private static List<Thread> threads() {
        ThreadGroup whole = Thread.currentThread().getThreadGroup(); // a thread begins in the group of who has started it
        Thread[] begun = new Thread[2 * whole.activeCount() + 8];
        return Arrays.asList(begun).subList(0, whole.enumerate(begun));
    }

    private boolean goesByTheMachine(Thread thread) {
        return !(clocked && handedOut.contains(thread));
    }

    private final class Lane {
        final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
        final AtomicInteger undone = new AtomicInteger();

        Lane(String name) {
            thread(name, this::goOn).start();
        }

        void ask(Runnable task) {
            undone.incrementAndGet();
            work.add(task);
        }

        private void goOn() {
            try {
                while (!abandoned) {
                    work.take().run();
                    returned();
                    undone.decrementAndGet();
                }
            } catch (InterruptedException e) {
                // abandoned
            }
        }
    }
}
