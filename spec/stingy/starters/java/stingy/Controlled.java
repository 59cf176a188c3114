package stingy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;

/** Threads that run one at a time, in an order that is chosen. */
final class Controlled implements Crew {
    final Run run = Run.begin();
    private final Map<String, Deque<Runnable>> lanes = new HashMap<>(); // those under way, with what comes next
    private boolean abandoned;

    @Override
    public ThreadFactory threads(String name) {
        return work -> run.own(name, work).thread;
    }

    @Override
    public void ask(String lane, Runnable work) {
        Deque<Runnable> before = lanes.get(lane);
        if (before != null) {
            before.add(work);
            return;
        }
        Deque<Runnable> its = new ArrayDeque<>();
        its.add(work);
        lanes.put(lane, its);
        run.lane(lane, () -> {
            for (Runnable next = its.poll(); next != null; next = its.poll()) {
                next.run();
            }
            lanes.remove(lane);
        });
    }

    @Override
    public boolean isBusy(String lane) {
        return lanes.containsKey(lane);
    }

    @Override
    public void settle() {
        run.settle();
    }

    @Override
    public void wake(Runnable telling) {
        ask("the clock", telling); // one that is not under control could wake nobody who waits in a monitor
    }

    @Override
    public void returned() {
        run.returned();
    }

    /** What they wait for will not come: nobody takes them on any more. */
    @Override
    public void abandon(Candidate candidate) {
        abandoned = true;
        run.end();
    }

    @Override
    public boolean isAbandoned() {
        return abandoned;
    }
}
