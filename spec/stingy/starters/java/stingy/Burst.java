package stingy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Programs that lanes run at once. */
final class Burst {
    /** Orders the calls of all bursts. Clock readings would not do: a virtual clock stands still during a burst. */
    private static final AtomicLong STAMPS = new AtomicLong();

    private final Candidate candidate;
    private final Crew crew;
    private final TreeMap<String, List<Request>> programs = new TreeMap<>();
    private final List<List<Call>> made = new ArrayList<>(); // a list a lane: a shared one would order the calls
    private volatile boolean over;

    Burst(Server server, Candidate candidate, Crew crew, Request request) {
        this.candidate = candidate;
        this.crew = crew;
        request.object("programs").forEach((lane, steps) -> {
            if (crew.isBusy(lane)) {
                throw Failure.senseless("lane " + lane + " still has a call under way");
            }
            programs.put(lane, server.steps(steps));
        });
    }

    int lanes() {
        return programs.size();
    }

    /** That was drawn last. */
    static long lastStamp() {
        return STAMPS.get();
    }

    /** Starts the lanes, each of which goes on at once, and is moved against the others now and then. */
    void startPerturbed(long seed) {
        SplittableRandom dice = new SplittableRandom(seed);
        AtomicInteger missing = new AtomicInteger(programs.size()); // lanes not yet at the start
        programs.forEach((lane, program) -> {
            SplittableRandom its = dice.split();
            start(lane, program, () -> {
                // Spinning, because threads that are woken one by one have often finished one by one.
                for (missing.decrementAndGet(); missing.get() > 0; ) {
                    Thread.yield();
                }
            }, step -> perturb(its));
        });
    }

    /** Starts the lanes, each of which can be stopped before each call but its first. */
    void startControlled() {
        programs.forEach((lane, program) -> start(lane, program, () -> {}, step -> {
            if (step != program.get(0)) {
                Points.at(Spot.beforeCall(step.op));
            }
        }));
    }

    private interface Between {
        void pass(Request step);
    }

    private void start(String lane, List<Request> program, Runnable begin, Between between) {
        List<Call> calls = new ArrayList<>();
        made.add(calls);
        crew.ask(lane, () -> {
            begin.run();
            run(lane, program, calls, between);
        });
    }

    private void run(String lane, List<Request> program, List<Call> calls, Between between) {
        List<String> held = new ArrayList<>();
        for (Request step : program) {
            String item = step.item;
            if (item == null && step.isAboutAnItem()) {
                if (held.isEmpty()) {
                    continue;
                }
                item = held.get(0);
            }
            Call call = new Call(lane, step.op, item);
            between.pass(step); // before the stamp: a longer interval would excuse more
            calls.add(call);
            call.start = STAMPS.incrementAndGet();
            try {
                call.val = candidate.call(step.of(item));
            } catch (Throwable error) {
                call.error = Failure.told(error);
            }
            if (over) {
                return; // whatever it did now, no history would tell
            }
            call.end = STAMPS.incrementAndGet();
            crew.returned();
            if (call.val instanceof HandedOut) {
                String got = ((HandedOut) call.val).item;
                if (got == null) {
                    return; // the worker goes home
                }
                held.add(got);
            }
            if (step.op.equals("done")) {
                held.remove(item);
            }
        }
    }

    /** Moves the lanes against each other. Left alone, short calls rarely meet. */
    private static void perturb(SplittableRandom dice) {
        switch (dice.nextInt(4)) {
            case 0:
                Thread.yield();
                break;
            case 1:
                for (int i = dice.nextInt(500); i > 0; i--) {
                    Thread.onSpinWait();
                }
                break;
            default:
        }
    }

    /** All calls that were begun, in that order. What happens from now on belongs to no history. */
    List<Call> history() {
        over = true;
        List<Call> all = new ArrayList<>();
        made.forEach(all::addAll);
        all.removeIf(call -> call.start == 0);
        all.sort(Comparator.comparingLong(call -> call.start));
        return all;
    }

    static final class Call {
        final String lane;
        final String op;
        final String item;
        long start;
        Object val;
        Map<String, Object> error;
        volatile Long end; // written last: who sees it sees the rest

        Call(String lane, String op, String item) {
            this.lane = lane;
            this.op = op;
            this.item = item;
        }

        boolean isBefore(Call other) {
            return end != null && end < other.start;
        }

        /** What it is, and what has come of it, but for the stamps. */
        List<Object> outcome() {
            List<Object> told = new ArrayList<>(List.of(lane, op));
            told.add(item);
            told.add(end == null ? null : List.of(error == null ? Json.write(HandedOut.told(val)) : error));
            return told;
        }

        Map<String, Object> told() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("lane", lane);
            all.put("op", op);
            all.put("start", start);
            all.put("end", end);
            if (item != null) {
                all.put("item", item);
            }
            if (end != null) {
                all.put(error == null ? "val" : "error", error == null ? HandedOut.told(val) : error);
            }
            return all;
        }
    }
}
