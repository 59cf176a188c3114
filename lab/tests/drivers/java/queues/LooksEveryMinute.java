/** A right queue whose Get looks again now and then: by the machine's time. */
class LooksEveryMinute extends Wrapper {
    @Override
    void add(String item) throws InterruptedException {
        put(item);
    }

    final void put(String item) {
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
    void shutDown() {
        synchronized (this) {
            queue.shutDown();
            notifyAll();
        }
    }
}
