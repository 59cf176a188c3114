package driver;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads that a controller is given for its workers: one for each task that it schedules, and as many as it likes. Between
 * two runs of a task, the virtual clock has to move. When it is shut down, no run begins any more.
 */
final class Pool extends AbstractExecutorService implements ScheduledExecutorService, VirtualClock.Sleeper {
  private final ThreadFactory threads;
  private final VirtualClock clock;
  private long due = VirtualClock.NEVER;
  private boolean shutDown;

  Pool(ThreadFactory threads, VirtualClock clock) {
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
  private synchronized boolean passes(long span) {
    var end = clock.in(span);
    try {
      while (!shutDown && clock.nanos() < end) {
        due = Math.min(due, end);
        wait();
      }
    } catch (InterruptedException e) {
      return false; // abandoned
    }
    return !shutDown;
  }

  @Override
  public synchronized long due() {
    return due;
  }

  @Override
  public synchronized void wake() {
    due = VirtualClock.NEVER; // those who still wait will say until when
    notifyAll();
  }

  @Override
  public void execute(Runnable task) {
    threads.newThread(task).start();
  }

  @Override
  public synchronized void shutdown() {
    shutDown = true;
    wake();
  }

  @Override
  public List<Runnable> shutdownNow() {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized boolean isShutdown() {
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
