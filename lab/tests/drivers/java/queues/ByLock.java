import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A right queue by a lock and a condition of java.util.concurrent. */
class ByLock extends Judged {
    final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<String> queue = new ArrayDeque<>();
    private final Set<String> dirty = new HashSet<>();
    private final Set<String> processing = new HashSet<>();
    private boolean shuttingDown;

    @Override
    void add(String item) throws Exception {
        lock.lock();
        try {
            if (!shuttingDown && dirty.add(item) && !processing.contains(item)) {
                queue.add(item);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    String get() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !shuttingDown) {
                changed.await();
            }
            String item = queue.poll();
            if (item != null) {
                dirty.remove(item);
                processing.add(item);
            }
            return item;
        } finally {
            lock.unlock();
        }
    }

    @Override
    void done(String item) throws Exception {
        lock.lock();
        try {
            if (processing.remove(item) && dirty.contains(item)) {
                queue.add(item);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    int length() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    void shutDown() {
        lock.lock();
        try {
            shuttingDown = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    boolean isShuttingDown() {
        lock.lock();
        try {
            return shuttingDown;
        } finally {
            lock.unlock();
        }
    }
}
