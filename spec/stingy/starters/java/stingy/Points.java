package stingy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the copies of the candidate's classes call in place of what they do with threads and locks, and before all else in which
 * threads meet. Each call ends with its place. Where nothing is under control, it does what stood there before.
 */
public final class Points {
    private static final ClassValue<Boolean> LOCKS_ITSELF = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return locksItself(type);
        }
    };

    private Points() {}

    /** Whether who asks is under control: then monitors are ours. */
    public static boolean on() {
        return Run.me() != null;
    }

    public static void at(String place) {
        Strand me = Run.me();
        if (me != null) {
            me.point(place, null);
        }
    }

    // Monitors. Those of a class that has copies are only ever asked for where somebody is under control.

    public static void enter(Object of, String place) {
        Strand me = Run.me();
        if (LOCKS_ITSELF.get(of.getClass())) {
            me.run.lose("the lock at " + Spot.at(place) + " is one that " + of.getClass().getName() + " takes itself, where nobody sees it");
        }
        me.run.monitor(of).enter(me, place);
    }

    public static void exit(Object of) {
        Strand me = Run.me();
        me.run.monitor(of).exit(me);
    }

    /** Whether code that is not under control may take the lock that goes with such an object. */
    private static boolean locksItself(Class<?> type) {
        Set<String> controlled = Control.here().classes();
        for (Class<?> each = type; each != null && each != Object.class && type != Class.class; each = each.getSuperclass()) {
            if (each.getName().startsWith("java.util.Collections$Synchronized")) {
                return true;
            }
            if (controlled.contains(each.getName())) {
                continue;
            }
            for (Method method : each.getDeclaredMethods()) {
                if (Modifier.isSynchronized(method.getModifiers())) {
                    return true;
                }
            }
        }
        return false;
    }

    public static void await(Object of, String place) throws InterruptedException {
        Strand me = Run.me();
        if (me == null) {
            of.wait();
        } else {
            me.run.monitor(of).await(me, Clock.NEVER, place);
        }
    }

    public static void await(Object of, long millis, String place) throws InterruptedException {
        Strand me = Run.me();
        if (me == null) {
            of.wait(millis);
        } else {
            me.run.monitor(of).await(me, millis == 0 ? Clock.NEVER : TimeUnit.MILLISECONDS.toNanos(millis), place);
        }
    }

    public static void await(Object of, long millis, int nanos, String place) throws InterruptedException {
        await(of, millis + (nanos > 0 ? 1 : 0), place);
    }

    public static void signal(Object of, String place) {
        signal(of, place, false);
    }

    public static void signalAll(Object of, String place) {
        signal(of, place, true);
    }

    private static void signal(Object of, String place, boolean all) {
        Strand me = Run.me();
        if (me != null) {
            me.run.monitor(of).signal(me, place, all);
        } else if (all) {
            of.notifyAll();
        } else {
            of.notify();
        }
    }

    public static boolean holdsLock(Object of, String place) {
        Strand me = Run.me();
        return me == null ? Thread.holdsLock(of) : me.run.monitor(of).isOwnedBy(me);
    }

    // Locks of java.util.concurrent stay real; who has them is noted.

    public static void lock(Lock lock, String place) {
        Strand me = asks(lock, place);
        lock.lock();
        has(me, lock, place);
    }

    public static void lockInterruptibly(Lock lock, String place) throws InterruptedException {
        Strand me = asks(lock, place);
        lock.lockInterruptibly();
        has(me, lock, place);
    }

    public static boolean tryLock(Lock lock, String place) {
        Strand me = asks(lock, place);
        boolean got = lock.tryLock();
        if (got) {
            has(me, lock, place);
        } else if (me != null) {
            me.sought = null;
        }
        return got;
    }

    private static Strand asks(Lock lock, String place) {
        Strand me = Run.me();
        if (me != null) {
            me.point(place, null);
            me.sought = lock;
        }
        return me;
    }

    private static void has(Strand me, Lock lock, String place) {
        if (me != null) {
            me.sought = null;
            me.holds.putIfAbsent(lock, place);
        }
    }

    public static void unlock(Lock lock, String place) {
        Strand me = Run.me();
        if (me != null) {
            me.point(place, null);
        }
        lock.unlock();
        if (me != null && !isHeld(lock)) {
            me.holds.remove(lock);
        }
    }

    /** By who asks, still: it may have been taken twice. */
    private static boolean isHeld(Lock lock) {
        return lock instanceof ReentrantLock && ((ReentrantLock) lock).isHeldByCurrentThread();
    }

    public static Condition newCondition(Lock lock, String place) {
        Condition made = lock.newCondition();
        Strand me = Run.me();
        if (me != null) {
            me.run.belongs(made, lock);
        }
        return made;
    }

    public static void await(Condition condition, String place) throws InterruptedException {
        Strand me = Run.me();
        if (me == null) {
            condition.await();
        } else {
            await(me, condition, Clock.NEVER, place);
        }
    }

    public static boolean await(Condition condition, long span, TimeUnit unit, String place) throws InterruptedException {
        Strand me = Run.me();
        return me == null ? condition.await(span, unit) : await(me, condition, unit.toNanos(span), place);
    }

    public static long awaitNanos(Condition condition, long span, String place) throws InterruptedException {
        Strand me = Run.me();
        if (me == null) {
            return condition.awaitNanos(span);
        }
        long began = me.run.slept();
        await(me, condition, span, place);
        return span - (me.run.slept() - began);
    }

    public static boolean awaitUntil(Condition condition, Date deadline, String place) throws InterruptedException {
        Strand me = Run.me();
        return me == null
                ? condition.awaitUntil(deadline)
                : await(me, condition, TimeUnit.MILLISECONDS.toNanos(deadline.getTime() - currentTimeMillis(place)), place);
    }

    /** Whether there was a signal in that time. Whoever waits in a real condition is woken, without one, by an interrupt. */
    private static boolean await(Strand me, Condition condition, long span, String place) throws InterruptedException {
        me.point(place, null);
        if (span <= 0) {
            return false;
        }
        Object lock = me.run.lockOf(condition);
        String taken = me.holds.remove(lock);
        me.awaits = true;
        me.setAlarm(span, me.thread::interrupt);
        try {
            condition.await();
            if (me.hasRung()) {
                Thread.interrupted(); // after the signal, while it waited for the lock
            }
            return true;
        } catch (InterruptedException why) {
            if (!me.hasRung()) {
                throw why;
            }
            return false;
        } finally {
            me.stopAlarm();
            me.awaits = false;
            if (taken != null) {
                me.holds.put(lock, taken);
            }
        }
    }

    public static void parkNanos(long span, String place) {
        parkNanos(null, span, place);
    }

    public static void parkNanos(Object blocker, long span, String place) {
        Strand me = Run.me();
        if (me == null) {
            LockSupport.parkNanos(blocker, span);
            return;
        }
        me.point(place, null);
        if (span > 0) {
            me.setAlarm(span, () -> LockSupport.unpark(me.thread));
            LockSupport.park(blocker);
            me.stopAlarm();
        }
    }

    public static void unpark(Thread thread, String place) {
        at(place);
        LockSupport.unpark(thread == null ? null : real(thread));
    }

    // Threads that the candidate starts.

    public static void start(Thread thread, String place) {
        Strand me = Run.me();
        if (me == null || thread.getClass().getName().equals("java.lang.VirtualThread")) {
            thread.start();
        } else {
            me.run.start(thread, Spot.method(place));
        }
    }

    public static void join(Thread thread, String place) throws InterruptedException {
        join(thread, 0, place);
    }

    public static void join(Thread thread, long millis, String place) throws InterruptedException {
        Strand me = Run.me();
        Strand its = me == null ? null : me.run.standsFor(thread);
        if (its == null) {
            thread.join(millis);
            return;
        }
        me.setAlarm(millis == 0 ? Clock.NEVER : TimeUnit.MILLISECONDS.toNanos(millis), () -> {});
        me.point(place, new Want() {
            @Override
            public boolean granted(Strand strand) {
                return its.isOver() || me.hasRung() || me.thread.isInterrupted();
            }

            @Override
            public String told(Strand strand) {
                return "the end of " + its.name;
            }
        });
        me.stopAlarm();
        if (!its.isOver() && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    public static Thread currentThread(String place) {
        Strand me = Run.me();
        Thread told = me == null ? null : me.run.original(me);
        return told == null ? Thread.currentThread() : told;
    }

    public static void interrupt(Thread thread, String place) {
        at(place);
        real(thread).interrupt();
    }

    public static boolean isInterrupted(Thread thread, String place) {
        at(place);
        return real(thread).isInterrupted();
    }

    public static boolean isAlive(Thread thread, String place) {
        at(place);
        return real(thread).isAlive();
    }

    /** The one that runs in its place. */
    private static Thread real(Thread thread) {
        Strand me = Run.me();
        Strand its = me == null ? null : me.run.standsFor(thread);
        return its == null ? thread : its.thread;
    }

    public static void yield(String place) {
        if (Run.me() == null) {
            Thread.yield();
        } else {
            at(place);
        }
    }

    public static void sleep(long millis, String place) throws InterruptedException {
        sleep(TimeUnit.MILLISECONDS, millis, place);
    }

    public static void sleep(long millis, int nanos, String place) throws InterruptedException {
        sleep(TimeUnit.NANOSECONDS, TimeUnit.MILLISECONDS.toNanos(millis) + nanos, place);
    }

    public static void sleep(Duration span, String place) throws InterruptedException {
        sleep(TimeUnit.NANOSECONDS, span.toNanos(), place);
    }

    public static void sleep(TimeUnit unit, long span, String place) throws InterruptedException {
        Strand me = Run.me();
        if (me == null) {
            unit.sleep(span);
            return;
        }
        me.setAlarm(unit.toNanos(span), () -> {});
        me.point(place, new Want() {
            @Override
            public boolean granted(Strand strand) {
                return me.hasRung() || me.thread.isInterrupted();
            }

            @Override
            public String told(Strand strand) {
                return "time to pass";
            }
        });
        me.stopAlarm();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    public static long nanoTime(String place) {
        return System.nanoTime() + slept();
    }

    public static long currentTimeMillis(String place) {
        return System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(slept());
    }

    private static long slept() {
        Strand me = Run.me();
        return me == null ? 0 : me.run.slept();
    }

    public static ExecutorService newFixedThreadPool(int threads, String place) {
        return Executors.newFixedThreadPool(threads, factory(place));
    }

    public static ExecutorService newCachedThreadPool(String place) {
        return Executors.newCachedThreadPool(factory(place));
    }

    public static ExecutorService newSingleThreadExecutor(String place) {
        return Executors.newSingleThreadExecutor(factory(place));
    }

    public static ScheduledExecutorService newScheduledThreadPool(int threads, String place) {
        return Executors.newScheduledThreadPool(threads, factory(place));
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor(String place) {
        return Executors.newSingleThreadScheduledExecutor(factory(place));
    }

    public static ThreadFactory defaultThreadFactory(String place) {
        return factory(place);
    }

    private static ThreadFactory factory(String place) {
        Strand me = Run.me();
        return me == null ? Executors.defaultThreadFactory() : work -> me.run.own(Spot.method(place), work).thread;
    }
}
