/** A right queue whose Add sleeps, and reads by the machine's clock that it has. */
final class SleepsInAdd extends Judged {
    private final Right queue = new Right();

    @Override
    void add(String item) throws InterruptedException {
        for (long end = System.nanoTime() + 3_000_000; System.nanoTime() < end; ) {
            Thread.sleep(3);
        }
        queue.add(item);
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
