// Written by python -m lab derive.
package stingy;

import java.util.List;

final class Keys {
    /** The keys of the request for an op, besides id, op and lane. */
    static List<String> of(String op) {
        switch (op) {
            case "add":
            case "done":
            case "add_rate_limited":
            case "forget":
            case "num_requeues":
            case "when":
                return List.of("item");
            case "pause":
                return List.of("ns");
            case "add_after":
                return List.of("item", "ns");
            case "finish":
                return List.of("item", "kind", "ns");
            case "add_with_opts":
                return List.of("item", "priority", "ns", "rate_limited");
            case "add_all_with_opts":
                return List.of("items", "priority", "ns", "rate_limited");
            case "compute":
                return List.of("namespace", "service", "pods");
            case "delete":
                return List.of("namespace", "name");
            case "format":
                return List.of("instant");
            case "parse":
                return List.of("text");
            case "update":
            case "remove":
                return List.of("slice");
            case "read_again":
                return List.of("number");
            case "sync":
                return List.of("program");
            default:
                return List.of();
        }
    }

    /** True if the op takes an item. If a burst leaves out the item, it is the one that the lane has held longest. */
    static boolean takeItem(String op) {
        return of(op).contains("item");
    }
}
