package driver;

import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** The work queues, rate limiters and controller of io.kubernetes:client-java-extended. */
final class ClientJava {
  private static final String POM = "/META-INF/maven/io.kubernetes/client-java-extended/pom.properties";

  private ClientJava() {}

  public static void main(String[] arguments) throws Exception {
    var ops = new TreeSet<String>();
    ops.addAll(Queues.OPS);
    ops.addAll(Limiters.OPS);
    ops.addAll(Controllers.OPS);
    new Driver(identity(ops), ops, ClientJava::make).serve();
  }

  private static Candidate make(String impl, Request.Options options, Crew crew, VirtualClock clock) {
    return switch (impl) {
      case "work_queue" -> Queues.plain();
      case "delaying_queue" -> Queues.delaying(crew, clock);
      case "rate_limiting_queue" -> Queues.limiting(options, crew, clock);
      case "controller" -> Controllers.make(options, crew, clock);
      default -> Limiters.make(impl, options, clock);
    };
  }

  private static Map<String, Object> identity(Set<String> ops) throws IOException, NoSuchAlgorithmException {
    return Map.of(
        "protocol", 1,
        "name", "client-java",
        "version", version(),
        "build", "java " + Runtime.version() + " " + hash(),
        "language", "java",
        "ops", ops,
        "capabilities", Map.of(
            "virtual_clock", true, "settle", true, "burst", true, "cancel", false, "step", false,
            "resolution_ns", 1_000_000));
  }

  /** Read from the very jar that is judged. */
  private static String version() throws IOException {
    var properties = new Properties();
    try (InputStream pom = DefaultWorkQueue.class.getResourceAsStream(POM)) {
      properties.load(pom);
    }
    return properties.getProperty("version");
  }

  private static String hash() throws IOException, NoSuchAlgorithmException {
    var jar = Path.of(ClientJava.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
    return HexFormat.of().formatHex(digest).substring(0, 12);
  }
}
