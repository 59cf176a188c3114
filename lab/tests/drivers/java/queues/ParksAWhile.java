import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A right queue whose Add sleeps, and whose Get parks before it looks again. */
final class ParksAWhile extends Poller {
    @Override
    void add(String item) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(3);
        super.add(item);
    }

    @Override
    void pause() {
        LockSupport.parkNanos(2_000_000);
    }
}
