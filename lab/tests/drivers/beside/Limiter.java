import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stingy.Candidate;
import stingy.Failure;
import stingy.Request;

/** What is no queue, and is made beside one. */
final class Limiter implements Candidate {
    static final List<String> OPS = List.of("when", "forget", "num_requeues");

    private final Map<String, Integer> failures = new HashMap<>();
    private final long base;
    private final long most;

    Limiter(Request.Options options) {
        base = options.number("base_delay").longValue();
        most = options.number("max_delay").longValue();
    }

    @Override
    public synchronized Object call(Request call) {
        int before = failures.getOrDefault(call.item, 0);
        switch (call.op) {
            case "when":
                failures.put(call.item, before + 1);
                return base > 0 && (before > 62 || base > most >> before) ? most : base << before;
            case "forget":
                failures.remove(call.item);
                return null;
            case "num_requeues":
                return before;
            default:
                throw Failure.unsupported(call.op);
        }
    }

    @Override
    public void end() {}
}
