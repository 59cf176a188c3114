package driver;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What a delaying queue hands over to its worker. It holds as much as the queue's own, which it takes the place of; but the
 * worker waits for it by the virtual clock.
 */
final class HandOver<E> extends LinkedBlockingQueue<E> implements VirtualClock.Sleeper {
  private final transient VirtualClock clock;
  private long due = VirtualClock.NEVER;

  HandOver(int capacity, VirtualClock clock) {
    super(capacity);
    this.clock = clock;
    clock.serve(this);
  }

  @Override
  public synchronized boolean offer(E entry) {
    var taken = super.offer(entry);
    notifyAll();
    return taken;
  }

  @Override
  public synchronized E poll(long timeout, TimeUnit unit) throws InterruptedException {
    due = clock.in(unit.toNanos(timeout));
    try {
      while (isEmpty() && clock.nanos() < due) {
        wait();
      }
      return poll();
    } finally {
      due = VirtualClock.NEVER;
    }
  }

  @Override
  public synchronized long due() {
    return due;
  }

  @Override
  public synchronized void wake() {
    notifyAll();
  }
}
