/** A right queue with a thread of its own, which is busy for a while before an item arrives; its Get looks again by the machine's time. */
final class HandsOverSlowly extends LooksEveryMinute {
    private static final long BUSY = 20_000_000;

    @Override
    void add(String item) throws InterruptedException {
        Thread carrier = new Thread(() -> {
            for (long end = System.nanoTime() + BUSY; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            put(item);
        });
        carrier.start();
        carrier.join();
    }
}
