package driver;

import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Whole programs, each in its own lane, all at once. */
final class Burst {
  /** Orders the calls of all bursts. */
  private static final AtomicLong STAMPS = new AtomicLong();

  private final Candidate candidate;
  private final Crew crew;
  private final Set<String> ops;
  private final SplittableRandom dice;
  private final AtomicInteger missing = new AtomicInteger(); // lanes not yet at the start
  private final List<List<Call>> made = new ArrayList<>(); // a list a lane: a shared one would order the calls
  private volatile boolean over;

  Burst(Candidate candidate, Crew crew, Set<String> ops, long seed) {
    this.candidate = candidate;
    this.crew = crew;
    this.ops = ops;
    dice = new SplittableRandom(seed);
  }

  void start(Map<String, List<List<JsonElement>>> written) {
    var programs = new TreeMap<String, List<Request>>();
    written.forEach((lane, steps) -> programs.put(lane, steps.stream().map(this::step).toList()));
    for (var lane : programs.keySet()) {
      if (crew.lane(lane).busy()) {
        throw Failure.senseless("lane " + lane + " still has a call under way");
      }
    }
    missing.set(programs.size());
    programs.forEach((lane, program) -> {
      var calls = new ArrayList<Call>();
      var its = dice.split();
      made.add(calls);
      crew.lane(lane).ask(() -> run(lane, program, calls, its));
    });
  }

  /** All calls that were begun, in that order. What happens from now on belongs to no history. */
  List<Map<String, Object>> history() {
    over = true;
    return made.stream().flatMap(List::stream).sorted(Comparator.comparingLong(call -> call.start)).map(Call::told).toList();
  }

  private void run(String lane, List<Request> program, List<Call> calls, SplittableRandom dice) {
    missing.decrementAndGet();
    while (missing.get() > 0) {
      Thread.yield(); // and no waiting: threads that are woken one by one have often finished one by one
    }
    var held = new ArrayList<String>();
    for (var step : program) {
      var item = step.item;
      if (item == null && TAKE_AN_ITEM.contains(step.op)) {
        if (held.isEmpty()) {
          continue;
        }
        item = held.get(0);
      }
      var call = new Call(lane, step.op, item);
      perturb(dice); // before the stamp: a longer interval would excuse more
      call.start = STAMPS.incrementAndGet();
      calls.add(call);
      try {
        call.val = candidate.call(step.of(item));
      } catch (Throwable e) {
        call.error = Driver.error(e);
      }
      if (over) {
        return;
      }
      call.end = STAMPS.incrementAndGet();
      if (call.val instanceof Delivery delivery) {
        if (delivery.shutdown()) {
          return; // the worker goes home
        }
        held.add(delivery.item());
      }
      if (step.op.equals("done")) {
        held.remove(item);
      }
    }
  }

  private static final Set<String> TAKE_AN_ITEM =
      Set.of("add", "done", "add_after", "add_rate_limited", "forget", "num_requeues", "when");

  /** An op alone, with an item, or with an object of further keys. */
  private Request step(List<JsonElement> written) {
    if (written.isEmpty() || written.size() > 2) {
      throw Failure.senseless("a step is an op, or an op and what it goes with");
    }
    var request = new Request();
    if (written.size() == 2) {
      if (written.get(1).isJsonObject()) {
        request = Driver.JSON.fromJson(written.get(1), Request.class);
      } else {
        request.item = written.get(1).getAsString();
      }
    }
    request.op = written.get(0).getAsString();
    if (!ops.contains(request.op)) {
      throw Failure.unsupported(request.op);
    }
    return request;
  }

  /** Moves the lanes against each other. Left alone, short calls rarely meet. */
  private static void perturb(SplittableRandom dice) {
    switch (dice.nextInt(4)) {
      case 0 -> Thread.yield();
      case 1 -> {
        for (var i = dice.nextInt(500); i > 0; i--) {
          Thread.onSpinWait();
        }
      }
      default -> { }
    }
  }

  private static final class Call {
    final String lane;
    final String op;
    final String item;
    long start;
    Object val;
    Map<String, Object> error;
    volatile Long end; // written last: who sees it sees the rest

    Call(String lane, String op, String item) {
      this.lane = lane;
      this.op = op;
      this.item = item;
    }

    Map<String, Object> told() {
      var all = new LinkedHashMap<String, Object>();
      all.put("lane", lane);
      all.put("op", op);
      all.put("start", start);
      all.put("end", end);
      if (item != null) {
        all.put("item", item);
      }
      if (end != null) {
        all.put(error == null ? "val" : "error", error == null ? val : error);
      }
      return all;
    }
  }
}
