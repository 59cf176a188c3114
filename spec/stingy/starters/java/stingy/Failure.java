package stingy;

import java.util.LinkedHashMap;
import java.util.Map;

/** Why there is no value, if it is not the candidate who raised. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String kind;

    private Failure(String kind, String text) {
        super(text);
        this.kind = kind;
    }

    public static Failure unsupported(String text) {
        return new Failure("unsupported", text);
    }

    public static Failure senseless(String text) {
        return new Failure("protocol", text);
    }

    static Failure restless(String text) {
        return new Failure("restless", text);
    }

    static Failure uncontrolled(String text) {
        return new Failure("uncontrolled", text);
    }

    static Map<String, Object> told(Throwable error) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("kind", error instanceof Failure ? ((Failure) error).kind : "raised");
        told.put("text", error instanceof Failure ? error.getMessage() : error.toString());
        return told;
    }
}
