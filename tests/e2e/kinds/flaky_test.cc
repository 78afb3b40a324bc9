// Fails twice, each time after 7 calls. Then it passes after 5.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "work.h"

int main() {
  const char* const folder = std::getenv("KINDS_STATE");
  if (!folder) return 2;
  const std::string path = std::string(folder) + "/attempts";
  std::FILE* const attempts = std::fopen(path.c_str(), "a");
  if (!attempts) return 2;
  std::fputc('x', attempts);
  const bool failed_twice = std::ftell(attempts) > 2;
  std::fclose(attempts);
  work_times(failed_twice ? 5 : 7);
  return failed_twice ? 0 : 1;
}
