package driver;

import io.kubernetes.client.extended.workqueue.ratelimiter.RateLimiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import stingy.Request;

/**
 * A rate limiter that says what it has been told to say: the first failure of an item waits for the first of the delays, and
 * so on; all that come after the last wait for the last.
 */
final class Scripted<T> implements RateLimiter<T> {
  private final Request.Script script;
  private final Map<T, Integer> failures = new HashMap<>();

  Scripted(Request.Script script) {
    this.script = script;
  }

  @Override
  public synchronized Duration when(T item) {
    var before = failures.merge(item, 1, Integer::sum) - 1;
    var last = script.delays.size() - 1;
    return last < 0 ? Duration.ZERO : Duration.ofNanos(script.delays.get(Math.min(before, last)));
  }

  @Override
  public synchronized void forget(T item) {
    failures.remove(item);
  }

  @Override
  public synchronized int numRequeues(T item) {
    return script.counts ? failures.getOrDefault(item, 0) : 0;
  }
}
