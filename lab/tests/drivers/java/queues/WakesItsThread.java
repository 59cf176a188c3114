import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A right queue with a thread of its own, which is unparked when an item is to be handed over, and unparks whoever has added it. */
final class WakesItsThread extends Wrapper {
    private final ConcurrentLinkedQueue<Runnable> work = new ConcurrentLinkedQueue<>();
    private final Thread worker = new Thread(this::goOn);

    WakesItsThread() {
        worker.setDaemon(true);
        worker.start();
    }

    private void goOn() {
        while (true) {
            Runnable next = work.poll();
            if (next == null) {
                LockSupport.park();
            } else {
                next.run();
            }
        }
    }

    @Override
    void add(String item) {
        Thread adder = Thread.currentThread();
        AtomicBoolean has = new AtomicBoolean();
        work.add(() -> {
            queue.add(item);
            has.set(true);
            LockSupport.unpark(adder);
        });
        LockSupport.unpark(worker);
        while (!has.get()) {
            LockSupport.park();
        }
    }
}
