import java.util.concurrent.LinkedBlockingQueue;

/** A right queue with a thread of its own, which takes items over one by one; they count once they have arrived. */
final class HandsOverByThread extends Wrapper {
    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

    HandsOverByThread() {
        Thread worker = new Thread(this::goOn);
        worker.setDaemon(true);
        worker.start();
    }

    private void goOn() {
        try {
            while (true) {
                work.take().run();
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void add(String item) throws Exception {
        Object arrived = new Object();
        boolean[] has = {false};
        work.put(() -> {
            queue.add(item);
            synchronized (arrived) {
                has[0] = true;
                arrived.notifyAll();
            }
        });
        synchronized (arrived) {
            while (!has[0]) {
                arrived.wait();
            }
        }
    }
}
