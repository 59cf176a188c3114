package stingy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a burst has gone. */
final class Course {
    final List<Burst.Call> calls;
    final List<Turn> turns;
    final List<Map<String, Object>> waiting;

    Course(List<Burst.Call> calls, List<Turn> turns, List<Map<String, Object>> waiting) {
        this.calls = calls;
        this.turns = turns;
        this.waiting = waiting;
    }

    Map<String, Object> told(boolean aloud) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("calls", each(calls));
        List<Object> choices = new ArrayList<>();
        turns.forEach(turn -> choices.add(turn.choice()));
        told.put("choices", choices);
        told.put("waiting", waiting);
        if (aloud) {
            List<Object> trail = new ArrayList<>();
            turns.forEach(turn -> trail.add(turn.told()));
            told.put("trail", trail);
        }
        return told;
    }

    static List<Object> each(List<Burst.Call> calls) {
        List<Object> told = new ArrayList<>();
        calls.forEach(call -> told.add(call.told()));
        return told;
    }
}
