package stingy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The different ways in which a burst went: what its calls answered, where everybody stood, and what was found in the end. Of
 * those that are alike in that, it is of account which calls were over before which began; a history with fewer of those is
 * left out, for whatever it shows, one with more does.
 */
final class Outcomes {
    private final Map<String, Outcome> by = new LinkedHashMap<>();

    void add(Course course, Object then) {
        List<Burst.Call> calls = new ArrayList<>(course.calls);
        calls.sort(Comparator.comparing(call -> call.lane)); // and in a lane they stay in their order
        by.computeIfAbsent(key(course, calls, then), any -> new Outcome()).add(new Ordered(course, calls));
    }

    /** All but the stamps. */
    private static String key(Course course, List<Burst.Call> calls, Object then) {
        List<Object> parts = new ArrayList<>(List.of(then, course.waiting));
        calls.forEach(call -> parts.add(call.outcome()));
        return Json.write(parts);
    }

    /**
     * So many of them: of each outcome, first those in which somebody is left with a lock in hand, then the rarest, one with
     * most in order, then of each the next.
     */
    List<Object> told(int most) {
        List<Outcome> all = new ArrayList<>(by.values());
        all.sort(Comparator.comparingLong(Outcome::locked).reversed().thenComparingInt(outcome -> outcome.times));
        List<Object> told = new ArrayList<>();
        boolean left = true;
        for (int round = 0; left; round++) {
            left = false;
            for (Outcome each : all) {
                if (round < each.ways.size() && told.size() < most) {
                    told.add(each.way(round).told(false));
                    left = true;
                }
            }
        }
        return told;
    }

    private static final class Outcome {
        final List<Ordered> ways = new ArrayList<>();
        int times;

        void add(Ordered way) {
            times++;
            if (ways.stream().noneMatch(had -> had.covers(way))) {
                ways.removeIf(way::covers);
                ways.add(way);
            }
        }

        Course way(int round) {
            ways.sort(Comparator.comparingInt((Ordered way) -> way.before.cardinality()).reversed());
            return ways.get(round).course;
        }

        /** How many are left with a lock in hand. */
        long locked() {
            return ways.get(0).course.waiting.stream().filter(each -> !((List<?>) each.get("holds")).isEmpty()).count();
        }
    }

    private static final class Ordered {
        final Course course;
        final BitSet before = new BitSet(); // for each pair of calls, whether the one was over before the other began

        Ordered(Course course, List<Burst.Call> calls) {
            this.course = course;
            int pair = 0;
            for (Burst.Call one : calls) {
                for (Burst.Call other : calls) {
                    before.set(pair++, one.isBefore(other));
                }
            }
        }

        /** Whether all that is ordered in the other one is ordered so in this one. */
        boolean covers(Ordered other) {
            BitSet missing = (BitSet) other.before.clone();
            missing.andNot(before);
            return missing.isEmpty();
        }
    }
}
