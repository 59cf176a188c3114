package stingy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads whose order is left to the machine. Linux tells whether all of them sleep. */
final class RealThreads implements Crew {
    static final ThreadGroup GROUP = new ThreadGroup("left alone");

    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    static final boolean SETTLE = Files.isDirectory(THIS_THREAD);

    private final Map<String, Lane> lanes = new HashMap<>();
    private final List<Thread> all = new CopyOnWriteArrayList<>();
    private final List<Path> begun = new CopyOnWriteArrayList<>();
    private final AtomicInteger unknown = new AtomicInteger(); // made, and not begun so far
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
        unknown.incrementAndGet();
        Thread thread = new Thread(GROUP, () -> {
            begun.add(itself());
            unknown.decrementAndGet();
            work.run();
        }, name);
        thread.setDaemon(true);
        all.add(thread);
        return thread;
    }

    private static Path itself() {
        try {
            return SETTLE ? THIS_THREAD.toRealPath() : THIS_THREAD;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /**
     * Until every thread sleeps, and none of them has been awake between two looks. A thread that is to be woken does not
     * sleep any more for Linux, so nothing is left to come, but for what waits for time to pass. Threads that the candidate
     * starts itself are not seen.
     */
    @Override
    public void settle() {
        List<String> before = null;
        while (true) {
            List<String> now = asleep();
            if (now != null && now.equals(before)) {
                return;
            }
            before = now;
            try {
                Thread.sleep(1);
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
    }

    /** How often each of its threads has gone to sleep; null if one is awake, or has yet to begin. */
    private List<String> asleep() {
        if (unknown.get() > 0) {
            return null;
        }
        List<String> found = new ArrayList<>();
        for (Path thread : begun) {
            for (String line : status(thread)) {
                if (line.startsWith("State:") && !line.contains("S (sleeping)")) {
                    return null;
                }
                if (line.startsWith("voluntary_ctxt_switches:")) {
                    found.add(line);
                }
            }
        }
        return found;
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
