package stingy.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stingy.Control;

/**
 * Makes copies of a candidate's classes whose threads can be chosen, in a JDK 25: {@code java -cp … Rewriter.java FOLDER DEED NAME…}.
 * The originals stay as they are. The deed says what has been done.
 */
public final class Rewriter {
    private Rewriter() {}

    public static void main(String[] words) throws IOException {
        long began = System.nanoTime();
        Path folder = Path.of(words[0]);
        List<String> names = List.of(words).subList(2, words.length);
        Map<String, byte[]> originals = new Originals(System.getProperty("java.class.path")).named(names);
        if (originals.isEmpty()) {
            System.err.println("there is no class in " + String.join(", ", names) + ": name packages, or classes, of the class path "
                    + System.getProperty("java.class.path"));
            System.exit(2);
        }
        clear(folder);
        Copies copies = new Copies(originals);
        Map<String, String> hashes = new TreeMap<>();
        originals.forEach((name, text) -> {
            try {
                Path to = folder.resolve(name.replace('.', '/') + ".class");
                Files.createDirectories(to.getParent());
                Files.write(to, copies.copy(name, text));
                hashes.put(name, Control.hash(text));
            } catch (IOException | GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        });
        Files.writeString(folder.resolve(words[1]), deed(names, hashes, copies.uncontrolled()));
        copies.uncontrolled().forEach(what -> System.err.println("not controlled: " + what));
        System.err.printf("%d points in %d classes, %d places not controlled, in %.1f s%n",
                copies.points(), originals.size(), copies.uncontrolled().size(), (System.nanoTime() - began) / 1e9);
    }

    /** Of what an earlier build has left there. */
    private static void clear(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all;
        try (var walk = Files.walk(folder)) {
            all = new ArrayList<>(walk.toList());
        }
        for (Path each : all.reversed()) {
            Files.delete(each);
        }
    }

    private static String deed(List<String> names, Map<String, String> hashes, List<String> uncontrolled) {
        var classes = hashes.entrySet().stream().map(each -> quote(each.getKey()) + ": " + quote(each.getValue())).toList();
        return "{\"names\": [" + quoted(names) + "],\n \"uncontrolled\": [" + quoted(uncontrolled) + "],\n \"classes\": {\n  "
                + String.join(",\n  ", classes) + "}}\n";
    }

    private static String quoted(List<String> texts) {
        return String.join(", ", texts.stream().map(Rewriter::quote).toList());
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
