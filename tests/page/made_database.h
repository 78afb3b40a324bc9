// A database's test as a program that is made up.
#pragma once

#include <cstdint>
#include <string>

#include "tests/page/made_program.h"

namespace gprofhub::tests {

// Work of the database in one execution: calls of some functions, and whether it has a cache.
struct Work {
  uint64_t appends = 155'620;
  uint64_t grows = 155'620;
  uint64_t sizes = 82'635;
  bool has_cache = false;
};

// Programs of one build name and other work are other builds.
MadeProgram Database(const std::string& build, const Work& work);

}  // namespace gprofhub::tests
