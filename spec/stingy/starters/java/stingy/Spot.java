package stingy;

import java.util.LinkedHashMap;
import java.util.Map;

/** A place in the candidate's code, as the rewriter has written it down there: file and line, the method, what is done, and on what. */
final class Spot {
    /** Parts what a place tells. */
    static final String BETWEEN = "\u001f";

    private Spot() {}

    /** The name of the method. */
    static String method(String place) {
        return parts(place)[1];
    }

    static String op(String place) {
        return parts(place)[2];
    }

    static String at(String place) {
        return parts(place)[0];
    }

    static Map<String, Object> told(String place, boolean after) {
        String[] parts = parts(place);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("at", parts[0]);
        told.put("in", parts[1]);
        told.put("op", parts[2]);
        told.put("line", parts[3]);
        if (after) {
            told.put("after", true);
        }
        return told;
    }

    private static String[] parts(String place) {
        String[] parts = place.split(BETWEEN, 4);
        return parts.length == 4 ? parts : new String[] {"", "", "", ""};
    }

    /** Where a lane stands before it calls the candidate. */
    static String beforeCall(String op) {
        return BETWEEN + BETWEEN + "call" + BETWEEN + op;
    }
}
