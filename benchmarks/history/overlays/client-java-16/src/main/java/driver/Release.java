package driver;

import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.workqueue.DefaultDelayingQueue;
import io.kubernetes.client.extended.workqueue.DefaultRateLimitingQueue;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;
import io.kubernetes.client.extended.workqueue.ratelimiter.RateLimiter;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import stingy.Clock;
import stingy.Server;

/** What is not the same in every release: this one asks what time of day it is, as by itself it does by Instant.now. */
final class Release {
  private Release() {}

  static Server clocked(Server server) {
    return server.clocked(1_000_000).settable();
  }

  static DefaultController controller(Reconciler reconciler, RateLimitingQueue<Request> queue) {
    return new DefaultController("controller", reconciler, queue);
  }

  static final class Delaying<T> extends DefaultDelayingQueue<T> {
    Delaying(ExecutorService worker) {
      super(worker);
      worker.shutdown(); // it has what it is to do
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // its entries are private
    void waitBy(Clock clock) {
      injectTimeSource(() -> Instant.ofEpochMilli(clock.wallMillis()));
      waitingForAddQueue = (BlockingQueue) new HandOver<>(waitingForAddQueue.remainingCapacity(), clock);
    }
  }

  static final class Limiting<T> extends DefaultRateLimitingQueue<T> {
    Limiting(ExecutorService worker, RateLimiter<T> limiter) {
      super(worker, limiter);
      worker.shutdown(); // it has what it is to do
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // its entries are private
    void waitBy(Clock clock) {
      injectTimeSource(() -> Instant.ofEpochMilli(clock.wallMillis()));
      waitingForAddQueue = (BlockingQueue) new HandOver<>(waitingForAddQueue.remainingCapacity(), clock);
    }
  }
}
