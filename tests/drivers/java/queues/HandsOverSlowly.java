/** A right queue with a thread of its own, which is busy for a while before an item arrives; its Get looks again by the machine's time. */
final class HandsOverSlowly extends Judged {
    private static final long BUSY = 20_000_000;

    private final LooksEveryMinute queue = new LooksEveryMinute();

    @Override
    void add(String item) throws Exception {
        Thread carrier = new Thread(() -> {
            for (long end = System.nanoTime() + BUSY; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            queue.add(item);
        });
        carrier.start();
        carrier.join();
    }

    @Override
    String get() throws InterruptedException {
        return queue.get();
    }

    @Override
    void done(String item) {
        queue.done(item);
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
