package driver;

/** Fields that are private. */
final class Private {
  private Private() {}

  static Object get(Object of, String name) {
    try {
      var field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static void set(Object of, String name, Object value) {
    try {
      var field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      field.set(of, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
