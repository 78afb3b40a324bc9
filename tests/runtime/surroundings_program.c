/* What real programs do to a runtime within them: they give up rights, close descriptors, block
 * signals. surroundings_test.cc asks for one of them by name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/samples.h"

#define PLAIN __attribute__((no_instrument_function))

enum { CALLS = 100000, FAILED = 2, NOT_PERMITTED = 77 };

__attribute__((noinline)) int serve(int n) {
  __asm__ volatile("");
  return n + 1;
}

static PLAIN void* serve_many(void* unused) {
  for (int i = 0; i < CALLS; ++i) serve(i);
  return unused;
}

static PLAIN int serve_in_threads(int count) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  for (int i = 0; i < count; ++i) {
    if (i == MOST || pthread_create(&threads[i], 0, serve_many, 0)) return FAILED;
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  return 0;
}

static PLAIN int nothing(void) { return 0; }

static PLAIN const char* folder(void) { return getenv("GPROFHUB_PROFILE_DIR"); }

static PLAIN int move_folder(void) {
  char moved[4096];
  snprintf(moved, sizeof moved, "%s-moved", folder());
  return rename(folder(), moved) ? FAILED : 0;
}

static PLAIN int remove_folder(void) {
  char command[5000];
  snprintf(command, sizeof command, "rm -r '%s'", folder());
  return system(command) ? FAILED : 0;
}

static PLAIN int give_up_rights(void) { return setgid(65534) || setuid(65534) ? NOT_PERMITTED : 0; }

static PLAIN int change_root(void) {
  return mkdir("root", 0755) ? FAILED : chroot("root") || chdir("/") ? NOT_PERMITTED : 0;
}

static PLAIN int close_all(void) {
  for (int fd = 3; fd < 4096; ++fd) close(fd);
  return 0;
}

static PLAIN int close_range_of_all(void) {
  return syscall(SYS_close_range, 3, ~0u, 0) ? FAILED : 0;
}

static PLAIN int close_from(void) {
  closefrom(3);
  return 0;
}

/* As a daemon does, in both orders. */
static PLAIN int close_then_rights(void) { return close_all() || give_up_rights(); }
static PLAIN int close_from_then_root(void) { return close_from() || change_root(); }
static PLAIN int rights_then_close(void) { return give_up_rights() || close_all(); }
static PLAIN int root_then_close_range(void) {
  const int failed = change_root();
  return failed ? failed : close_range(3, ~0u, 0);
}
static PLAIN int bare_close_then_rights(void) { return close_range_of_all() || give_up_rights(); }

/* In a child that has not counted yet. */
static PLAIN int fork_then_rights(void) {
  const pid_t child = fork();
  if (child == 0) return close_then_rights();
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : FAILED);
}

/* The runtime has something to say then, and descriptor 2 is the program's file. */
static PLAIN int own_file_for_stderr(void) {
  char own[4096];
  snprintf(own, sizeof own, "%s-moved", folder());
  close(2);
  return open(own, O_RDWR | O_CREAT, 0600) == 2 ? remove_folder() : FAILED;
}

static PLAIN int exec_with_unread_stderr(char* self) {
  int ends[2];
  if (pipe(ends) || dup2(ends[1], 2) != 2 || close(ends[0]) || close(ends[1])) return FAILED;
  execv(self, (char* const[]){self, "removed", 0});
  return FAILED;
}

static PLAIN int count_descriptors(void) {
  DIR* const open = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(open)) ++count;
  closedir(open);
  return count;
}

static PLAIN void* count_in_a_thread(void* count) {
  serve(1);
  *(int*)count = count_descriptors();
  return 0;
}

static PLAIN int compare_descriptors(void) {
  int before = count_descriptors();
  int during = 0;
  pthread_t thread;
  if (pthread_create(&thread, 0, count_in_a_thread, &during) || pthread_join(thread, 0)) {
    return FAILED;
  }
  printf("%d more in a thread, %d more after it\n", during - before, count_descriptors() - before);
  return 0;
}

/* Until the runtime has counted many more samples than a ring holds. */
static PLAIN void use_time(void) {
  struct timespec now;
  do {
    for (volatile int i = 0; i < 100000; ++i) continue;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec < 1);
}

__attribute__((noinline)) void sampled(int times) {
  for (int i = 0; i < times; ++i) take_sample();
}

static PLAIN void* be_sampled(void* blocked) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, 0, &set);
  *(int*)blocked = sigismember(&set, SIGPROF);
  sampled(3);
  return 0;
}

static PLAIN int next_signal(const sigset_t* set) {
  const struct timespec none = {0, 0};
  return sigtimedwait(set, 0, &none);
}

/* As a server does: all signals are blocked in all threads, and waited for in one. */
static PLAIN int block_all(void) {
  sigset_t all, before;
  sigfillset(&all);
  int blocked = 0;
  pthread_t thread;
  if (sigprocmask(SIG_BLOCK, &all, &before)) return FAILED;
  const int was = sigismember(&before, SIGPROF);
  sampled(5);
  if (pthread_create(&thread, 0, be_sampled, &blocked) || pthread_join(thread, 0)) return FAILED;
  printf("blocked before %d, in a thread %d\n", was, blocked);
  const int fd = signalfd(-1, &all, SFD_NONBLOCK);
  struct signalfd_siginfo info;
  const long got = read(fd, &info, sizeof info);
  printf("signalfd: %s\n", got < 0 && errno == EAGAIN ? "none" : "some");
  kill(getpid(), SIGTERM);
  int signal = 0;
  sigwait(&all, &signal);
  printf("sigwait: %d; then %d\n", signal, next_signal(&all));
  kill(getpid(), SIGPROF);
  printf("another's: %d;", next_signal(&all));
  printf(" then %d\n", next_signal(&all));
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &before, &now);
  const int still = sigismember(&now, SIGPROF);
  pthread_sigmask(SIG_BLOCK, 0, &now);
  printf("blocked until then %d, now %d\n", still, sigismember(&now, SIGPROF));
  return 0;
}

