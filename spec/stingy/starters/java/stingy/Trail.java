package stingy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The turns of a race, as they are taken. */
final class Trail {
    final List<Turn> turns = new ArrayList<>();
    private final boolean aloud;
    private Strand who; // whose turn is under way
    private int took; // its steps

    Trail(boolean aloud) {
        this.aloud = aloud;
    }

    void step(Strand strand, List<Strand> ready) {
        if (strand == who) {
            took++;
            return;
        }
        who = strand;
        took = 1;
        Turn turn = new Turn(strand.name, 0);
        if (aloud) {
            ready.stream().filter(other -> other != strand).forEach(other -> turn.of.add(other.name));
        }
        turns.add(turn);
    }

    /** Its turn is over. */
    void rest(Strand strand) {
        if (strand != who) {
            return;
        }
        Turn turn = turns.get(turns.size() - 1);
        boolean cut = strand.isReady();
        if (cut) {
            turn.steps = took;
        }
        if (aloud && !strand.isOver()) {
            Map<String, Object> rest = strand.toldSpot();
            rest.put("for", cut ? "" : strand.waitsFor());
            rest.put("cut", cut);
            rest.put("stamp", Burst.lastStamp());
            turn.rest = rest;
        }
        who = null;
    }
}
