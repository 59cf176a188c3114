package stingy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * All threads of this process but the one that looks, as Linux sees them. A thread that goes on for Java, and waits to be woken for
 * Linux, waits for the machine itself: a compiler thread may have what it needs. It does not sleep.
 */
final class Look {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path MEMORY = Path.of("/proc/self/mem");
    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    static final boolean POSSIBLE = Files.isDirectory(THIS_THREAD);

    /** Threads of the machine itself, which wake nobody and go on when they like, as Linux names them. */
    private static final Set<String> NOBODYS = Set.of("C1 CompilerThre", "C2 CompilerThre", "VM Periodic Tas");
    /** What counts of what Linux tells of a thread. */
    private static final String NAME = "Name";
    private static final String STATE = "State";
    private static final String SLEPT = "voluntary_ctxt_switches";
    private static final Set<String> TOLD = Set.of(NAME, STATE, SLEPT);
    /** So much of a thread's name Linux keeps: bytes. */
    private static final int KEPT = 15;
    /** The number of the call in which a thread waits to be woken, whose fourth argument is where it is written until when. */
    private static final String WAIT = Map.of("amd64", "202", "aarch64", "98").getOrDefault(System.getProperty("os.arch"), "");
    /** In the second argument of that call: the instant is one of the clock on the wall. */
    private static final long ON_THE_WALL = 0x100;

    private final long at = System.nanoTime();
    private final Set<String> timed = new HashSet<>(); // names of those that wait for time to pass
    private final Set<String> goOn = new HashSet<>(); // names of those that go on for Java …
    private final Map<String, Integer> surplus = new HashMap<>(); // … and by name: how many more wait for Linux than for Java
    private final Map<String, String> slept = new HashMap<>(); // by thread: how often it has gone to sleep …
    private final Map<String, Long> due = new HashMap<>(); // … and of those that wait for time to pass: when they are to wake
    private final Set<String> found = new HashSet<>();
    private boolean allSleep = true;

    /** {@code threads}: those that Java tells of; {@code isTimed}: whether one that waits for time to pass does so by the machine's. */
    Look(List<Thread> threads, Predicate<Thread> isTimed) {
        threads.forEach(each -> ask(each, isTimed));
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(THREADS)) {
            String itself = THIS_THREAD.toRealPath().getFileName().toString();
            for (Path thread : tasks) {
                if (!thread.getFileName().toString().equals(itself)) {
                    look(thread);
                }
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        allSleep &= goOn.stream().allMatch(name -> surplus.getOrDefault(name, 0) <= 0);
    }

    private void ask(Thread thread, Predicate<Thread> isTimed) {
        String name = kept(thread.getName());
        Thread.State state = thread.getState();
        if (state == Thread.State.RUNNABLE) {
            goOn.add(name);
        } else {
            surplus.merge(name, -1, Integer::sum);
        }
        if (state == Thread.State.TIMED_WAITING && isTimed.test(thread)) {
            timed.add(name);
        }
    }

    /** When it began, as {@link System#nanoTime} tells it. */
    long at() {
        return at;
    }

    boolean allSleep() {
        return allSleep;
    }

    /** When the first thread wakes that waits for time to pass, as {@link System#nanoTime} tells it; when this look began if that cannot be told. */
    long due() {
        if (!found.containsAll(timed)) {
            return at;
        }
        return due.values().stream().mapToLong(each -> each).min().orElse(Clock.NEVER);
    }

    /** Whether nobody has been awake between another look and this one; {@code but}: except those that wait for time to pass in both. */
    boolean isLike(Look other, boolean but) {
        Map<String, String> mine = new HashMap<>(slept);
        Map<String, String> others = new HashMap<>(other.slept);
        if (but) {
            mine.keySet().removeIf(thread -> due.containsKey(thread) && other.due.containsKey(thread));
            others.keySet().removeIf(thread -> due.containsKey(thread) && other.due.containsKey(thread));
        }
        return mine.equals(others);
    }

    private void look(Path thread) {
        String number = thread.getFileName().toString();
        Map<String, String> status = status(thread);
        String name = status.get(NAME);
        if (name == null || NOBODYS.contains(name)) {
            return;
        }
        if (timed.contains(name)) {
            found.add(name);
            due.put(number, due(thread));
            // Until when it sleeps is written on its stack, and is anything else once it has woken.
            allSleep &= status(thread).equals(status);
        }
        if (goOn.contains(name) && waits(thread)) {
            surplus.merge(name, 1, Integer::sum);
        }
        allSleep &= status.get(STATE).equals("S (sleeping)");
        slept.put(number, status.get(SLEPT));
    }

    /** What Linux tells of a thread; nothing of one that has ended. */
    private static Map<String, String> status(Path thread) {
        try {
            return Files.readAllLines(thread.resolve("status")).stream()
                    .map(line -> line.split(":\\s*", 2))
                    .filter(line -> TOLD.contains(line[0]))
                    .collect(Collectors.toMap(line -> line[0], line -> line[1]));
        } catch (IOException ended) {
            return Map.of();
        }
    }

    /** What a thread has asked Linux for: the number of the call, and its arguments. */
    private static String[] asked(Path thread) throws IOException {
        return Files.readString(thread.resolve("syscall")).trim().split(" ");
    }

    private static boolean waits(Path thread) {
        try {
            return asked(thread)[0].equals(WAIT);
        } catch (IOException ended) {
            return false;
        }
    }

    /** Of a thread by what it has asked Linux for; when this look began if that does not tell. */
    private long due(Path thread) {
        try {
            String[] call = asked(thread);
            if (!call[0].equals(WAIT)) {
                return at;
            }
            long written = Long.decode(call[4]);
            return written == 0 ? Clock.NEVER : until(written, (Long.decode(call[2]) & ON_THE_WALL) != 0);
        } catch (IOException | RuntimeException untold) {
            return at;
        }
    }

    private static long until(long written, boolean isOnTheWall) throws IOException {
        ByteBuffer instant = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
        try (RandomAccessFile memory = new RandomAccessFile(MEMORY.toFile(), "r")) {
            memory.seek(written);
            memory.readFully(instant.array());
        }
        long nanos = TimeUnit.SECONDS.toNanos(instant.getLong()) + instant.getLong();
        return isOnTheWall ? nanos - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) + System.nanoTime() : nanos;
    }

    private static String kept(String name) {
        byte[] whole = name.getBytes(StandardCharsets.UTF_8);
        return new String(whole, 0, Math.min(whole.length, KEPT), StandardCharsets.UTF_8);
    }
}
