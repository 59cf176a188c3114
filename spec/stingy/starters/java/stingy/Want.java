package stingy;

/** What has to come before a thread can go on. */
interface Want {
    boolean granted(Strand strand);

    /** In words, for whom it may concern. */
    String told(Strand strand);
}
