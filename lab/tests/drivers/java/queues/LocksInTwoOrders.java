/** Counts what it is asked to do under a lock of its own, which Done takes first and Add last. */
final class LocksInTwoOrders extends Wrapper {
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
    void done(String item) {
        synchronized (counting) {
            count++;
            queue.done(item);
        }
    }
}
