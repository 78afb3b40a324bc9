/* Runs a program and prints its costs. The kernel counts peak memory from the fork on, so this
 * program must be small.
 *
 *     measured_run CPU_SECONDS ERRORS PROGRAM ARGUMENT...
 *
 * Prints the status as wait() has it, the peak of resident memory in KiB and the
 * processor time in milliseconds. Standard error goes to the file ERRORS, standard
 * output nowhere. The program gets SIGXCPU after CPU_SECONDS of processor time. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(char** argv) {
  struct rlimit limit;
  limit.rlim_cur = (rlim_t)atoi(argv[1]);
  limit.rlim_max = limit.rlim_cur + 5;
  int nothing = open("/dev/null", O_RDWR);
  int errors = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || errors < 0 || setrlimit(RLIMIT_CPU, &limit) != 0) _exit(127);
  if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(errors, 2) < 0) _exit(127);
  execv(argv[3], argv + 3);
  _exit(127);
}

static long milliseconds(struct timeval time) { return time.tv_sec * 1000 + time.tv_usec / 1000; }

int main(int argc, char** argv) {
  int status;
  struct rusage used;
  if (argc < 4) return 2;
  pid_t child = fork();
  if (child == 0) run(argv);
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 1;
  printf("%d %ld %ld\n", status, used.ru_maxrss,
         milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
  return 0;
}
