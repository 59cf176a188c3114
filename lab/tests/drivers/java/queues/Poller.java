/** A right queue whose Get pauses before it looks again. */
abstract class Poller extends Locked {
    abstract void pause() throws InterruptedException;

    @Override
    String get() throws InterruptedException {
        while (true) {
            synchronized (this) {
                if (queue.length() > 0 || queue.isShuttingDown()) {
                    return queue.get();
                }
            }
            pause();
        }
    }
}
