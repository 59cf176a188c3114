/** A right queue whose Get sleeps before it looks again. */
final class LooksAgain extends Judged {
    private final Right queue = new Right();

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
