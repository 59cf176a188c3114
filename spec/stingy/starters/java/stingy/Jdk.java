package stingy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The JDK that lets the order of threads be chosen, wherever it may be installed. */
final class Jdk {
    private static final int RELEASE = 25;

    private Jdk() {}

    /** Its home; null if there is none. */
    static Path find() {
        for (Path home : homes()) {
            if (isIt(home) && java(home) != null) {
                return home;
            }
        }
        return null;
    }

    static String looked() {
        return "no JDK 25 was found: its place may be named by the environment (JAVA_HOME_25, JAVA_HOME), or be among"
                + " /usr/lib/jvm/*25*, ~/.sdkman/candidates/java/25*, ~/.jdks/*25*, /Library/Java/JavaVirtualMachines/*25*";
    }

    private static List<Path> homes() {
        List<Path> homes = new ArrayList<>();
        Map<String, String> environment = System.getenv();
        environment.keySet().stream().filter(name -> name.startsWith("JAVA_HOME_" + RELEASE)).sorted()
                .forEach(name -> homes.add(Path.of(environment.get(name))));
        if (environment.containsKey("JAVA_HOME")) {
            homes.add(Path.of(environment.get("JAVA_HOME")));
        }
        homes.add(Path.of(System.getProperty("java.home")));
        Path home = Path.of(System.getProperty("user.home"));
        homes.addAll(in(Path.of("/usr/lib/jvm"), "*25*"));
        homes.addAll(in(home.resolve(".sdkman/candidates/java"), "25*"));
        homes.addAll(in(home.resolve(".jdks"), "*25*"));
        in(Path.of("/Library/Java/JavaVirtualMachines"), "*25*").forEach(each -> homes.add(each.resolve("Contents/Home")));
        return homes;
    }

    private static List<Path> in(Path folder, String glob) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, glob)) {
            all.forEach(found::add);
        } catch (IOException none) {
            return List.of();
        }
        Collections.sort(found);
        return found;
    }

    private static boolean isIt(Path home) {
        try {
            return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + RELEASE);
        } catch (IOException none) {
            return false;
        }
    }

    /** Its command; null if it is none of this system. */
    static Path java(Path home) {
        for (String name : List.of("java", "java.exe")) {
            Path java = home.resolve("bin").resolve(name);
            if (Files.isExecutable(java)) {
                return java;
            }
        }
        return null;
    }
}
