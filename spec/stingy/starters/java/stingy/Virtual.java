package stingy;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * The virtual threads of JDK 25, on an executor of one's own: a thread that waits leaves the one that carries it, which then
 * takes another one on. The members of the JDK that this needs are private, and so they are tried before they are used.
 */
final class Virtual {
    private static Method made;
    private static Field state;
    private static int parked;
    private static final String LACK = tried(); // it sets those above

    private Virtual() {}

    /** Why it cannot be had; empty if it can. */
    static String lack() {
        return LACK;
    }

    private static String tried() {
        try {
            Class<?> virtual = Class.forName("java.lang.VirtualThread");
            made = Class.forName("java.lang.ThreadBuilders")
                    .getDeclaredMethod("newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
            made.setAccessible(true);
            state = virtual.getDeclaredField("state");
            state.setAccessible(true);
            Field constant = virtual.getDeclaredField("PARKED");
            constant.setAccessible(true);
            parked = constant.getInt(null);
            return passes() ? "" : "its virtual threads do not leave the one that carries them as those of JDK 25 do";
        } catch (ReflectiveOperationException | RuntimeException error) {
            return error.toString();
        }
    }

    /** Two threads take turns, one waits for the other in a lock, and all of it where they are told to. */
    private static boolean passes() {
        Deque<Runnable> ready = new ArrayDeque<>();
        StringBuilder said = new StringBuilder();
        Thread carrier = Thread.currentThread();
        Thread waits = thread(ready::add, "waits", () -> {
            said.append("a");
            LockSupport.park();
            said.append("d");
        });
        Thread wakes = thread(ready::add, "wakes", () -> {
            said.append("b");
            Thread.yield();
            said.append("c");
            LockSupport.unpark(waits);
        });
        waits.start();
        wakes.start();
        for (int turn = 0; !ready.isEmpty() && turn < 10; turn++) {
            ready.poll().run();
            if (turn == 0 && !isParked(waits)) {
                return false;
            }
        }
        return said.toString().equals("abcd") && Thread.currentThread() == carrier;
    }

    /** Has not begun; the executor is told whenever it can go on. */
    static Thread thread(Executor executor, String name, Runnable work) {
        try {
            return (Thread) made.invoke(null, executor, name, 0, work);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Whether it waits to be woken, and not for time to pass, nor for a lock of the JVM's own. */
    static boolean isParked(Thread thread) {
        try {
            return state.getInt(thread) == parked;
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
