// Ends in a directory that is gone. 14 calls.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "work.h"

int main() {
  const char* const temporary = std::getenv("TEST_TMPDIR");
  if (!temporary) return 1;
  std::string folder = std::string(temporary) + "/gone-XXXXXX";
  work_times(6);
  if (!mkdtemp(&folder[0]) || chdir(folder.c_str()) != 0 || rmdir(folder.c_str()) != 0) return 1;
  work_times(8);
}
