/** A right queue that is touched with a lock. */
abstract class Locked extends Wrapper {
    @Override
    void add(String item) throws InterruptedException {
        synchronized (this) {
            queue.add(item);
        }
    }

    @Override
    void done(String item) {
        synchronized (this) {
            queue.done(item);
        }
    }
}
