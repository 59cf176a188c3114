import java.util.concurrent.locks.ReentrantLock;

/** The same with locks of java.util.concurrent. */
final class TwoLocksByHand extends ByLock {
    private final ReentrantLock counting = new ReentrantLock();
    private int count;

    @Override
    void add(String item) throws Exception {
        lock.lock();
        try {
            count();
            super.add(item);
        } finally {
            lock.unlock();
        }
    }

    private void count() {
        counting.lock();
        try {
            count++;
        } finally {
            counting.unlock();
        }
    }

    @Override
    void done(String item) throws Exception {
        counting.lock();
        try {
            count++;
            super.done(item);
        } finally {
            counting.unlock();
        }
    }
}
