/** A right queue whose Get looks again now and then: by the machine's time. */
final class LooksEveryMinute extends Judged {
    private final Right queue = new Right();

    @Override
    void add(String item) {
        synchronized (this) {
            queue.add(item);
            notify();
        }
    }

    @Override
    String get() throws InterruptedException {
        synchronized (this) {
            while (queue.length() == 0 && !queue.isShuttingDown()) {
                wait(60_000);
            }
            return queue.get();
        }
    }

    @Override
    void done(String item) {
        synchronized (this) {
            queue.done(item);
            notify();
        }
    }

    @Override
    int length() {
        return queue.length();
    }

    @Override
    void shutDown() {
        synchronized (this) {
            queue.shutDown();
            notifyAll();
        }
    }

    @Override
    boolean isShuttingDown() {
        return queue.isShuttingDown();
    }
}
