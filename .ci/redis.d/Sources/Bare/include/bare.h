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

// Keeps every processor busy at the lowest priority, below everything else, until `bare_let_sleep`.
// Does nothing where the system has no such priority.
//
// A virtual machine's processor that has nothing to do takes tens of microseconds to wake up, more than everything that
// is measured here.
void bare_keep_awake(void);
void bare_let_sleep(void);
