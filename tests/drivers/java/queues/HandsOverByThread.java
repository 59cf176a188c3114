import java.util.concurrent.LinkedBlockingQueue;

/** A right queue with a thread of its own, which takes items over one by one; they count once they have arrived. */
final class HandsOverByThread extends Judged {
    private final Right queue = new Right();
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
