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
import java.util.function.Function;
import stingy.Candidate;
import stingy.Clock;
import stingy.Request;

/** Rate limiters that no queue asks. */
final class Limiters {
  static final Set<String> OPS = Set.of("when", "forget", "num_requeues");

  /** By the name of each {@code impl}. */
  static final Map<String, Function<Request.Options, RateLimiter<String>>> MAKERS = Map.of(
      "exponential_rate_limiter", options ->
          new ItemExponentialFailureRateLimiter<>(duration(options, "base_delay"), duration(options, "max_delay")),
      "fast_slow_rate_limiter", options ->
          new ItemFastSlowRateLimiter<>(
              duration(options, "fast_delay"), duration(options, "slow_delay"), options.number("max_fast_attempts").intValue()),
      "bucket_rate_limiter", Limiters::bucket,
      "max_of_rate_limiter", options ->
          new MaxOfRateLimiter<>(
              options.scripts("limiters").stream().map(script -> (RateLimiter<String>) new Scripted<String>(script)).toList()),
      "default_controller_rate_limiter", options -> new DefaultControllerRateLimiter<>());

  private Limiters() {}

  static Candidate make(RateLimiter<String> limiter, Clock clock) {
    by(clock, limiter);
    clock.begin();
    return new Offered(
        Map.of(
            "when", request -> limiter.when(request.item).toNanos(),
            "forget", Queues.does(request -> limiter.forget(request.item)),
            "num_requeues", request -> limiter.numRequeues(request.item)),
        () -> {});
  }

  private static Duration duration(Request.Options options, String key) {
    return Duration.ofNanos(options.number(key).longValue());
  }

  private static RateLimiter<String> bucket(Request.Options options) {
    var between = Duration.ofNanos(Math.round(1e9 / options.number("rate").doubleValue()));
    return new BucketRateLimiter<>(options.number("burst").longValue(), 1, between);
  }

  /** The same limiter; but the buckets in it, which take no clock, go by this one instead of the machine's. */
  static <L extends RateLimiter<?>> L by(Clock clock, L limiter) {
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
  private record Milliseconds(Clock clock) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
      return clock.wallMillis() * 1_000_000;
    }

    @Override
    public boolean isWallClockBased() {
      return true;
    }
  }
}
