/** A right queue whose Add sleeps, and reads by the machine's clock that it has. */
final class SleepsInAdd extends Wrapper {
    @Override
    void add(String item) throws InterruptedException {
        for (long end = System.nanoTime() + 3_000_000; System.nanoTime() < end; ) {
            Thread.sleep(3);
        }
        queue.add(item);
    }
}
