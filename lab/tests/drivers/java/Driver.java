import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stingy.Candidate;
import stingy.Failure;
import stingy.HandedOut;
import stingy.Request;
import stingy.Server;

/** Reads the name of the queue that is judged from a file, whenever it makes one: so one process is enough for all. */
public final class Driver {
    private static final List<String> OPS = List.of("add", "get", "done", "len", "shut_down", "shutting_down");

    public static void main(String[] words) throws Exception {
        Path named = Path.of(words[0]);
        new Server("controlled", OPS, Map.of("work_queue", (options, around) -> new Calls(made(Files.readString(named)))))
                .serve(Driver.class, words);
    }

    private static Judged made(String name) throws ReflectiveOperationException {
        return (Judged) Class.forName(name).getDeclaredConstructor().newInstance();
    }

    private static final class Calls implements Candidate {
        private final Judged queue;

        Calls(Judged queue) {
            this.queue = queue;
        }

        @Override
        public Object call(Request call) throws Exception {
            switch (call.op) {
                case "add":
                    queue.add(call.item);
                    return null;
                case "get":
                    return HandedOut.of(queue.get());
                case "done":
                    queue.done(call.item);
                    return null;
                case "len":
                    return queue.length();
                case "shut_down":
                    queue.shutDown();
                    return null;
                case "shutting_down":
                    return queue.isShuttingDown();
                default:
                    throw Failure.unsupported(call.op);
            }
        }

        @Override
        public void end() throws Exception {
            queue.shutDown();
        }
    }
}
