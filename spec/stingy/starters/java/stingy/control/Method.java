package stingy.control;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;

/**
 * One method. Where it takes a monitor there are two of it: the original, for who is not under control, and one that asks
 * {@code stingy.Points} for the monitor.
 */
final class Method {
    private static final ClassDesc POINTS = ClassDesc.of("stingy.Points");
    private static final MethodTypeDesc TOLD = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);
    private static final String BETWEEN = "\u001f";
    private static final String ALONE = "$alone";

    private final Copies copies;
    private final ClassModel its;
    private final MethodModel method;
    private final CodeModel code;
    private final String name;
    private final String file;
    private int line;

    Method(Copies copies, ClassModel its, MethodModel method, String file) {
        this.copies = copies;
        this.its = its;
        this.method = method;
        this.file = file;
        code = method.code().orElseThrow();
        name = method.methodName().stringValue();
    }

    void copyTo(ClassBuilder built) {
        boolean makes = name.equals("<init>");
        boolean locks = code.elementStream().anyMatch(MonitorInstruction.class::isInstance);
        if (makes && locks) {
            copies.leave(place("", "").replace(BETWEEN, " ").strip(), "a constructor takes a lock");
        }
        if (makes || !locks && !isSynchronized()) {
            built.transformMethod(method, (to, element) -> {
                if (element instanceof CodeModel) {
                    to.withCode(into -> code.forEach(each -> put(each, into, !makes)));
                } else {
                    to.with(element);
                }
            });
            return;
        }
        built.withMethod(name + ALONE, method.methodTypeSymbol(), flagsAlone(), to -> to.with(code));
        built.withMethod(name, method.methodTypeSymbol(), method.flags().flagsMask() & ~ClassFile.ACC_SYNCHRONIZED, to -> {
            method.forEach(element -> {
                if (!(element instanceof CodeModel) && !(element instanceof AccessFlags)) {
                    to.with(element);
                }
            });
            to.withCode(this::putBoth);
        });
    }

    private boolean isSynchronized() {
        return method.flags().has(AccessFlag.SYNCHRONIZED);
    }

    private boolean isStatic() {
        return method.flags().has(AccessFlag.STATIC);
    }

    private int flagsAlone() {
        int kept = method.flags().flagsMask() & (ClassFile.ACC_SYNCHRONIZED | ClassFile.ACC_STATIC);
        return kept | ClassFile.ACC_PRIVATE | ClassFile.ACC_SYNTHETIC;
    }

    private void putBoth(CodeBuilder into) {
        Label controlled = into.newLabel();
        into.invokestatic(POINTS, "on", MethodTypeDesc.of(ConstantDescs.CD_boolean)).ifne(controlled);
        callAlone(into);
        into.labelBinding(controlled);
        if (!isSynchronized()) {
            code.forEach(each -> put(each, into, true));
            return;
        }
        Label begin = into.newLabel();
        Label end = into.newLabel();
        Label thrown = into.newLabel();
        line = firstLine();
        loadMonitor(into);
        into.loadConstant(place("lock", "synchronized " + name + "(…)"))
                .invokestatic(POINTS, "enter", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_String));
        copies.count();
        into.labelBinding(begin);
        code.forEach(each -> {
            if (each instanceof ReturnInstruction) {
                exit(into);
            }
            put(each, into, true);
        });
        into.labelBinding(end).labelBinding(thrown);
        exit(into);
        into.athrow().exceptionCatchAll(begin, end, thrown);
    }

    private void callAlone(CodeBuilder into) {
        MethodTypeDesc type = method.methodTypeSymbol();
        ClassDesc here = its.thisClass().asSymbol();
        boolean isInterface = its.flags().has(AccessFlag.INTERFACE);
        int slot = 0;
        if (!isStatic()) {
            into.aload(slot++);
        }
        for (ClassDesc each : type.parameterList()) {
            TypeKind kind = TypeKind.from(each);
            into.loadLocal(kind, slot);
            slot += kind.slotSize();
        }
        if (isStatic()) {
            into.invokestatic(here, name + ALONE, type, isInterface);
        } else {
            into.invokespecial(here, name + ALONE, type, isInterface);
        }
        into.return_(TypeKind.from(type.returnType()));
    }

    private void loadMonitor(CodeBuilder into) {
        if (isStatic()) {
            into.ldc(its.thisClass().asSymbol());
        } else {
            into.aload(0);
        }
    }

    private void exit(CodeBuilder into) {
        loadMonitor(into);
        into.invokestatic(POINTS, "exit", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object));
    }

    private int firstLine() {
        return code.elementStream().filter(LineNumber.class::isInstance).map(each -> ((LineNumber) each).line()).findFirst().orElse(0);
    }

    private void put(CodeElement element, CodeBuilder into, boolean shared) {
        switch (element) {
            case LineNumber number -> {
                line = number.line();
                into.with(number);
            }
            case MonitorInstruction monitor when shared -> putMonitor(monitor, into);
            case FieldInstruction field -> {
                if (shared && isShared(field)) {
                    point(into, field.opcode() == Opcode.PUTFIELD || field.opcode() == Opcode.PUTSTATIC ? "write" : "read", field.name().stringValue());
                }
                into.with(field);
            }
            case InvokeInstruction call -> putCall(call, into, shared);
            default -> into.with(element);
        }
    }

    private void putMonitor(MonitorInstruction monitor, CodeBuilder into) {
        if (monitor.opcode() == Opcode.MONITOREXIT) {
            into.invokestatic(POINTS, "exit", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object));
            return;
        }
        copies.count();
        into.loadConstant(place("lock", "synchronized (…)"))
                .invokestatic(POINTS, "enter", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_String));
    }

    private void putCall(InvokeInstruction call, CodeBuilder into, boolean shared) {
        String owner = call.owner().asInternalName();
        String called = call.name().stringValue();
        boolean isThread = copies.isThread(owner);
        String what = (owner.equals("java/lang/Object") ? "" : simple(owner) + ".") + called + "(…)";
        String unseen = Calls.unseen(owner, called);
        if (unseen != null) {
            copies.leave(what + " at " + at(), unseen);
        }
        String replaced = Calls.replaced(owner, called, call.type().stringValue(), isThread);
        if (replaced != null && call.opcode() != Opcode.INVOKESPECIAL) {
            MethodTypeDesc type = call.typeSymbol();
            if (call.opcode() != Opcode.INVOKESTATIC) {
                type = type.insertParameterTypes(0, ClassDesc.ofInternalName(Calls.receiver(owner, replaced, isThread)));
            }
            copies.count();
            into.loadConstant(place(called, what))
                    .invokestatic(POINTS, replaced, type.insertParameterTypes(type.parameterCount(), ConstantDescs.CD_String));
            return;
        }
        if (shared && !copies.has(owner) && Calls.meets(owner, called)) {
            point(into, "call", what);
        }
        into.with(call);
    }

    /** Whether others can see it change. What is final does not, nor what belongs to Java's own classes. */
    private boolean isShared(FieldInstruction field) {
        String owner = field.owner().asInternalName();
        if (owner.startsWith("java/") || field.name().stringValue().startsWith("this$")) {
            return false;
        }
        return !copies.isFinal(owner, field.name().stringValue());
    }

    private void point(CodeBuilder into, String op, String on) {
        copies.count();
        into.loadConstant(place(op, on)).invokestatic(POINTS, "at", TOLD);
    }

    private String at() {
        return file + ":" + line;
    }

    private String place(String op, String on) {
        return at() + BETWEEN + shown(name) + BETWEEN + op + BETWEEN + on;
    }

    /** The name of the method that a lambda stands in. */
    private static String shown(String name) {
        String[] parts = name.split("\\$");
        return parts.length == 3 && parts[0].equals("lambda") ? parts[1] : name;
    }

    private static String simple(String internal) {
        return internal.substring(Math.max(internal.lastIndexOf('/'), internal.lastIndexOf('$')) + 1);
    }
}
