package stingy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;

/** Answers stingy by driver protocol 1, one JSON object a line. It knows no implementation. */
public final class Server {
    /** Seconds that a candidate which never settles may outlive its runner. */
    private static final int GRACE = 10;

    private final Map<String, Candidate.Maker> makers;
    private final Collection<String> ops;
    private final Map<String, Object> identity = new LinkedHashMap<>();
    private final PrintStream output;
    private boolean clocked;
    private boolean settable;
    private long resolution = 1;

    private Candidate candidate;
    private Crew crew;
    private Clock clock;
    private Request made; // that asked for the candidate …
    private List<Request> asked = new ArrayList<>(); // … and what has been asked of it since

    /** A driver of this name, with the ops of all that it makes: by the name of each {@code impl}, how. */
    public Server(String name, Collection<String> ops, Map<String, Candidate.Maker> makers) {
        this.makers = makers;
        this.ops = ops;
        identity.put("protocol", 1);
        identity.put("name", name);
        identity.put("version", "");
        identity.put("language", "Java");
        identity.put("ops", new ArrayList<>(new TreeSet<>(ops)));
        output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // whatever the candidate prints is no answer
    }

    /** The impls of one queue: what it is to be made as follows from the ops that it has. The same maker heeds the options of all. */
    public static Map<String, Candidate.Maker> queues(Collection<String> ops, Candidate.Maker maker) {
        Map<String, Candidate.Maker> makers = new LinkedHashMap<>(Map.of("work_queue", maker));
        Map.of("add_after", "delaying_queue", "add_rate_limited", "rate_limiting_queue", "add_with_opts", "priority_queue")
                .forEach((op, impl) -> {
                    if (ops.contains(op)) {
                        makers.put(impl, maker);
                    }
                });
        return makers;
    }

    public Server version(String version, String build) {
        identity.put("version", version);
        identity.put("build", build);
        return this;
    }

    /** All that waits for time to pass goes by {@link Around#clock}, whose readings are so many nanoseconds apart. */
    public Server clocked(long resolution) {
        clocked = true;
        this.resolution = resolution;
        return this;
    }

    /** Whoever asks what time of day it is goes by {@link Clock#wallNanos}, too. */
    public Server settable() {
        settable = true;
        return this;
    }

