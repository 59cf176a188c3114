import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A right queue whose Add sleeps, and whose Get parks before it looks again. */
final class ParksAWhile extends Wrapper {
    @Override
    void add(String item) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(3);
        synchronized (this) {
            queue.add(item);
        }
    }

    @Override
    String get() throws InterruptedException {
        while (true) {
            synchronized (this) {
                if (queue.length() > 0 || queue.isShuttingDown()) {
                    return queue.get();
                }
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    @Override
    void done(String item) {
        synchronized (this) {
            queue.done(item);
        }
    }
}
