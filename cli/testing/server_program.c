/* A server with threads: each takes requests from a socket of loopback, does as many steps as
 * asked, and answers when they are done. For command_test.cc.
 *
 *     server_program THREADS
 *
 * It prints its port. A request is a line:
 *     steps N       N calls of served_step
 *     request N     one call of served_request, which makes them
 *     off, on       moncontrol
 *     reset         gprofhub_reset
 *     dump LABEL    gprofhub_dump
 *     fork N        a child does N steps and leaves by _exit; its process id is the answer
 *     end           the process exits */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/gprofhub.h"

#define PLAIN __attribute__((no_instrument_function))

__attribute__((noinline)) long served_step(long n) {
  __asm__ volatile("");
  return n + 1;
}

static PLAIN void steps(long count) {
  for (long i = 0; i < count; ++i) served_step(i);
}

/* A function that the first steps have not called. */
__attribute__((noinline)) void served_request(long count) {
  __asm__ volatile("");
  steps(count);
}

static PLAIN void answer(FILE* peer, const char* line) {
  long number = 0;
  char label[64] = "";
  if (sscanf(line, "steps %ld", &number) == 1) {
    steps(number);
  } else if (sscanf(line, "request %ld", &number) == 1) {
    served_request(number);
  } else if (sscanf(line, "dump %63s", label) == 1) {
    number = gprofhub_dump(label);
  } else if (sscanf(line, "fork %ld", &number) == 1) {
    const long count = number;
    number = fork();
    if (number == 0) {
      steps(count);
      _exit(0);
    }
    waitpid((pid_t)number, 0, 0);
  } else if (strcmp(line, "off\n") == 0 || strcmp(line, "on\n") == 0) {
    moncontrol(line[1] == 'n');
  } else if (strcmp(line, "reset\n") == 0) {
    gprofhub_reset();
  } else if (strcmp(line, "end\n") == 0) {
    exit(0);
  }
  fprintf(peer, "done %ld\n", number);
  fflush(peer);
}

static int listening;

static PLAIN void* serve(void* unused) {
  (void)unused;
  for (;;) {
    const int connection = accept(listening, 0, 0);
    if (connection < 0) continue;
    FILE* const peer = fdopen(connection, "r+");
    char line[128];
    while (fgets(line, sizeof line, peer)) {
      fseek(peer, 0, SEEK_CUR); /* between reading and writing */
      answer(peer, line);
      fseek(peer, 0, SEEK_CUR);
    }
    fclose(peer);
  }
  return 0;
}

PLAIN int main(int count, char** values) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  listening = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listening, (struct sockaddr*)&address, length) || listen(listening, 64) ||
      getsockname(listening, (struct sockaddr*)&address, &length)) {
    perror("socket");
    return 1;
  }
  for (int i = count > 1 ? atoi(values[1]) : 1; i > 0; --i) {
    pthread_t thread;
    if (pthread_create(&thread, 0, serve, 0)) return 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) pause();
}
