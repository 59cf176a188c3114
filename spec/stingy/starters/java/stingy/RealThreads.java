package stingy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads whose order is left to the machine. Linux tells whether all of them sleep. */
final class RealThreads implements Crew {
    static final ThreadGroup GROUP = new ThreadGroup("left alone");

    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    static final boolean SETTLE = Files.isDirectory(THIS_THREAD);

    /** Threads of the machine itself, which wake nobody and go on when they like, as Linux names them. */
    private static final List<String> NOBODYS = List.of("C1 CompilerThre", "C2 CompilerThre", "VM Periodic Tas");
    /** So long somebody may be awake before it is taken for no rest at all: seconds. */
    private static final int PATIENCE = 12;
    /** Of a thread that waits for time to pass by itself: so long it is watched whether it wakes up: milliseconds. */
    private static final int GLANCE = 50;

    private final Map<String, Lane> lanes = new HashMap<>();
    private final List<Thread> all = new CopyOnWriteArrayList<>();
    private volatile boolean abandoned;

    @Override
    public ThreadFactory threads(String name) {
        return work -> thread(name, work);
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

    /**
     * Until every thread sleeps, whoever has started it, and none of them has been awake between two looks. A thread that is to be
     * woken does not sleep any more for Linux, so nothing is left to come, but for what waits for time to pass.
     */
    @Override
    public void settle() {
        if (!SETTLE) {
            return; // nobody asks for it who heeds what the driver says of itself
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
        Map<String, String> before = null;
        while (System.nanoTime() < end) {
            Map<String, String> now = asleep();
            if (now != null && now.equals(before)) {
                return;
            }
            before = now;
            pause(now != null && ownThreadWaitsForTime() ? GLANCE : 1);
        }
        throw Failure.restless("the candidate's threads do not come to rest within " + PATIENCE + " s, so that it cannot be told what"
                + " is still to come: a thread that looks again and again by the machine's time needs a clock that the driver moves");
    }

    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    /** Whether a thread that was not started here looks again after a time, and so may be about to go on. */
    private boolean ownThreadWaitsForTime() {
        ThreadGroup whole = Thread.currentThread().getThreadGroup(); // a thread begins in the group of who has started it
        Thread[] begun = new Thread[2 * whole.activeCount() + 8];
        int count = whole.enumerate(begun);
        return Arrays.stream(begun, 0, count)
                .anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING && !all.contains(thread));
    }

    /** How often each thread but this one has gone to sleep; null if one is awake. */
    private static Map<String, String> asleep() {
        Map<String, String> found = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            String itself = THIS_THREAD.toRealPath().getFileName().toString();
            for (Path thread : threads) {
                String name = thread.getFileName().toString();
                if (!name.equals(itself) && !look(name, status(thread), found)) {
                    return null;
                }
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return found;
    }

    /** Notes how often it has gone to sleep; false if it is awake. */
    private static boolean look(String thread, List<String> status, Map<String, String> found) {
        boolean sleeps = true;
        for (String line : status) {
            if (line.startsWith("Name:") && NOBODYS.contains(line.substring("Name:".length()).trim())) {
                return true;
            }
            if (line.startsWith("State:")) {
                sleeps = line.contains("S (sleeping)");
            }
            if (line.startsWith("voluntary_ctxt_switches:")) {
                found.put(thread, line);
            }
        }
        return sleeps;
    }

    private static List<String> status(Path thread) {
        try {
            return Files.readAllLines(thread.resolve("status"));
        } catch (IOException ended) {
            return List.of();
        }
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
                    undone.decrementAndGet();
                }
            } catch (InterruptedException e) {
                // abandoned
            }
        }
    }
}
