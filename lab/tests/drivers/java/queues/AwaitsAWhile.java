import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A right queue whose Get waits for a while for a signal, which comes for the first item alone, and looks again. */
final class AwaitsAWhile extends Wrapper {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @Override
    void add(String item) {
        lock.lock();
        try {
            queue.add(item);
            if (queue.length() == 1) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    String get() throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(30);
            while (queue.length() == 0 && !queue.isShuttingDown()) {
                if (left > 0) {
                    left = changed.awaitNanos(left);
                } else {
                    changed.await(20, TimeUnit.MILLISECONDS);
                }
            }
            return queue.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    void done(String item) {
        lock.lock();
        try {
            queue.done(item);
        } finally {
            lock.unlock();
        }
    }
}
