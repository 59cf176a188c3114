package stingy.control;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The copies of a candidate's classes. Every line stands where it stood. */
final class Copies {
    private final Set<String> names;
    private final Set<String> threads = new HashSet<>(Set.of("java/lang/Thread"));
    private final Set<String> finals = new HashSet<>(); // as class.field, both as the JVM calls them
    private final List<String> uncontrolled = new ArrayList<>();
    private final ClassFile files = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
            ClassHierarchyResolver.ofResourceParsing(ClassLoader.getSystemClassLoader())
                    .orElse(ClassHierarchyResolver.defaultResolver())));
    private int points;

    Copies(Map<String, byte[]> originals) {
        names = originals.keySet();
        originals.values().forEach(original -> {
            ClassModel its = files.parse(original);
            if (its.superclass().map(each -> each.asInternalName().equals("java/lang/Thread")).orElse(false)) {
                threads.add(its.thisClass().asInternalName());
            }
            its.fields().stream().filter(field -> field.flags().has(AccessFlag.FINAL))
                    .forEach(field -> finals.add(its.thisClass().asInternalName() + "." + field.fieldName()));
        });
    }

    byte[] copy(String name, byte[] original) {
        ClassModel its = files.parse(original);
        String file = its.findAttribute(Attributes.sourceFile())
                .map(SourceFileAttribute::sourceFile).map(Object::toString).orElse(name + ".java");
        int before = points;
        int named = uncontrolled.size();
        try {
            return files.transformClass(its, (built, element) -> {
                if (element instanceof MethodModel method && method.code().isPresent() && !method.methodName().equalsString("<clinit>")) {
                    new Method(this, its, method, file).copyTo(built);
                } else {
                    if (element instanceof MethodModel method && method.flags().has(AccessFlag.NATIVE)) {
                        leave(name + "." + method.methodName(), "it is native");
                    }
                    built.with(element);
                }
            });
        } catch (IllegalArgumentException | IllegalStateException tooMuch) { // a method has grown over what a class may hold
            points = before;
            uncontrolled.subList(named, uncontrolled.size()).clear();
            leave(name, String.valueOf(tooMuch.getMessage()));
            return original;
        }
    }

    void leave(String what, String why) {
        uncontrolled.add(what + ": " + why);
    }

    void count() {
        points++;
    }

    int points() {
        return points;
    }

    List<String> uncontrolled() {
        return uncontrolled;
    }

    boolean isThread(String internal) {
        return threads.contains(internal);
    }

    boolean isFinal(String internal, String field) {
        return finals.contains(internal + "." + field);
    }

    /** Whether a class has a copy; then it has points of its own. */
    boolean has(String internal) {
        return names.contains(internal.replace('/', '.'));
    }
}
