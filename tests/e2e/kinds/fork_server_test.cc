// A server that forks three workers, of which each forks two children. A child works 4 times and
// ends in one of three ways; a worker works once, the server twice: 6 * 4 + 3 + 2 = 29 calls.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "work.h"

namespace {

void end(int way) {
  if (way == 0) std::exit(0);
  if (way == 1) _exit(0);
  kill(getpid(), SIGKILL);
}

void wait_for_all() {
  while (wait(nullptr) > 0) {
  }
}

void serve(int worker) {
  for (int child = 0; child < 2; ++child) {
    if (fork() != 0) continue;
    work_times(4);
    end((worker + child) % 3);
  }
  wait_for_all();
  work();
  end(worker);
}

}  // namespace

int main() {
  for (int worker = 0; worker < 3; ++worker) {
    if (fork() == 0) serve(worker);
  }
  wait_for_all();
  work_times(2);
}
