package stingy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** That a thread goes on, for so many steps or, where these are 0, until it cannot. */
final class Turn {
    final String who;
    int steps;
    final List<String> of = new ArrayList<>(); // who else could have gone on
    Map<String, Object> rest; // where it stands then; null at its end

    Turn(String who, int steps) {
        this.who = who;
        this.steps = steps;
    }

    List<Object> choice() {
        List<Object> told = new ArrayList<>();
        told.add(who);
        told.add(steps == 0 ? null : steps);
        return told;
    }

    Map<String, Object> told() {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("who", who);
        told.put("steps", steps);
        told.put("of", of);
        if (rest != null) {
            told.put("rest", rest);
        }
        return told;
    }
}
