/** A right queue whose Get sleeps before it looks again. */
final class LooksAgain extends Poller {
    @Override
    void pause() throws InterruptedException {
        Thread.sleep(2);
    }
}
