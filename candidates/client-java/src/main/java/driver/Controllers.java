package driver;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import stingy.Around;
import stingy.Candidate;

/** Controllers. An event is what the watches of a real one make of it: an add to its queue. */
final class Controllers {
  static final Set<String> OPS = Set.of("add", "start", "stop", "reconciles", "finish");

  private static final String WORKERS = "max_concurrent_reconciles";

  private Controllers() {}

  static Candidate make(stingy.Request.Options options, Around around) {
    var queue = Queues.limiting(new Scripted<Request>(options.script("rate_limiter")), around);
    var reconciler = new Told();
    var controller = Release.controller(reconciler, queue);
    controller.setWorkerCount(options.has(WORKERS) ? options.number(WORKERS).intValue() : 1);
    controller.setWorkerThreadPool(new Pool(around.threads("worker"), around.clock()));
    return new Offered(
        Map.of(
            "add", Queues.does(request -> queue.add(new Request(request.item))),
            "start", Queues.does(request -> controller.run()),
            "stop", Queues.does(request -> controller.shutdown()),
            "reconciles", request -> reconciler.keys(),
            "finish", request -> reconciler.finish(request.item, request.text("kind"), request.number("ns"))),
        controller::shutdown);
  }

  /** Goes on with every key until it is told how to end. */
  private static final class Told implements Reconciler {
    private final List<Run> underWay = new ArrayList<>();

    @Override
    public Result reconcile(Request request) {
      var run = new Run(request.getName());
      synchronized (underWay) {
        underWay.add(run);
      }
      return run.goOn();
    }

    List<String> keys() {
      synchronized (underWay) {
        return underWay.stream().map(run -> run.key).toList();
      }
    }

    /** Ends the run of this key that has gone on longest; false if none can end so. */
    boolean finish(String key, String kind, long after) {
      var end = ending(kind, after);
      if (end == null) {
        return false;
      }
      Run longest;
      synchronized (underWay) {
        longest = underWay.stream().filter(run -> run.key.equals(key)).findFirst().orElse(null);
        underWay.remove(longest);
      }
      if (longest == null) {
        return false;
      }
      longest.end(end);
      return true;
    }

    /**
     * There is no error after which nobody tries again. And who names a time has to ask to be called again as well: to name
     * none, or one in the past, without asking for anything, cannot be said.
     */
    private static Supplier<Result> ending(String kind, long after) {
      return switch (kind) {
        case "ok" -> () -> new Result(false);
        case "error" -> () -> { throw new IllegalStateException("it did not work out"); };
        case "panic" -> () -> { throw new AssertionError("nobody was prepared for this"); };
        case "requeue" -> () -> new Result(true);
        case "requeue_after" -> after > 0 ? () -> new Result(true, Duration.ofNanos(after)) : null;
        default -> null;
      };
    }
  }

  private static final class Run {
    private final String key;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Supplier<Result> end;

    private Run(String key) {
      this.key = key;
    }

    private Result goOn() {
      try {
        ended.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e); // abandoned
      }
      return end.get();
    }

    private void end(Supplier<Result> how) {
      end = how;
      ended.countDown();
    }
  }
}
