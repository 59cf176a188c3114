package driver;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** All threads that call one candidate, or work for it. */
final class Crew implements ThreadFactory {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Map<String, Lane> lanes = new HashMap<>();
  private final List<Thread> background = new CopyOnWriteArrayList<>();
  private volatile boolean abandoned;

  /** A thread that the candidate works with by itself. */
  @Override
  public Thread newThread(Runnable work) {
    var thread = new Thread(work);
    thread.setDaemon(true);
    background.add(thread);
    return thread;
  }

  Lane lane(String name) {
    return lanes.computeIfAbsent(name, Lane::new);
  }

  boolean abandoned() {
    return abandoned;
  }

  /** What they still do is over: nobody hears of it any more. */
  void abandon() {
    abandoned = true;
    Stream.concat(background.stream(), lanes.values().stream().map(lane -> lane.thread)).forEach(Thread::interrupt);
  }

  /** Returns when all of them wait for each other, or for time to pass: what has not happened by then will not happen. */
  void settle() {
    for (var looks = 0; !settled(); looks++) {
      if (looks < 20) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
      }
    }
  }

  /**
   * Whether none of them can go on. A thread that has been notified is no longer marked as waiting, even if it has not yet
   * had its turn. So, if at one moment all of them are marked so, nobody is left who could notify the others.
   */
  private boolean settled() {
    var known = background.size();
    var busy = Stream.concat(background.stream(), lanes.values().stream().filter(Lane::busy).map(lane -> lane.thread))
        .filter(thread -> thread.getState() != Thread.State.TERMINATED)
        .toArray(Thread[]::new);
    var ids = Stream.of(busy).mapToLong(Thread::getId).toArray();
    var seen = THREADS.getThreadInfo(ids, 1); // only when asked for a stack, the JVM looks at all of them at one moment
    for (var i = 0; i < busy.length; i++) {
      if (seen[i] == null || !waits(busy[i], seen[i])) {
        return false;
      }
    }
    return background.size() == known; // or one was started meanwhile
  }

  private static boolean waits(Thread thread, ThreadInfo seen) {
    if (seen.getThreadState() != Thread.State.WAITING || seen.getStackTrace().length == 0) {
      return false;
    }
    return seen.getStackTrace()[0].getClassName().equals("java.lang.Object") || waitsForLatch(thread);
  }

  /** A thread that has been unparked is marked as waiting until it has its turn. But a latch tells whether it is open. */
  private static boolean waitsForLatch(Thread thread) {
    var blocker = String.valueOf(LockSupport.getBlocker(thread));
    return blocker.startsWith("java.util.concurrent.CountDownLatch") && !blocker.contains("State = 0");
  }

  /** A logical process: what it is asked to do it does in that order. */
  final class Lane {
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final AtomicInteger undone = new AtomicInteger();
    private final Thread thread;

    private Lane(String name) {
      thread = new Thread(this::goOn, "lane " + name);
      thread.setDaemon(true);
      thread.start();
    }

    void ask(Runnable task) {
      undone.incrementAndGet();
      work.add(task);
    }

    boolean busy() {
      return undone.get() > 0;
    }

    private void goOn() {
      try {
        while (!abandoned) {
          work.take().run();
          undone.decrementAndGet();
        }
      } catch (InterruptedException e) {
        // abandoned
      }
    }
  }
}
