package stingy;

import java.util.concurrent.ThreadFactory;

/** All threads that call one candidate, or work for it. */
interface Crew {
    ThreadFactory threads(String name);

    /** Does the work in this lane, after everything asked of that before. */
    void ask(String lane, Runnable work);

    boolean isBusy(String lane);

    /** Returns when nobody can go on: what has not happened by then will not happen, unless time passes. */
    void settle();

    /** Tells somebody that the clock has moved, in a thread as good as any other. */
    void wake(Runnable telling);

    /** A call of a lane has. */
    void returned();

    /** What they still do is over: nobody hears of it any more. */
    void abandon(Candidate candidate);

    boolean isAbandoned();
}