    /** Does not return. Where there is a JDK for it, this goes on as another process, which begins at {@code main}. */
    public void serve(Class<?> main, String... words) throws Exception {
        Control.take(main, words);
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(lines), "reader");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            String line = lines.take();
            if (!line.isEmpty()) {
                serve(line);
            }
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
            lines.add("{\"id\": 0, \"op\": \"bye\"}");
            Thread.sleep(GRACE * 1000);
        } catch (IOException | InterruptedException over) {
            // nobody is there any more
        }
        Runtime.getRuntime().halt(1);
    }

    private interface Work {
        Object work() throws Throwable;
    }

    private void serve(String line) {
        Request request;
        try {
            request = Request.read(line);
        } catch (RuntimeException error) {
            write(answered(0, () -> { throw Failure.senseless(String.valueOf(error.getMessage())); }));
            return;
        }
        if (request.op != null && ops.contains(request.op)) {
            call(request);
            return;
        }
        write(answered(request.id(), () -> {
            Object val = handle(request);
            followed();
            return val;
        }));
        if ("bye".equals(request.op)) {
            System.exit(0);
        }
    }

    private Object handle(Request request) throws Throwable {
        switch (String.valueOf(request.op)) {
            case "hello":
                return hello();
            case "new":
                return make(request);
            case "settle":
                crew().settle();
                return now();
            case "advance":
                if (!clocked) {
                    throw Failure.unsupported("a clock that can be moved");
                }
                if (request.number("ns") < 0) {
                    throw Failure.senseless("time does not go back");
                }
                crew();
                note(request);
                clock.advance(request.number("ns"), crew::settle);
                return now();
            case "step":
                if (!settable) {
                    throw Failure.unsupported("a clock that can be set");
                }
                crew();
                note(request);
                clock.set(request.number("ns"));
                return now();
            case "burst":
                return burst(request);
            case "bye":
                return null;
            case "null":
                throw Failure.senseless("no op");
            default:
                throw Failure.unsupported("op " + request.op);
        }
    }

    private Map<String, Object> hello() {
        boolean controls = Control.here().lack().isEmpty();
        boolean settles = controls || Look.POSSIBLE;
        Map<String, Object> can = new LinkedHashMap<>();
        can.put("virtual_clock", clocked);
        can.put("settle", settles);
        can.put("burst", settles);
        can.put("step", settable);
        can.put("resolution_ns", resolution);
        Map<String, Object> told = new LinkedHashMap<>(identity);
        if (controls) {
            can.put("schedules", Control.here().schedules());
        } else {
            told.put("unscheduled", Control.here().lack());
        }
        told.put("capabilities", can);
        return told;
    }

    private Crew crew() {
        if (crew == null) {
            throw Failure.senseless("no candidate");
        }
        return crew;
    }

    private Object now() {
        return clocked ? Map.of("now_ns", clock.wallNanos()) : null;
    }

    /** Whether it can still be told what the candidate does. */
    private void followed() {
        String trouble = crew instanceof Controlled ? ((Controlled) crew).run.trouble() : null;
        if (trouble != null) {
            throw Failure.uncontrolled(trouble);
        }
    }

    private Object make(Request request) throws Throwable {
        if (crew != null) {
            crew.abandon(candidate);
            crew = null; // even if this one is refused, no call may reach the one before
        }
        Candidate.Maker maker = makers.get(String.valueOf(request.text("impl")));
        if (maker == null) {
            throw Failure.unsupported("impl " + request.text("impl"));
        }
        boolean controls = Control.here().lack().isEmpty() && !request.isFalse("control");
        crew = controls ? new Controlled() : new RealThreads(clocked);
        clock = new Clock(crew::wake);
        candidate = made(maker, request.options(), around(crew, clock));
        made = request;
        asked = new ArrayList<>();
        return now();
    }

    /** Makes it in a thread like those that will call it. */
    private Candidate made(Candidate.Maker maker, Request.Options options, Around around) throws Throwable {
        Object[] made = {null, new IllegalStateException("what makes it does not return")};
        Runnable making = () -> {
            try {
                made[0] = maker.make(options, around);
                made[1] = null;
            } catch (Throwable error) {
                made[1] = error;
            }
        };
        if (crew instanceof Controlled) {
            crew.ask("new", making);
            crew.settle();
            followed();
        } else {
            making.run();
        }
        if (made[1] != null) {
            crew = null;
            throw (Throwable) made[1];
        }
        return (Candidate) made[0];
    }

    private static Around around(Crew crew, Clock clock) {
        return new Around() {
            @Override
            public Clock clock() {
                return clock;
            }

            @Override
            public ThreadFactory threads(String name) {
                return crew.threads(name);
            }
        };
    }

    private void call(Request request) {
        String lane = request.text("lane");
        if (crew == null || lane == null || request.isAboutAnItem() && request.item == null) {
            write(answered(request.id(), () -> { throw Failure.senseless("no candidate, no lane, or no item"); }));
            return;
        }
        note(request);
        ask(request, answer -> write(answer));
        if (crew instanceof Controlled) {
            crew.settle();
        }
    }

    private interface Heard {
        void hear(Map<String, Object> answer);
    }

    private void ask(Request request, Heard heard) {
        Candidate its = candidate;
        Crew of = crew;
        of.ask(request.text("lane"), () -> {
            Map<String, Object> answer = answered(request.id(), () -> its.call(request));
            if (!of.isAbandoned()) {
                heard.hear(answer);
            }
        });
    }

    List<Request> steps(Object written) {
        List<Request> steps = new ArrayList<>();
        for (Object each : (List<?>) written) {
            @SuppressWarnings("unchecked")
            Request step = Request.step((List<Object>) each);
            if (!ops.contains(step.op)) {
                throw Failure.unsupported(step.op);
            }
            steps.add(step);
        }
        return steps;
    }

    private Object burst(Request request) throws Throwable {
        Schedule schedule = request.has("schedule") ? new Schedule(request.object("schedule")) : null;
        if (!(crew() instanceof Controlled)) {
            if (schedule != null) {
                throw Failure.unsupported("a schedule where nothing is under control");
            }
            return perturbed(request);
        }
        if (schedule != null && schedule.runs > 0) {
            return explore(request, schedule);
        }
        note(request);
        return controlled(request, schedule, 0, 0).told(schedule != null && schedule.aloud);
    }

    private Object perturbed(Request request) {
        crew.settle();
        Burst burst = new Burst(this, candidate, crew, request);
        burst.startPerturbed(request.number("seed"));
        clock.advance(request.number("ns"), crew::settle);
        return Map.of("calls", Course.each(burst.history()));
    }

    private Course controlled(Request request, Schedule said, long number, long steps) {
        Run run = ((Controlled) crew).run;
        run.settle();
        Burst burst = new Burst(this, candidate, crew, request);
        Schedule schedule = said == null ? Schedule.unsaid(request.number("seed"), burst.lanes()) : said;
        burst.startControlled();
        List<Turn> turns = run.race(
                schedule.strategy(number, steps), schedule.aloud, settle -> clock.advance(request.number("ns"), settle));
        return new Course(burst.history(), turns, run.waiting());
    }

    /**
     * Runs a burst many times, each time with a fresh candidate that has been asked the same as this one, and tells what came of
     * it, each history once. In the end there is a candidate again that has not run it.
     */
    private Object explore(Request request, Schedule schedule) throws Throwable {
        Outcomes seen = new Outcomes();
        long steps = 0;
        long runs = 0;
        for (; runs < schedule.runs; runs++) {
            if (runs > 0) { // the one that is there has been asked nothing else
                again();
            }
            Run run = ((Controlled) crew).run;
            long before = run.steps();
            Course course = controlled(request, schedule, runs, steps);
            steps = run.steps() - before;
            seen.add(course, then(schedule.then));
            followed();
        }
        again();
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("calls", List.of());
        told.put("choices", List.of());
        told.put("histories", seen.told(schedule.most));
        told.put("runs", runs);
        return told;
    }

    /** Makes the candidate anew, and asks of it what has been asked. */
    private void again() throws Throwable {
        List<Request> before = asked;
        make(made);
        for (Request request : before) {
            if (request.op.equals("advance")) {
                clock.advance(request.number("ns"), crew::settle);
            } else if (request.op.equals("step")) {
                clock.set(request.number("ns"));
            } else if (request.op.equals("burst")) {
                controlled(request, request.has("schedule") ? new Schedule(request.object("schedule")) : null, 0, 0);
            } else {
                ask(request, answer -> {});
                crew.settle();
            }
        }
        asked = before;
    }

    /** Keeps in mind what is asked of a candidate under control. */
    private void note(Request request) {
        if (crew instanceof Controlled) {
            asked.add(request);
        }
    }

    /** Makes calls one after the other, as far as they return, and tells what they answer. */
    private List<Object> then(Object written) {
        List<Object> answers = new ArrayList<>();
        List<Request> steps = steps(written);
        crew.ask("then", () -> {
            String held = null;
            for (Request step : steps) {
                String item = step.item == null ? held : step.item;
                if (step.isAboutAnItem() && item == null) {
                    continue;
                }
                answers.add(step.op);
                Object val;
                try {
                    val = candidate.call(step.of(item));
                } catch (Throwable error) {
                    val = Failure.told(error);
                }
                answers.add(HandedOut.told(val));
                if (val instanceof HandedOut) {
                    held = ((HandedOut) val).item;
                }
            }
        });
        crew.settle();
        return new ArrayList<>(answers);
    }

    private static Map<String, Object> answered(long id, Work work) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", id);
        try {
            answer.put("val", HandedOut.told(work.work()));
            answer.put("ok", true);
        } catch (Throwable error) {
            answer.put("ok", false);
            answer.put("error", Failure.told(error));
        }
        return answer;
    }

    private void write(Map<String, Object> answer) {
        String line = Json.write(answer) + "\n";
        synchronized (output) {
            output.print(line);
            output.flush();
        }
    }
}
