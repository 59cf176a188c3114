import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A right queue to which an executor of Java's own adds, a little later. */
final class ArrivesBySchedule extends Wrapper {
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

    @Override
    void add(String item) throws InterruptedException, ExecutionException {
        later.schedule(() -> queue.add(item), 5, TimeUnit.MILLISECONDS).get();
    }
}
