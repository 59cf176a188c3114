/** Counts what it is asked to do under a lock of its own, which Done takes first and Add last. */
final class LocksInTwoOrders extends Judged {
    private final Right queue = new Right();
    private final Object counting = new Object();
    private int count;

    @Override
    void add(String item) {
        synchronized (queue) {
            synchronized (counting) {
                count++;
            }
            queue.add(item);
        }
    }

    @Override
    String get() throws InterruptedException {
        return queue.get();
    }

    @Override
    void done(String item) {
        synchronized (counting) {
            count++;
            queue.done(item);
        }
    }

    @Override
    int length() {
        return queue.length();
    }

    @Override
    void shutDown() {
        queue.shutDown();
    }

    @Override
    boolean isShuttingDown() {
        return queue.isShuttingDown();
    }
}
