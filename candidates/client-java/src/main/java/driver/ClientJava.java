package driver;

import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Properties;
import java.util.TreeSet;
import stingy.Candidate;
import stingy.Server;

/** The work queues, rate limiters and controller of io.kubernetes:client-java-extended. */
final class ClientJava {
  private static final String POM = "/META-INF/maven/io.kubernetes/client-java-extended/pom.properties";

  private ClientJava() {}

  public static void main(String[] arguments) throws Exception {
    var ops = new TreeSet<String>();
    ops.addAll(Queues.OPS);
    ops.addAll(Limiters.OPS);
    ops.addAll(Controllers.OPS);
    var makers = new HashMap<String, Candidate.Maker>();
    makers.put("work_queue", (options, around) -> Queues.plain());
    makers.put("delaying_queue", (options, around) -> Queues.delaying(around));
    makers.put("rate_limiting_queue", Queues::limiting);
    makers.put("controller", Controllers::make);
    Limiters.MAKERS.forEach((impl, maker) -> makers.put(impl, (options, around) -> Limiters.make(maker.apply(options), around.clock())));
    var server = new Server("client-java", ops, makers).version(version(), "java " + Runtime.version() + " " + hash());
    Release.clocked(server).serve(ClientJava.class, arguments);
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
