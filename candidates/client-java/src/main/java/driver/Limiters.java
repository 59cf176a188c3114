package driver;

import io.github.bucket4j.TimeMeter;
import io.kubernetes.client.extended.workqueue.ratelimiter.BucketRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.DefaultControllerRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.ItemExponentialFailureRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.ItemFastSlowRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.MaxOfRateLimiter;
import io.kubernetes.client.extended.workqueue.ratelimiter.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rate limiters that no queue asks. */
final class Limiters {
  static final Set<String> OPS = Set.of("when", "forget", "num_requeues");

  private Limiters() {}

  static Candidate make(String impl, Request.Options options, VirtualClock clock) {
    var limiter = limiter(impl, options);
    if (limiter == null) {
      return null;
    }
    by(clock, limiter);
    clock.begin();
    return new Candidate(
        Map.of(
            "when", request -> limiter.when(request.item).toNanos(),
            "forget", Queues.does(request -> limiter.forget(request.item)),
            "num_requeues", request -> limiter.numRequeues(request.item)),
        () -> {});
  }

  private static RateLimiter<String> limiter(String impl, Request.Options options) {
    return switch (impl) {
      case "exponential_rate_limiter" ->
          new ItemExponentialFailureRateLimiter<>(Duration.ofNanos(options.baseDelay), Duration.ofNanos(options.maxDelay));
      case "fast_slow_rate_limiter" ->
          new ItemFastSlowRateLimiter<>(
              Duration.ofNanos(options.fastDelay), Duration.ofNanos(options.slowDelay), options.maxFastAttempts);
      case "bucket_rate_limiter" -> new BucketRateLimiter<>(options.burst, 1, Duration.ofNanos(Math.round(1e9 / options.rate)));
      case "max_of_rate_limiter" ->
          new MaxOfRateLimiter<>(
              options.limiters.stream().map(script -> (RateLimiter<String>) new Scripted<String>(script)).toList());
      case "default_controller_rate_limiter" -> new DefaultControllerRateLimiter<>();
      default -> null;
    };
  }

  /** The same limiter; but the buckets in it, which take no clock, go by this one instead of the machine's. */
  static <L extends RateLimiter<?>> L by(VirtualClock clock, L limiter) {
    if (limiter instanceof BucketRateLimiter) {
      Private.set(Private.get(limiter, "bucket"), "timeMeter", new Milliseconds(clock));
    } else if (limiter instanceof MaxOfRateLimiter) {
      ((List<?>) Private.get(limiter, "rateLimiters")).forEach(each -> by(clock, (RateLimiter<?>) each));
    } else if (limiter instanceof DefaultControllerRateLimiter) {
      by(clock, (RateLimiter<?>) Private.get(limiter, "internalRateLimiter"));
    }
    return limiter;
  }

  /** As coarse as the one that it takes the place of. */
  private record Milliseconds(VirtualClock clock) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
      return clock.millis() * 1_000_000;
    }

    @Override
    public boolean isWallClockBased() {
      return true;
    }
  }
}
