package driver;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import stingy.Clock;

/**
 * The threads that a controller is given for its workers: one for each task that it schedules, and as many as it likes. Between
 * two runs of a task, the virtual clock has to move. When it is shut down, no run begins any more.
 */
final class Pool extends AbstractExecutorService implements ScheduledExecutorService, Clock.Sleeper {
  private final ThreadFactory threads;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile long due = Clock.NEVER;
  private volatile boolean shutDown;

  Pool(ThreadFactory threads, Clock clock) {
    this.threads = threads;
    this.clock = clock;
    clock.serve(this);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long between, TimeUnit unit) {
    execute(() -> {
      for (var delay = first; passes(unit.toNanos(delay)); delay = between) {
        task.run();
      }
    });
    return null; // nobody asks for it
  }

  /** Waits so long; false if it is shut down before. */
  private boolean passes(long span) {
    lock.lock();
    try {
      var end = clock.in(span);
      while (!shutDown && clock.nanos() < end) {
        due = Math.min(due, end);
        changed.await();
      }
    } catch (InterruptedException e) {
      return false; // abandoned
    } finally {
      lock.unlock();
    }
    return !shutDown;
  }

  @Override
  public long due() {
    return due;
  }

  @Override
  public void wake() {
    lock.lock();
    try {
      due = Clock.NEVER; // those who still wait will say until when
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void execute(Runnable task) {
    threads.newThread(task).start();
  }

  @Override
  public void shutdown() {
    shutDown = true;
    wake();
  }

  @Override
  public List<Runnable> shutdownNow() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShutdown() {
    return shutDown;
  }

  @Override
  public boolean isTerminated() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long between, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }
}
