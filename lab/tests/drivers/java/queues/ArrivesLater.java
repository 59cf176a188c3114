/** A right queue with a thread of its own for each item, which sleeps before that arrives. */
final class ArrivesLater extends Wrapper {
    private static final long LATER = 150;

    @Override
    void add(String item) throws Exception {
        Thread carrier = new Thread(() -> {
            try {
                Thread.sleep(LATER);
                queue.add(item);
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        carrier.start();
        carrier.join();
    }
}
