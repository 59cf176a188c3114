package driver;

/** Why there is no value, if it is not the candidate who raised. */
final class Failure extends RuntimeException {
  final String kind;

  private Failure(String kind, String text) {
    super(text);
    this.kind = kind;
  }

  static Failure unsupported(String text) {
    return new Failure("unsupported", text);
  }

  static Failure senseless(String text) {
    return new Failure("protocol", text);
  }
}
