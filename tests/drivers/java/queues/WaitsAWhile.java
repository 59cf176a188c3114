/** A right queue whose Get waits for a while, for a signal that never comes, and looks again. */
final class WaitsAWhile extends Wrapper {
    @Override
    void add(String item) {
        synchronized (this) {
            queue.add(item);
        }
    }

    @Override
    String get() throws InterruptedException {
        synchronized (this) {
            while (queue.length() == 0 && !queue.isShuttingDown()) {
                wait(20);
            }
            return queue.get();
        }
    }

    @Override
    void done(String item) {
        synchronized (this) {
            queue.done(item);
        }
    }
}
