// Loops over a Redis stream that use hiredis alone. Every function takes the path of the server's Unix socket, and
// returns a negative number after an error.

// Seconds until a reader in another thread has read everything that a pipelined writer has written.
double bare_throughput(const char *socket, const char *key, int count);

// Microseconds from one write until a reader in another thread has it, for each of `count` writes.
int bare_latency(const char *socket, const char *key, int count, double *microseconds);

// Microseconds for a connection and the last entry.
double bare_late(const char *socket, const char *key);

// Seconds to write `count` entries, one after the other, to each of a number of streams `prefix 0`, `prefix 1`, …
double bare_fill(const char *socket, const char *prefix, int streams, int count);
