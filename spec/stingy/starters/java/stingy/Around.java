package stingy;

import java.util.concurrent.ThreadFactory;

/** What a candidate can be given that asks for a clock, or for threads. */
public interface Around {
    Clock clock();

    /** Its threads are named so; whether they wait is known. */
    ThreadFactory threads(String name);
}
