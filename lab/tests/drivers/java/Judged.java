/** A queue with one fault or none; the tests write the others as changes to the one that stingy init writes. */
abstract class Judged {
    abstract void add(String item) throws Exception;

    abstract String get() throws InterruptedException;

    abstract void done(String item) throws Exception;

    abstract int length() throws Exception;

    abstract void shutDown() throws Exception;

    abstract boolean isShuttingDown();
}
