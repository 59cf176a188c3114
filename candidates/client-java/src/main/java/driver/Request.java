package driver;

import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;
import java.util.List;
import java.util.Map;

/** Any line from the runner. */
final class Request {
  long id;
  String op;
  String impl;
  Options options = new Options();
  String lane;
  String item;
  long ns;
  String kind;
  long seed;
  Map<String, List<List<JsonElement>>> programs = Map.of();

  /** This call, with another item. */
  Request of(String other) {
    var request = new Request();
    request.op = op;
    request.item = other;
    request.ns = ns;
    request.kind = kind;
    return request;
  }

  /** What a candidate is to be made with. All times are in nanoseconds. */
  static final class Options {
    @SerializedName("rate_limiter")
    Script rateLimiter;

    @SerializedName("base_delay")
    long baseDelay;

    @SerializedName("max_delay")
    long maxDelay;

    @SerializedName("fast_delay")
    long fastDelay;

    @SerializedName("slow_delay")
    long slowDelay;

    @SerializedName("max_fast_attempts")
    int maxFastAttempts;

    double rate;
    int burst;
    List<Script> limiters = List.of();

    @SerializedName("max_concurrent_reconciles")
    int maxConcurrentReconciles = 1;
  }

  /** How a scripted rate limiter answers. */
  static final class Script {
    List<Long> delays = List.of();
    boolean counts = true;
  }
}
