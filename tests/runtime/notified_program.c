/* Threads that libc starts for notifications are counted, in addition to their requester.
 *
 *     notified_program FILE      writes the number of calls of notified_leaf to FILE
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 100000, TIMERS = 4 };

static sem_t notified;
static long calls;

__attribute__((noinline, noclone)) long notified_leaf(long n) {
  __asm__ volatile("");
  return n + 1;
}

/* In a thread for each notification, a few of them at a time. */
static void on_event(union sigval value) {
  for (long i = 0; i < CALLS; ++i) notified_leaf(i);
  __atomic_fetch_add(&calls, CALLS, __ATOMIC_RELAXED);
  if (value.sival_int == 7) sem_post(&notified);
}

static struct sigevent event(void) {
  struct sigevent result;
  memset(&result, 0, sizeof result);
  result.sigev_notify = SIGEV_THREAD;
  result.sigev_notify_function = on_event;
  result.sigev_value.sival_int = 7;
  return result;
}

static void check(int result, const char* what) {
  if (result == 0) return;
  perror(what);
  _exit(1);
}

/* Both count until the notified threads have ended. */
static void count_until(int wanted) {
  while (wanted > 0) {
    for (long i = 0; i < 1000; ++i) notified_leaf(i);
    __atomic_fetch_add(&calls, 1000, __ATOMIC_RELAXED);
    if (sem_trywait(&notified) == 0) --wanted;
  }
}

static void use_timers(void) {
  const struct itimerspec soon = {{0, 0}, {0, 1}};
  timer_t timers[TIMERS];
  struct sigevent wish = event();
  for (int i = 0; i < TIMERS; ++i) {
    check(timer_create(CLOCK_MONOTONIC, &wish, &timers[i]), "timer_create");
    check(timer_settime(timers[i], 0, &soon, 0), "timer_settime");
  }
  count_until(TIMERS);
}

static struct aiocb block(int file, char* bytes) {
  struct aiocb result;
  memset(&result, 0, sizeof result);
  result.aio_fildes = file;
  result.aio_buf = bytes;
  result.aio_nbytes = 1;
  result.aio_lio_opcode = LIO_WRITE;
  result.aio_sigevent = event();
  return result;
}

static void use_files(int file) {
  static char bytes[4];
  static struct aiocb blocks[4];
  for (int i = 0; i < 4; ++i) blocks[i] = block(file, &bytes[i]);
  check(aio_write(&blocks[0]), "aio_write");
  count_until(1);
  check(aio_read(&blocks[0]), "aio_read"); /* once more */
  check(aio_fsync(O_SYNC, &blocks[1]), "aio_fsync");
  struct aiocb* const list[] = {&blocks[2], &blocks[3]};
  struct sigevent wish = event();
  check(lio_listio(LIO_NOWAIT, list, 2, &wish), "lio_listio");
  count_until(5);
}

static void use_queue(void) {
  char name[64];
  snprintf(name, sizeof name, "/gprofhub.%d", getpid());
  struct mq_attr sizes;
  memset(&sizes, 0, sizeof sizes);
  sizes.mq_maxmsg = 1;
  sizes.mq_msgsize = 1;
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &sizes);
  if (queue == (mqd_t)-1) return; /* not every system has them */
  mq_unlink(name);
  struct sigevent wish = event();
  check(mq_notify(queue, &wish), "mq_notify");
  check(mq_send(queue, "", 1, 0), "mq_send");
  count_until(1);
}

#ifndef STATIC /* a static program has no name service */
static void use_names(void) {
  static struct gaicb request;
  static const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
  request.ar_name = "127.0.0.1";
  request.ar_request = &numeric;
  struct gaicb* list[] = {&request};
  struct sigevent wish = event();
  if (getaddrinfo_a(GAI_NOWAIT, list, 1, &wish) != 0) _exit(1);
  count_until(1);
}
#endif

int main(int count, char** values) {
  if (count != 2) return 2;
  sem_init(&notified, 0, 0);
  const int file = open(values[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  check(file < 0, values[1]);
  use_timers();
  use_files(file);
  use_queue();
#ifndef STATIC
  use_names();
#endif
  check(ftruncate(file, 0), "ftruncate");
  char text[24];
  const int length = snprintf(text, sizeof text, "%ld", calls);
  check(pwrite(file, text, (size_t)length, 0) != length, "pwrite");
  return 0;
}
