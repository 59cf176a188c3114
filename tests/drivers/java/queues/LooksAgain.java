/** A right queue whose Get sleeps before it looks again. */
final class LooksAgain extends Wrapper {
    @Override
    void add(String item) {
        synchronized (this) {
            queue.add(item);
        }
    }

    @Override
    String get() throws InterruptedException {
        while (true) {
            synchronized (this) {
                if (queue.length() > 0 || queue.isShuttingDown()) {
                    return queue.get();
                }
            }
            Thread.sleep(2);
        }
    }

    @Override
    void done(String item) {
        synchronized (this) {
            queue.done(item);
        }
    }
}
