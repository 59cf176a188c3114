package stingy.control;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The classes of a class path, as they were compiled. */
final class Originals {
    private final List<Path> places;

    Originals(String classPath) {
        places = List.of(classPath.split(File.pathSeparator)).stream().map(Path::of).filter(Files::exists).toList();
    }

    /** Those of these packages, and these classes with what is nested in them; the first of each name counts. */
    Map<String, byte[]> named(List<String> names) throws IOException {
        Map<String, byte[]> found = new TreeMap<>();
        for (Path place : places) {
            if (Files.isDirectory(place)) {
                add(place, names, found);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    add(jar.getPath("/"), names, found);
                }
            }
        }
        return found;
    }

    private static void add(Path root, List<String> names, Map<String, byte[]> found) throws IOException {
        List<Path> files;
        try (var walk = Files.walk(root)) {
            files = walk.filter(file -> file.toString().endsWith(".class")).sorted().toList();
        }
        for (Path file : files) {
            String path = root.relativize(file).toString().replace(File.separatorChar, '/');
            String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
            if (names.stream().anyMatch(each -> isOf(each, name))) {
                found.putIfAbsent(name, Files.readAllBytes(file));
            }
        }
    }

    private static boolean isOf(String named, String name) {
        int dot = name.lastIndexOf('.');
        return name.equals(named) || name.startsWith(named + "$") || dot > 0 && name.substring(0, dot).equals(named);
    }
}
