package stingy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as the protocol needs, so that the driver needs no library. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Maps, lists, strings, longs, doubles, booleans and null. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at < text.length()) {
            throw json.unexpected();
        }
        return value;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value() {
        blanks();
        if (at == text.length()) {
            throw unexpected();
        }
        switch (text.charAt(at)) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> found = new LinkedHashMap<>();
        for (boolean more = opened('}'); more; more = followed('}')) {
            blanks();
            String key = string();
            blanks();
            take(':');
            found.put(key, value());
        }
        return found;
    }

    private List<Object> array() {
        List<Object> found = new ArrayList<>();
        for (boolean more = opened(']'); more; more = followed(']')) {
            found.add(value());
        }
        return found;
    }

    private boolean opened(char close) {
        at++;
        blanks();
        if (at < text.length() && text.charAt(at) == close) {
            at++;
            return false;
        }
        return true;
    }

    private boolean followed(char close) {
        blanks();
        if (at < text.length() && text.charAt(at) == ',') {
            at++;
            return true;
        }
        take(close);
        return false;
    }

    private String string() {
        take('"');
        StringBuilder found = new StringBuilder();
        while (true) {
            if (at == text.length()) {
                throw unexpected();
            }
            char next = text.charAt(at++);
            if (next == '"') {
                return found.toString();
            }
            found.append(next == '\\' ? escaped() : next);
        }
    }

    private char escaped() {
        char kind = text.charAt(at++);
        if (kind == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int plain = "bfnrt".indexOf(kind);
        return plain < 0 ? kind : "\b\f\n\r\t".charAt(plain);
    }

    private Number number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String found = text.substring(from, at);
        if (found.isEmpty()) {
            throw unexpected();
        }
        if (found.matches("-?[0-9]+")) {
            return Long.valueOf(found);
        }
        return Double.valueOf(found);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw unexpected();
        }
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void take(char due) {
        if (at == text.length() || text.charAt(at) != due) {
            throw unexpected();
        }
        at++;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("no JSON from character " + at + " on: " + text);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                quote(entry.getKey().toString(), out);
                out.append(':');
                write(entry.getValue(), out);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String before = "[";
            for (Object each : (List<?>) value) {
                out.append(before);
                write(each, out);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String value, StringBuilder out) {
        out.append('"');
        for (char each : value.toCharArray()) {
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                out.append(String.format("\\u%04x", (int) each));
            } else {
                out.append(each);
            }
        }
        out.append('"');
    }
}
