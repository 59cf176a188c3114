import java.util.concurrent.ConcurrentLinkedQueue;

/** A right queue with a thread of its own, which looks every five milliseconds whether an item is to be handed over. */
final class CarriesNowAndThen extends Wrapper {
    private final ConcurrentLinkedQueue<String> left = new ConcurrentLinkedQueue<>();
    private volatile int carried;
    private int added;

    CarriesNowAndThen() {
        Thread carrier = new Thread(this::goOn);
        carrier.setDaemon(true);
        carrier.start();
    }

    private void goOn() {
        try {
            while (!queue.isShuttingDown() || !left.isEmpty()) {
                Thread.sleep(5);
                for (String item = left.poll(); item != null; item = left.poll()) {
                    queue.add(item);
                    synchronized (this) {
                        carried++;
                        notifyAll();
                    }
                }
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void add(String item) throws Exception {
        synchronized (this) {
            int mine = ++added;
            left.add(item);
            while (carried < mine) {
                wait();
            }
        }
    }
}