static PLAIN int blocks_sigprof(int of_handler) {
  struct sigaction action;
  sigaction(of_handler, 0, &action);
  return sigismember(&action.sa_mask, SIGPROF);
}

static PLAIN void be_sampled_in_handler(int signal) {
  (void)signal;
  sampled(4);
}

static PLAIN void ignore(int signal) { (void)signal; }

/* All signals are blocked while the handler runs. */
static PLAIN int block_in_handler(void) {
  struct sigaction action = {.sa_handler = be_sampled_in_handler};
  sigfillset(&action.sa_mask);
  if (sigaction(SIGUSR1, &action, 0)) return FAILED;
  raise(SIGUSR1);
  printf("blocked %d, another %d;", blocks_sigprof(SIGUSR1), blocks_sigprof(SIGUSR2));
  action.sa_handler = ignore;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR2, &action, 0);
  if (sigaction(SIGPROF, &action, 0)) return FAILED;
  printf(" with a handler of its own %d\n", blocks_sigprof(SIGUSR1));
  return 0;
}

/* It blocks all signals, in a way that nothing can see, and uses time. */
static PLAIN void* overflow(void* unused) {
  const uint64_t every = ~(uint64_t)0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, 0, sizeof every);
  use_time();
  pthread_exit(unused);
}

static PLAIN int end_with_full_ring(void) {
  pthread_t thread;
  return pthread_create(&thread, 0, overflow, 0) || pthread_join(thread, 0) ? FAILED : 0;
}

static PLAIN int exec_with_all_blocked(char* self) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  char* const values[] = {self, "blocked", 0};
  /* The kernel's mask is the one that another program would leave. */
  const uint64_t every = ~(uint64_t)0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, 0, sizeof every);
  execv(self, values);
  return FAILED;
}

/* The smallest stack that the kernel takes; what handlers write beyond it is an error. */
static PLAIN int use_small_stack(void) {
  enum { SMALLEST = 2048, PAGE = 4096 };
  char* const pages = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE)) return FAILED;
  const stack_t stack = {.ss_sp = pages + PAGE, .ss_size = SMALLEST};
  if (sigaltstack(&stack, 0)) return FAILED;
  sampled(4);
  for (int i = 0; i < SMALLEST; ++i) {
    if (pages[PAGE + i]) return FAILED;
  }
  return 0;
}

static PLAIN void kill_itself(void) { kill(getpid(), SIGKILL); }
static PLAIN void leave(void) { _exit(0); }
static PLAIN void leave_quickly(void) { quick_exit(0); }
static PLAIN void end(void) { exit(0); }

/* CHANGE [END [THREADS]]: a call, the change, calls in threads, and the end. */
static PLAIN int change_and_serve(int count, char** values) {
  static const struct {
    const char* name;
    int (*change)(void);
  } kChanges[] = {{"none", nothing},
                  {"moved", move_folder},
                  {"removed", remove_folder},
                  {"rights", give_up_rights},
                  {"root", change_root},
                  {"closed", close_all},
                  {"close_range", close_range_of_all},
                  {"closefrom", close_from},
                  {"closed,rights", close_then_rights},
                  {"closefrom,root", close_from_then_root},
                  {"rights,closed", rights_then_close},
                  {"root,close_range", root_then_close_range},
                  {"bare_close,rights", bare_close_then_rights},
                  {"fork,rights", fork_then_rights},
                  {"own_stderr", own_file_for_stderr}};
  static const struct {
    const char* name;
    void (*end)(void);
  } kEnds[] = {{"exit", end},
               {"_exit", leave},
               {"quick_exit", leave_quickly},
               {"abort", abort},
               {"kill", kill_itself}};
  serve(1);
  for (unsigned i = 0; i < sizeof kChanges / sizeof *kChanges; ++i) {
    if (strcmp(values[1], kChanges[i].name)) continue;
    const int failed = kChanges[i].change();
    if (failed) return failed;
    if (serve_in_threads(count > 3 ? atoi(values[3]) : 1)) return FAILED;
    if (count < 3 && strchr(values[1], ',') == 0 && strncmp(values[1], "close", 5) == 0) {
      use_time();
    }
  }
  for (unsigned i = 0; count > 2 && i < sizeof kEnds / sizeof *kEnds; ++i) {
    if (strcmp(values[2], kEnds[i].name) == 0) kEnds[i].end();
  }
  return 0;
}

int PLAIN main(int count, char** values) {
  if (count < 2) return FAILED;
  const char* wish = values[1];
  if (strcmp(wish, "descriptors") == 0) return compare_descriptors();
  if (strcmp(wish, "blocked") == 0) return block_all();
  if (strcmp(wish, "exec_blocked") == 0) return exec_with_all_blocked(values[0]);
  if (strcmp(wish, "unread_stderr") == 0) return exec_with_unread_stderr(values[0]);
  if (strcmp(wish, "handler") == 0) return block_in_handler();
  if (strcmp(wish, "overflow") == 0) return end_with_full_ring();
  if (strcmp(wish, "small_stack") == 0) return use_small_stack();
  return change_and_serve(count, values);
}
