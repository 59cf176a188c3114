package driver;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import stingy.Clock;

/**
 * What a delaying queue hands over to its worker. It holds as much as the queue's own, which it takes the place of; but the
 * worker waits for it by the virtual clock. It has no monitor: whom the JVM wakes in one, and when, nobody can choose.
 */
final class HandOver<E> extends LinkedBlockingQueue<E> implements Clock.Sleeper {
  private final transient Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile long due = Clock.NEVER;

  HandOver(int capacity, Clock clock) {
    super(capacity);
    this.clock = clock;
    clock.serve(this);
  }

  @Override
  public boolean offer(E entry) {
    var taken = super.offer(entry);
    wake();
    return taken;
  }

  @Override
  public E poll(long timeout, TimeUnit unit) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      due = clock.in(unit.toNanos(timeout));
      while (isEmpty() && clock.nanos() < due) {
        changed.await();
      }
      return poll();
    } finally {
      due = Clock.NEVER;
      lock.unlock();
    }
  }

  @Override
  public long due() {
    return due;
  }

  @Override
  public void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
