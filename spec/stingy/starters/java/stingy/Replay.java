package stingy;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Says to a driver what was said to it when a rule was broken, in the order that broke it. It is broken still if that goes the
 * same way again; if it goes another way, nothing is said of what that way is worth: to judge it is for stingy. What is said
 * is what {@code stingy replay --export java} writes, requests and answers by driver protocol 1. The driver is a process of its
 * own, which the candidate may end or keep for ever.
 */
public final class Replay {
    /** The id of a request to settle, which is no part of what was said. */
    private static final long SETTLING = -1;

    private final List<String> driver;
    private int broken;

    /** Of the driver that begins at {@code main} of this class, with these words. */
    public Replay(Class<?> main, String... words) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        driver = new ArrayList<>(List.of(java, "-cp", System.getProperty("java.class.path"), main.getName()));
        driver.addAll(Arrays.asList(words));
    }

    /** Says it again, and prints what came of it: {@code why} it is broken, if it is. */
    public void race(String name, String why, String conversation) throws IOException {
        try (Talk talk = new Talk(driver)) {
            String otherwise = talk.repeat((List<?>) Json.read(conversation));
            if (otherwise.isEmpty()) {
                broken++;
            }
            System.out.println(otherwise.isEmpty() ? "FAIL  " + name + "\n      " + why : "ok    " + name + "\n      " + otherwise);
        }
    }

    /** Ends the program, with status 1 if any is broken. */
    public void end() {
        System.exit(broken == 0 ? 0 : 1);
    }

    /** With a driver in another process. */
    private static final class Talk implements AutoCloseable {
        private final Process driver;
        private final BufferedWriter asks;
        private final BufferedReader answers;
        private final Deque<Map<?, ?>> heard = new ArrayDeque<>();

        Talk(List<String> command) throws IOException {
            driver = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            asks = new BufferedWriter(new OutputStreamWriter(driver.getOutputStream(), StandardCharsets.UTF_8));
            answers = new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
            ask(Map.of("id", 0, "op", "hello", "protocol", 1));
            Map<?, ?> hello = (Map<?, ?>) heard.remove().get("val");
            if (!((Map<?, ?>) hello.get("capabilities")).containsKey("schedules")) {
                close();
                throw new IllegalStateException("nothing is under control here: " + hello.get("unscheduled"));
            }
        }

        @Override
        public void close() {
            driver.descendants().forEach(ProcessHandle::destroyForcibly);
            driver.destroyForcibly();
        }

        /** Says everything again, until it goes otherwise; the first that does, or nothing. */
        String repeat(List<?> said) throws IOException {
            for (Object each : said) {
                Map<?, ?> message = (Map<?, ?>) each;
                if (message.containsKey("op")) {
                    if (!heard.isEmpty()) {
                        return Json.write(heard.peek()) + " is answered here already";
                    }
                    ask(message);
                } else if (heard.isEmpty()) {
                    return Json.write(message) + " is not answered now";
                } else if (!isSame(message, heard.peek())) {
                    return Json.write(heard.peek()) + " is answered now";
                } else {
                    heard.remove();
                }
            }
            return heard.isEmpty() ? "" : Json.write(heard.peek()) + " is answered in the end";
        }

        /** Says something, and hears what is answered until nothing moves any more. */
        private void ask(Map<?, ?> message) throws IOException {
            asks.write(Json.write(message) + "\n" + Json.write(Map.of("id", SETTLING, "op", "settle")) + "\n");
            asks.flush();
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                Map<?, ?> answer = (Map<?, ?>) Json.read(line);
                if (kind(answer).equals("uncontrolled")) {
                    throw new IllegalStateException("the candidate cannot be followed: " + line);
                }
                if (number(answer.get("id")) == SETTLING) {
                    return;
                }
                if (!isReading(answer, message)) {
                    heard.add(answer);
                }
            }
            throw new IllegalStateException("the driver has ended when it was to answer " + Json.write(message));
        }
    }

    /** Whether it tells a reading of the clock, if that, and nothing else. */
    private static boolean isReading(Map<?, ?> answer, Map<?, ?> message) {
        return Boolean.TRUE.equals(answer.get("ok")) && List.of("new", "advance", "step").contains(message.get("op"))
                && number(answer.get("id")) == number(message.get("id"));
    }

    private static boolean isSame(Map<?, ?> said, Map<?, ?> now) {
        if (number(said.get("id")) != number(now.get("id")) || !kind(said).equals(kind(now))) {
            return false;
        }
        if (!(said.get("val") instanceof Map) || !((Map<?, ?>) said.get("val")).containsKey("calls")) {
            return Objects.equals(said.get("val"), now.get("val"));
        }
        return isSameHistory((Map<?, ?>) said.get("val"), (Map<?, ?>) now.get("val"));
    }

    /** Whether its calls have come to the same now, and all that was ordered is so now. */
    private static boolean isSameHistory(Map<?, ?> said, Map<?, ?> now) {
        List<Map<?, ?>> before = calls(said);
        List<Map<?, ?>> after = calls(now);
        if (!waiting(said).equals(waiting(now)) || !outcomes(before).equals(outcomes(after))) {
            return false;
        }
        for (int a = 0; a < before.size(); a++) {
            for (int b = 0; b < before.size(); b++) {
                if (isBefore(before.get(a), before.get(b)) && !isBefore(after.get(a), after.get(b))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** By lane. */
    private static List<Map<?, ?>> calls(Map<?, ?> history) {
        return ((List<?>) history.get("calls")).stream().<Map<?, ?>>map(each -> (Map<?, ?>) each)
                .sorted(Comparator.<Map<?, ?>, String>comparing(call -> (String) call.get("lane")).thenComparing(call -> number(call.get("start"))))
                .collect(Collectors.toList());
    }

    private static List<List<?>> outcomes(List<Map<?, ?>> calls) {
        return calls.stream().<List<?>>map(call -> Arrays.asList(
                call.get("lane"), call.get("op"), call.get("item"), call.get("val"), kind(call), call.get("end") == null))
                .collect(Collectors.toList());
    }

    private static TreeSet<String> waiting(Map<?, ?> history) {
        TreeSet<String> names = new TreeSet<>();
        for (Object each : history.containsKey("waiting") ? (List<?>) history.get("waiting") : List.of()) {
            names.add(String.valueOf(each instanceof Map ? ((Map<?, ?>) each).get("who") : each));
        }
        return names;
    }

    private static boolean isBefore(Map<?, ?> call, Map<?, ?> later) {
        return call.get("end") != null && number(call.get("end")) < number(later.get("start"));
    }

    private static String kind(Map<?, ?> told) {
        return told.get("error") instanceof Map ? String.valueOf(((Map<?, ?>) told.get("error")).get("kind")) : "";
    }

    private static long number(Object told) {
        return ((Number) told).longValue();
    }
}
