package driver;

import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import io.kubernetes.client.extended.workqueue.DelayingQueue;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;
import io.kubernetes.client.extended.workqueue.WorkQueue;
import io.kubernetes.client.extended.workqueue.ratelimiter.DefaultControllerRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.RateLimiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import stingy.Around;
import stingy.Candidate;
import stingy.HandedOut;
import stingy.Request;

/** Work queues. The worker of one that delays begins when its clock has been given to it. */
final class Queues {
  static final Set<String> OPS = Set.of(
      "add", "get", "done", "len", "shut_down", "shutting_down", "add_after", "add_rate_limited", "forget", "num_requeues");

  private Queues() {}

  static Candidate plain() {
    var queue = new DefaultWorkQueue<String>();
    return new Offered(calls(queue), queue::shutDown);
  }

  static Candidate delaying(Around around) {
    var begin = new CountDownLatch(1);
    var queue = new Release.Delaying<String>(worker(around, begin));
    queue.waitBy(around.clock());
    around.clock().begin();
    begin.countDown();
    return new Offered(delayingCalls(queue), queue::shutDown);
  }

  static Candidate limiting(Request.Options options, Around around) {
    RateLimiter<String> limiter = options.has("rate_limiter")
        ? new Scripted<>(options.script("rate_limiter"))
        : Limiters.by(around.clock(), new DefaultControllerRateLimiter<>());
    var queue = limiting(limiter, around);
    var calls = delayingCalls(queue);
    calls.putAll(limitingCalls(queue));
    return new Offered(calls, queue::shutDown);
  }

  static <T> RateLimitingQueue<T> limiting(RateLimiter<T> limiter, Around around) {
    var begin = new CountDownLatch(1);
    var queue = new Release.Limiting<>(worker(around, begin), limiter);
    queue.waitBy(around.clock());
    around.clock().begin();
    begin.countDown();
    return queue;
  }

  /** A thread for one task, which begins when told to, and ends with it. */
  private static ExecutorService worker(Around around, CountDownLatch begin) {
    var worker = Executors.newSingleThreadExecutor(around.threads("waitingLoop"));
    worker.submit(() -> {
      begin.await();
      return null;
    });
    return worker;
  }

  private static Map<String, Offered.Op> calls(WorkQueue<String> queue) {
    var calls = new HashMap<String, Offered.Op>();
    calls.put("add", does(request -> queue.add(request.item)));
    calls.put("get", request -> HandedOut.of(queue.get()));
    calls.put("done", does(request -> queue.done(request.item)));
    calls.put("len", request -> queue.length());
    calls.put("shut_down", does(request -> queue.shutDown()));
    calls.put("shutting_down", request -> queue.isShuttingDown());
    return calls;
  }

  private static Map<String, Offered.Op> delayingCalls(DelayingQueue<String> queue) {
    var calls = calls(queue);
    calls.put("add_after", does(request -> queue.addAfter(request.item, Duration.ofNanos(request.number("ns")))));
    return calls;
  }

  private static Map<String, Offered.Op> limitingCalls(RateLimitingQueue<String> queue) {
    return Map.of(
        "add_rate_limited", does(request -> queue.addRateLimited(request.item)),
        "forget", does(request -> queue.forget(request.item)),
        "num_requeues", request -> queue.numRequeues(request.item));
  }

  interface Deed {
    void call(Request request) throws Exception;
  }

  /** A call that returns nothing. */
  static Offered.Op does(Deed deed) {
    return request -> {
      deed.call(request);
      return null;
    };
  }
}
