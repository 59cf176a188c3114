package stingy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** In which order a burst is to be run, or in which orders. */
final class Schedule {
    private static final int DEPTH = 3;
    /** So many steps a race is taken to have of which nothing is known. */
    private static final long USUAL = 150;

    final List<Turn> choices = new ArrayList<>();
    final boolean aloud;
    /** So often, each time with a candidate that has been through the same; 0 for once, with this one. */
    final long runs;
    final int most;
    final Object then;

    private final String strategy;
    private final long seed;
    private final double interruptions;

    Schedule(Map<String, Object> keys) {
        aloud = Boolean.TRUE.equals(keys.get("aloud"));
        runs = Request.number(keys, "runs", 0).longValue();
        most = Request.number(keys, "most", 0).intValue();
        seed = Request.number(keys, "seed", 0).longValue();
        interruptions = Request.number(keys, "interruptions", 0).doubleValue();
        then = keys.getOrDefault("then", List.of());
        strategy = String.valueOf(keys.getOrDefault("strategy", "fair"));
        for (Object choice : (List<?>) keys.getOrDefault("choices", List.of())) {
            List<?> turn = (List<?>) choice;
            Object steps = turn.get(1);
            choices.add(new Turn(String.valueOf(turn.get(0)), steps == null ? 0 : ((Number) steps).intValue()));
        }
    }

    /** That of a burst which does not say: a seed is all that it has. */
    static Schedule unsaid(long seed, int lanes) {
        return new Schedule(Map.of("strategy", lanes > 1 ? "random" : "fair", "seed", seed));
    }

    /** For the run of this number, where the one before had so many steps. */
    Strategy strategy(long number, long steps) {
        if (!choices.isEmpty()) {
            return new Strategy.Replay(choices);
        }
        long likely = steps == 0 ? USUAL : steps;
        switch (strategy) {
            case "random":
                return Strategy.random(seed + number);
            case "pct":
                return new Strategy.Pct(seed + number, DEPTH, likely);
            case "sparse":
                return Strategy.sparse(seed + number, interruptions, likely);
            default:
                return Strategy.FAIR;
        }
    }
}
