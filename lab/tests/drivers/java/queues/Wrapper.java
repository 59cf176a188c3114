/** A right queue within another one, which does otherwise what it says. */
abstract class Wrapper extends Judged {
    final Right queue = new Right();

    @Override
    void add(String item) throws Exception {
        queue.add(item);
    }

    @Override
    String get() throws InterruptedException {
        return queue.get();
    }

    @Override
    void done(String item) {
        queue.done(item);
    }

    @Override
    int length() {
        return queue.length();
    }

    @Override
    void shutDown() {
        queue.shutDown();
    }

    @Override
    boolean isShuttingDown() {
        return queue.isShuttingDown();
    }
}
