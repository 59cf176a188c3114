package stingy;

/** One implementation, with what was set out around it. */
public interface Candidate {
    /** Makes a call; {@link Failure#unsupported} where there is no such one. */
    Object call(Request request) throws Throwable;

    /** Ends what it does by itself, and lets go of whoever waits. */
    void end() throws Throwable;

    /** Makes a fresh one. */
    interface Maker {
        Candidate make(Request.Options options, Around around) throws Throwable;
    }
}
