import java.util.concurrent.CountDownLatch;

/** A right queue whose Add waits for a class that a thread of its own makes ready; for Java, who waits for that goes on. */
final class WaitsForItsClass extends Wrapper {
    private static final CountDownLatch BEGUN = new CountDownLatch(1);

    private static final class Ready {
        static {
            BEGUN.countDown();
            try {
                new ProcessBuilder("sleep", "0.3").start().waitFor();
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        static void use() {}
    }

    WaitsForItsClass() throws InterruptedException {
        Thread makes = new Thread(Ready::use);
        makes.setDaemon(true);
        makes.start();
        BEGUN.await();
    }

    @Override
    void add(String item) throws InterruptedException {
        Ready.use();
        queue.add(item);
    }
}
