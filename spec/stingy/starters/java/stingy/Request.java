package stingy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Any line from the runner, or a step of a program in a burst. */
public final class Request {
    public final String op;
    /** null if there is none. */
    public final String item;

    private final Map<String, Object> keys;

    private Request(Map<String, Object> keys) {
        this.keys = keys;
        op = text("op");
        item = text("item");
    }

    @SuppressWarnings("unchecked")
    static Request read(String line) {
        Object read = Json.read(line);
        if (!(read instanceof Map)) {
            throw new IllegalArgumentException("no object: " + line);
        }
        return new Request((Map<String, Object>) read);
    }

    /** An op alone, with an item, or with an object of further keys. */
    @SuppressWarnings("unchecked")
    static Request step(List<Object> written) {
        if (written.isEmpty() || written.size() > 2 || !(written.get(0) instanceof String)) {
            throw Failure.senseless("a step is an op, or an op and what it goes with");
        }
        Map<String, Object> keys = new LinkedHashMap<>();
        if (written.size() == 2 && written.get(1) instanceof Map) {
            keys.putAll((Map<String, Object>) written.get(1));
        } else if (written.size() == 2) {
            keys.put("item", written.get(1));
        }
        keys.put("op", written.get(0));
        return new Request(keys);
    }

    /** This call, with another item. */
    Request of(String other) {
        Map<String, Object> changed = new LinkedHashMap<>(keys);
        changed.put("item", other);
        return new Request(changed);
    }

    long id() {
        Object id = keys.get("id");
        return id instanceof Number ? ((Number) id).longValue() : 0;
    }

    boolean isAboutAnItem() {
        return Keys.takeItem(op);
    }

    /** null if there is none. */
    public String text(String key) {
        Object value = keys.get(key);
        if (value != null && !(value instanceof String)) {
            throw Failure.senseless(key + " is no text");
        }
        return (String) value;
    }

    /** 0 if there is none. */
    public long number(String key) {
        return number(keys, key, 0).longValue();
    }

    boolean isFalse(String key) {
        return Boolean.FALSE.equals(keys.get(key));
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> object(String key) {
        Object value = keys.get(key);
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    boolean has(String key) {
        return keys.get(key) != null;
    }

    Options options() {
        return new Options(object("options"));
    }

    static Number number(Map<String, Object> keys, String key, Number otherwise) {
        Object value = keys.get(key);
        if (value != null && !(value instanceof Number)) {
            throw Failure.senseless(key + " is no number");
        }
        return value == null ? otherwise : (Number) value;
    }

    /** What a candidate is to be made with. All times are in nanoseconds. */
    public static final class Options {
        private final Map<String, Object> keys;

        private Options(Map<String, Object> keys) {
            this.keys = keys;
        }

        /** Of this key, or 0. */
        public Number number(String key) {
            return Request.number(keys, key, 0);
        }

        public boolean has(String key) {
            return keys.get(key) != null;
        }

        /** How a rate limiter is to answer. */
        public Script script(String limiter) {
            return new Script(keys.get(limiter));
        }

        public List<Script> scripts(String limiters) {
            List<Script> found = new ArrayList<>();
            if (has(limiters)) {
                ((List<?>) keys.get(limiters)).forEach(each -> found.add(new Script(each)));
            }
            return found;
        }
    }

    /**
     * How a rate limiter is to answer: the first failure of an item waits for the first of the delays, and so on; all that come after
     * the last wait for the last.
     */
    public static final class Script {
        public final List<Long> delays = new ArrayList<>();
        /** Whether it says how often an item has failed. */
        public final boolean counts;

        private Script(Object told) {
            Map<?, ?> keys = told instanceof Map ? (Map<?, ?>) told : Map.of();
            counts = !Boolean.FALSE.equals(keys.get("counts"));
            if (keys.get("delays") instanceof List) {
                ((List<?>) keys.get("delays")).forEach(delay -> delays.add(((Number) delay).longValue()));
            }
        }
    }
}
