package driver;

/** What a Get has returned. The item is null beside a shutdown. */
record Delivery(String item, boolean shutdown) {}
