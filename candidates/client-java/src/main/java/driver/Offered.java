package driver;

import java.util.Map;
import stingy.Candidate;
import stingy.Failure;
import stingy.Request;

/** One implementation: what can be called, and how it ends what it does by itself. */
record Offered(Map<String, Op> ops, Runnable ending) implements Candidate {
  interface Op {
    Object call(Request request) throws Throwable;
  }

  @Override
  public Object call(Request request) throws Throwable {
    var op = ops.get(request.op);
    if (op == null) {
      throw Failure.unsupported("op " + request.op + " of this impl");
    }
    return op.call(request);
  }

  @Override
  public void end() {
    ending.run();
  }
}
