/** A right queue with a thread of its own, which looks without a pause whether it has been shut down. */
final class NeverRests extends Wrapper {
    private volatile boolean over;

    NeverRests() {
        Thread looks = new Thread(() -> {
            while (!over) {
                Thread.onSpinWait();
            }
        });
        looks.setDaemon(true);
        looks.start();
    }

    @Override
    void shutDown() {
        over = true;
        queue.shutDown();
    }
}
