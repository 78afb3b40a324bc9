// plain_test TIMES [fail]
#include <cstdlib>

#include "work.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  work_times(std::atoi(argv[1]));
  return argc - 2;
}
