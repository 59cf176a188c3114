package driver;

import java.util.Map;

/** One implementation, with what was set out around it: what can be called, and how it ends what it does by itself. */
record Candidate(Map<String, Op> ops, Runnable end) {
  interface Op {
    Object call(Request request) throws Throwable;
  }

  Object call(Request request) throws Throwable {
    var op = ops.get(request.op);
    if (op == null) {
      throw Failure.unsupported("op " + request.op + " of this impl");
    }
    return op.call(request);
  }
}
