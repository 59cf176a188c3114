package stingy;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Chooses who goes on, of those that are ready; {@code before} is who took the step before, if anybody. */
interface Strategy {
    Strand next(List<Strand> ready, Strand before);

    /** Everybody goes on as long as they can, and then whoever has waited longest. */
    Strategy FAIR = (ready, before) -> ready.contains(before) ? before : longest(ready);

    /** Whoever has waited longest takes one step. */
    Strategy ROTATING = (ready, before) -> longest(ready);

    private static Strand longest(List<Strand> ready) {
        Strand found = ready.get(0);
        for (Strand each : ready) {
            if (each.turned < found.turned) {
                found = each;
            }
        }
        return found;
    }

    /** Anybody goes on, at every step. */
    static Strategy random(long seed) {
        SplittableRandom dice = new SplittableRandom(seed);
        return (ready, before) -> ready.get(dice.nextInt(ready.size()));
    }

    /** Somebody else goes on now and then: so often, where there are that many steps. */
    static Strategy sparse(long seed, double interruptions, long steps) {
        SplittableRandom dice = new SplittableRandom(seed);
        double chance = interruptions / Math.max(steps, 1);
        return (ready, before) -> ready.contains(before) && dice.nextDouble() >= chance
                ? before
                : ready.get(dice.nextInt(ready.size()));
    }

    /**
     * The one with the highest priority goes on, which is lowered at a few steps drawn beforehand: probabilistic concurrency
     * testing, by Burckhardt and others.
     */
    final class Pct implements Strategy {
        private final SplittableRandom dice;
        private final Map<Strand, Double> priority = new HashMap<>();
        private final Map<Long, Double> lowers = new HashMap<>();
        private long step;

        Pct(long seed, int depth, long steps) {
            dice = new SplittableRandom(seed);
            for (int n = 0; n < depth - 1; n++) {
                lowers.put(dice.nextLong(Math.max(steps, 1)), (double) -n);
            }
        }

        @Override
        public Strand next(List<Strand> ready, Strand before) {
            for (Strand each : ready) {
                priority.computeIfAbsent(each, any -> 1 + dice.nextDouble());
            }
            Double lower = lowers.get(step++);
            if (lower != null) {
                priority.put(highest(ready), lower);
            }
            return highest(ready);
        }

        private Strand highest(List<Strand> ready) {
            return ready.stream().max(Comparator.comparing(priority::get)).orElseThrow();
        }
    }

    /** Takes turns that were taken before, as far as they are possible, and goes on the fair way. */
    final class Replay implements Strategy {
        private final Deque<Turn> turns;
        private String who = "";
        private int left; // steps of the turn under way; -1 for as many as there are

        Replay(List<Turn> turns) {
            this.turns = new ArrayDeque<>(turns);
        }

        @Override
        public Strand next(List<Strand> ready, Strand before) {
            Strand found = left == 0 ? null : named(ready, who);
            if (found != null) {
                left--;
                return found;
            }
            while (!turns.isEmpty()) {
                Turn turn = turns.poll();
                found = named(ready, turn.who);
                if (found != null) {
                    who = turn.who;
                    left = turn.steps - 1;
                    return found;
                }
            }
            left = 0;
            return FAIR.next(ready, before);
        }

        private static Strand named(List<Strand> ready, String name) {
            for (Strand each : ready) {
                if (each.name.equals(name)) {
                    return each;
                }
            }
            return null;
        }
    }
}
