/** A right queue whose Get waits for a while, for a signal that never comes, and looks again. */
final class WaitsAWhile extends Locked {
    @Override
    String get() throws InterruptedException {
        synchronized (this) {
            while (queue.length() == 0 && !queue.isShuttingDown()) {
                wait(20);
            }
            return queue.get();
        }
    }
}
