package driver;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Driver protocol 1. It knows no implementation. */
final class Driver {
  static final Gson JSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  /** Makes a candidate; null if there is no such implementation. */
  interface Maker {
    Candidate make(String impl, Request.Options options, Crew crew, VirtualClock clock);
  }

  private final Map<String, Object> identity;
  private final Set<String> ops;
  private final Maker maker;
  private final PrintStream output;

  private Candidate candidate;
  private Crew crew = new Crew();
  private VirtualClock clock = new VirtualClock();

  Driver(Map<String, Object> identity, Set<String> ops, Maker maker) {
    this.identity = identity;
    this.ops = ops;
    this.maker = maker;
    output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // a candidate may print
  }

  void serve() throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null; ) {
      Request request;
      try {
        request = JSON.fromJson(line, Request.class);
      } catch (JsonParseException e) {
        answer(0, () -> { throw Failure.senseless(e.getMessage()); });
        continue;
      }
      if (ops.contains(String.valueOf(request.op))) {
        call(request);
      } else {
        answer(request.id, () -> handle(request));
      }
      if ("bye".equals(request.op)) {
        break;
      }
    }
    System.exit(0);
  }

  private Object handle(Request request) {
    return switch (String.valueOf(request.op)) {
      case "hello" -> identity;
      case "new" -> make(request);
      case "settle" -> {
        crew.settle();
        yield now();
      }
      case "advance" -> {
        if (request.ns < 0) {
          throw Failure.senseless("time does not go back");
        }
        clock.advance(request.ns, crew::settle);
        yield now();
      }
      case "burst" -> burst(request);
      case "bye" -> null;
      case "null" -> throw Failure.senseless("no op");
      default -> throw Failure.unsupported("op " + request.op);
    };
  }

  private Object make(Request request) {
    if (candidate != null) {
      crew.abandon();
      candidate.end().run();
      candidate = null; // even if this one is refused, no call may reach the one before
    }
    crew = new Crew();
    clock = new VirtualClock();
    candidate = maker.make(String.valueOf(request.impl), request.options, crew, clock);
    if (candidate == null) {
      throw Failure.unsupported("impl " + request.impl);
    }
    return now();
  }

  private Object burst(Request request) {
    if (candidate == null) {
      throw Failure.senseless("no candidate");
    }
    crew.settle();
    var burst = new Burst(candidate, crew, ops, request.seed);
    burst.start(request.programs);
    crew.settle();
    if (request.ns > 0) {
      clock.advance(request.ns, crew::settle);
    }
    return Map.of("calls", burst.history());
  }

  private void call(Request request) {
    if (candidate == null || request.lane == null) {
      answer(request.id, () -> { throw Failure.senseless("no candidate, or no lane"); });
      return;
    }
    var its = candidate;
    var of = crew;
    of.lane(request.lane).ask(() -> {
      var answer = answered(request.id, () -> its.call(request));
      if (!of.abandoned()) {
        write(answer);
      }
    });
  }

  private Object now() {
    return Map.of("now_ns", clock.nanos());
  }

  private interface Work {
    Object work() throws Throwable;
  }

  private void answer(long id, Work work) {
    write(answered(id, work));
  }

  private static Map<String, Object> answered(long id, Work work) {
    var answer = new LinkedHashMap<String, Object>();
    answer.put("id", id);
    try {
      answer.put("val", work.work());
      answer.put("ok", true);
    } catch (Throwable e) {
      answer.put("ok", false);
      answer.put("error", error(e));
    }
    return answer;
  }

  static Map<String, Object> error(Throwable e) {
    return e instanceof Failure failure
        ? Map.of("kind", failure.kind, "text", failure.getMessage())
        : Map.of("kind", "raised", "text", e.toString());
  }

  private void write(Map<String, Object> answer) {
    var line = JSON.toJson(answer);
    synchronized (output) {
      output.print(line + "\n");
      output.flush();
    }
  }
}
