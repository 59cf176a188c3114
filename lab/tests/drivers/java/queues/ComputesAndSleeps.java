import java.util.concurrent.TimeUnit;

/** A right queue whose Add computes for more than a second before it sleeps for a moment. */
final class ComputesAndSleeps extends Wrapper {
    @Override
    void add(String item) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1200);
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        Thread.sleep(120);
        queue.add(item);
    }
}
