package stingy.control;

import java.util.Map;
import java.util.Set;

/** Which calls go through {@code stingy.Points}, which have a point before them, and which cannot be followed. */
final class Calls {
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final Set<String> LOCK = Set.of(
            LOCKS + "Lock", LOCKS + "ReentrantLock", LOCKS + "ReentrantReadWriteLock$ReadLock", LOCKS + "ReentrantReadWriteLock$WriteLock");

    /** By the name and the descriptor of a method: what takes its place. */
    private static final Map<String, String> OF_OBJECT = Map.of(
            "wait()V", "await", "wait(J)V", "await", "wait(JI)V", "await", "notify()V", "signal", "notifyAll()V", "signalAll");
    private static final Set<String> OF_THREAD = Set.of(
            "start()V", "join()V", "join(J)V", "interrupt()V", "isInterrupted()Z", "isAlive()Z", "currentThread()Ljava/lang/Thread;", "yield()V",
            "sleep(J)V", "sleep(JI)V", "sleep(Ljava/time/Duration;)V", "holdsLock(Ljava/lang/Object;)Z");
    private static final Map<String, Set<String>> OF_OTHERS = Map.of(
            "java/util/concurrent/TimeUnit", Set.of("sleep(J)V"),
            LOCKS + "LockSupport", Set.of("parkNanos(J)V", "parkNanos(Ljava/lang/Object;J)V", "unpark(Ljava/lang/Thread;)V"),
            LOCKS + "Condition", Set.of(
                    "await()V", "await(JLjava/util/concurrent/TimeUnit;)Z", "awaitNanos(J)J", "awaitUntil(Ljava/util/Date;)Z"));
    private static final Set<String> OF_SYSTEM = Set.of("nanoTime()J", "currentTimeMillis()J");
    private static final Set<String> OF_EXECUTORS = Set.of(
            "newFixedThreadPool(I)", "newCachedThreadPool()", "newSingleThreadExecutor()", "newScheduledThreadPool(I)",
            "newSingleThreadScheduledExecutor()", "defaultThreadFactory()");
    private static final Set<String> OF_LOCK = Set.of(
            "lock()V", "lockInterruptibly()V", "tryLock()Z", "unlock()V", "newCondition()L" + LOCKS + "Condition;");

    /** They change nothing that another thread sees, or hand on to what has points of its own. */
    private static final Set<String> PURE = Set.of(
            "java/lang/", "java/time/", "java/math/", "java/text/", "java/util/function/", "java/util/Objects", "java/util/Optional",
            "java/util/concurrent/TimeUnit", "java/util/concurrent/Callable", "java/util/logging/", "org/slf4j/", "org/apache/logging/");
    private static final Set<String> YET_SHARED = Set.of(
            "java/lang/Iterable", "java/lang/StringBuffer", "java/lang/Appendable", "java/lang/ThreadLocal", "java/lang/invoke/VarHandle");

    private static final Map<String, String> UNSEEN = Map.of(
            "java/util/concurrent/ScheduledThreadPoolExecutor", "its time is the machine's",
            "java/util/Timer", "its thread and its time are the machine's",
            "java/util/concurrent/ForkJoinPool", "its threads are the machine's",
            "java/util/concurrent/locks/StampedLock", "who has it is not known");
    private Calls() {}

    /** The method of Points that takes the place of this one; null for none. */
    static String replaced(String owner, String name, String type, boolean isThread) {
        String method = name + type;
        if (OF_OBJECT.containsKey(method)) {
            return OF_OBJECT.get(method);
        }
        boolean kept = owner.equals("java/lang/System") && OF_SYSTEM.contains(method)
                || isThread && OF_THREAD.contains(method)
                || owner.equals("java/util/concurrent/Executors") && OF_EXECUTORS.contains(name + type.substring(0, type.indexOf(')') + 1))
                || LOCK.contains(owner) && OF_LOCK.contains(method)
                || OF_OTHERS.getOrDefault(owner, Set.of()).contains(method);
        return kept ? name : null;
    }

    /** What Points takes the receiver for. */
    static String receiver(String owner, String name, boolean isThread) {
        if (OF_OTHERS.containsKey(owner)) {
            return owner;
        }
        if (isThread && !name.equals("await") && !name.startsWith("signal")) {
            return "java/lang/Thread";
        }
        return LOCK.contains(owner) ? LOCKS + "Lock" : "java/lang/Object";
    }

    static boolean meets(String owner, String name) {
        if (name.equals("<init>")) {
            return false;
        }
        return YET_SHARED.contains(owner) || PURE.stream().noneMatch(owner::startsWith);
    }

    /** Why nobody can follow what a call sets going; null if one can. A wait for time to pass is noticed when it comes. */
    static String unseen(String owner, String name) {
        if (!owner.startsWith("java/util/")) {
            return null;
        }
        if (UNSEEN.containsKey(owner)) {
            return UNSEEN.get(owner);
        }
        if (owner.endsWith("/Executors") && name.contains("Scheduled")) {
            return "its time is the machine's";
        }
        boolean async = owner.endsWith("/CompletableFuture") && name.endsWith("Async") || name.equals("parallelStream");
        return async || name.equals("newVirtualThreadPerTaskExecutor") || name.startsWith("newWorkStealing")
                ? "its threads are the machine's"
                : null;
    }
}
