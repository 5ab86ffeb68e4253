#define _GNU_SOURCE
#include "bare.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { window = 512, payload = 64 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

// The same fields as an outlet's.
static void append(redisContext *c, const char *key, int version) {
  char value[payload + 1];
  memset(value, 'x', payload);
  snprintf(value, sizeof value, "\"%062d", version);
  value[payload - 1] = '"';
  redisAppendCommand(
      c,
      "XADD %s MAXLEN ~ 1000000 1-%d phase loaded value %b origin published since 1700000000000 publication "
      "1700000000000-%d sent 1700000000000",
      key, version, value, (size_t)payload, version);
}

static int confirm(redisContext *c) {
  redisReply *reply = NULL;
  if (redisGetReply(c, (void **)&reply) != REDIS_OK) return -1;
  int failed = reply->type == REDIS_REPLY_ERROR;
  freeReplyObject(reply);
  return failed ? -1 : 0;
}

struct reader {
  const char *socket, *key;
  int count, result;
  sem_t ready, *each;
};

// Reads until the last version has arrived; each entry's value is copied, as whoever uses it has to.
static void *read_all(void *argument) {
  struct reader *reader = argument;
  redisContext *c = redisConnectUnix(reader->socket);
  sem_post(&reader->ready);
  reader->result = -1;
  if (!c || c->err) return NULL;
  char last[64] = "0-0";
  char value[payload];
  int version = 0;
  while (version < reader->count) {
    redisReply *reply = redisCommand(c, "XREAD COUNT 512 BLOCK 5000 STREAMS %s %s", reader->key, last);
    if (!reply || reply->type != REDIS_REPLY_ARRAY) return NULL;
    redisReply *entries = reply->element[0]->element[1];
    for (size_t i = 0; i < entries->elements; i++) {
      redisReply *entry = entries->element[i], *fields = entry->element[1];
      snprintf(last, sizeof last, "%s", entry->element[0]->str);
      memcpy(value, fields->element[3]->str, payload);
      version = atoi(strchr(last, '-') + 1);
      if (reader->each) sem_post(reader->each);
    }
    freeReplyObject(reply);
  }
  redisFree(c);
  reader->result = 0;
  return NULL;
}

double bare_throughput(const char *socket, const char *key, int count) {
  redisContext *c = redisConnectUnix(socket);
  if (!c || c->err) return -1;
  struct reader reader = {socket, key, count, 0};
  sem_init(&reader.ready, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, read_all, &reader);
  sem_wait(&reader.ready);
  double start = now();
  int failed = 0, open = 0;
  for (int version = 1; version <= count && !failed; version++) {
    append(c, key, version);
    if (++open >= window) failed = confirm(c), open--;
  }
  for (; open > 0 && !failed; open--) failed = confirm(c);
  pthread_join(thread, NULL);
  double seconds = now() - start;
  redisFree(c);
  return failed || reader.result ? -1 : seconds;
}

int bare_latency(const char *socket, const char *key, int count, double *microseconds) {
  redisContext *c = redisConnectUnix(socket);
  if (!c || c->err) return -1;
  sem_t each;
  sem_init(&each, 0, 0);
  struct reader reader = {socket, key, count, 0};
  sem_init(&reader.ready, 0, 0);
  reader.each = &each;
  pthread_t thread;
  pthread_create(&thread, NULL, read_all, &reader);
  sem_wait(&reader.ready);
  int failed = 0;
  for (int version = 1; version <= count && !failed; version++) {
    double start = now();
    append(c, key, version);
    int done = 0;
    while (!done && !failed) failed = redisBufferWrite(c, &done) != REDIS_OK;
    if (!failed) sem_wait(&each);
    microseconds[version - 1] = (now() - start) * 1e6;
    failed = failed || confirm(c);
  }
  pthread_join(thread, NULL);
  redisFree(c);
  return failed || reader.result ? -1 : 0;
}

double bare_late(const char *socket, const char *key) {
  double start = now();
  redisContext *c = redisConnectUnix(socket);
  if (!c || c->err) return -1;
  redisReply *reply = redisCommand(c, "XREVRANGE %s + - COUNT 1", key);
  int failed = !reply || reply->type != REDIS_REPLY_ARRAY || reply->elements != 1;
  double microseconds = (now() - start) * 1e6;
  if (reply) freeReplyObject(reply);
  redisFree(c);
  return failed ? -1 : microseconds;
}

double bare_fill(const char *socket, const char *prefix, int streams, int count) {
  redisContext *c = redisConnectUnix(socket);
  if (!c || c->err) return -1;
  double start = now();
  int failed = 0, open = 0;
  char key[256];
  for (int version = 1; version <= count && !failed; version++) {
    for (int stream = 0; stream < streams && !failed; stream++) {
      snprintf(key, sizeof key, "%s %d", prefix, stream);
      append(c, key, version);
      if (++open >= window) failed = confirm(c), open--;
    }
  }
  for (; open > 0 && !failed; open--) failed = confirm(c);
  double seconds = now() - start;
  redisFree(c);
  return failed ? -1 : seconds;
}

enum { most_processors = 256 };
static pthread_t spinners[most_processors];
static int spinner_count;
static atomic_bool is_awake;

static void *spin(void *argument) {
#ifdef SCHED_IDLE
  struct sched_param priority = {0};
  // Of this thread only.
  if (sched_setscheduler(0, SCHED_IDLE, &priority)) return argument;
  while (atomic_load_explicit(&is_awake, memory_order_relaxed)) {
  }
#endif
  return argument;
}

void bare_keep_awake(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  atomic_store(&is_awake, true);
  while (spinner_count < processors && spinner_count < most_processors &&
         !pthread_create(&spinners[spinner_count], NULL, spin, NULL)) spinner_count++;
}

void bare_let_sleep(void) {
  atomic_store(&is_awake, false);
  while (spinner_count > 0) pthread_join(spinners[--spinner_count], NULL);
}
