package stingy;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What of the candidate is under control. {@code java -cp classes stingy.Control NAME…}, run when a driver is built, makes
 * copies of the classes and packages named, in which each operation that threads meet in goes through {@link Points}; the driver
 * then goes on in a JDK 25, with the copies before the originals. Without such a JDK threads are left to the machine.
 */
public final class Control {
    private static final String DEED = "stingy-control.json";
    /** Tells the driver, when it has gone on, where the copies are. */
    private static final String FOLDER = "stingy.controlled";

    private static Control here = new Control(Map.of(), "");

    private final Map<String, Object> told;
    private final Set<String> classes = new HashSet<>();
    private final String lack;

    private Control(Map<String, Object> told, String lack) {
        this.told = told;
        this.lack = lack;
        ((Map<?, ?>) told.getOrDefault("classes", Map.of())).keySet().forEach(name -> classes.add((String) name));
    }

    public static void main(String[] words) throws Exception {
        List<String> names = new ArrayList<>(Arrays.asList(words));
        String from = "stingy/control";
        if (names.size() > 1 && names.get(0).equals("-from")) {
            from = names.get(1);
            names.subList(0, 2).clear();
        }
        if (names.isEmpty()) {
            System.err.println("name the classes and packages that are to be under control, as in: java -cp classes stingy.Control my.queue");
            System.exit(2);
        }
        Path jdk = Jdk.find();
        if (jdk == null) {
            System.err.println("not under control: " + Jdk.looked());
            return;
        }
        List<String> command = new ArrayList<>(List.of(
                Jdk.java(jdk).toString(), "-cp", System.getProperty("java.class.path"), from + "/Rewriter.java",
                folder().toString(), DEED));
        command.addAll(names);
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }

    /** Where the copies are: beside the classes, or the jar, that this one is from. */
    private static Path folder() throws URISyntaxException {
        return Path.of(Control.class.getProtectionDomain().getCodeSource().getLocation().toURI()).resolveSibling("controlled");
    }

    /** Goes on in a JVM where the order can be chosen, and does not come back; or sees why there is none, and does. */
    static void take(Class<?> main, String[] words) throws Exception {
        String copies = System.getProperty(FOLDER);
        if (copies != null) {
            here = new Control(read(Path.of(copies)), Virtual.lack());
            return;
        }
        String lack = lack(words);
        if (!lack.isEmpty()) {
            here = new Control(Map.of(), lack);
            return;
        }
        List<String> command = new ArrayList<>(List.of(
                Jdk.java(Jdk.find()).toString(),
                "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Djdk.trackAllThreads=false",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-D" + FOLDER + "=" + folder(),
                "-cp", folder() + File.pathSeparator + System.getProperty("java.class.path"), main.getName()));
        command.addAll(Arrays.asList(words));
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }

    private static String lack(String[] words) throws Exception {
        if (Arrays.asList(words).contains("-uncontrolled")) {
            return "it was asked not to";
        }
        if (Jdk.find() == null) {
            return Jdk.looked();
        }
        if (!Files.exists(folder().resolve(DEED))) {
            return "nothing was named that is to be under control when the driver was built: java -cp classes stingy.Control NAME…";
        }
        for (Map.Entry<?, ?> each : ((Map<?, ?>) read(folder()).get("classes")).entrySet()) {
            if (!each.getValue().equals(hash((String) each.getKey()))) {
                return each.getKey() + " was compiled anew since its copy was made that is under control: build the driver again, as its README says";
            }
        }
        return "";
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> read(Path folder) throws IOException {
        return (Map<String, Object>) Json.read(Files.readString(folder.resolve(DEED)));
    }

    private static String hash(String name) throws IOException, NoSuchAlgorithmException {
        try (InputStream text = ClassLoader.getSystemResourceAsStream(name.replace('.', '/') + ".class")) {
            return text == null ? "" : hash(text.readAllBytes());
        }
    }

    /** By which a class is told from another one of its name. */
    public static String hash(byte[] text) throws NoSuchAlgorithmException {
        StringBuilder hash = new StringBuilder();
        for (byte each : MessageDigest.getInstance("SHA-256").digest(text)) {
            hash.append(String.format("%02x", each));
        }
        return hash.toString();
    }

    static Control here() {
        return here;
    }

    /** Why the order of threads cannot be chosen; empty if it can. */
    String lack() {
        return lack;
    }

    /** Those that there are copies of. */
    Set<String> classes() {
        return classes;
    }

    Map<String, Object> schedules() {
        return Map.of(
                "by", List.of("choices", "seed"), "points", "fields",
                "packages", told.get("names"), "uncontrolled", told.get("uncontrolled"));
    }
}
