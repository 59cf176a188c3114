package stingy;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a Get has returned: an item, or null where it says that the queue is shut down. */
public final class HandedOut {
    final String item;

    private HandedOut(String item) {
        this.item = item;
    }

    public static HandedOut of(String item) {
        return new HandedOut(item);
    }

    private Map<String, Object> told() {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("item", item);
        told.put("shutdown", item == null);
        return told;
    }

    /** A value as the protocol has it. */
    static Object told(Object val) {
        return val instanceof HandedOut ? ((HandedOut) val).told() : val;
    }
}
