// Makes programs and profiles of any size for run.sh.
//
//   make_inputs program FUNCTIONS lines|no-lines > program.s
//   make_inputs profiles LOW FUNCTIONS BYTES ARCS COUNT PREFIX
//
// `program` prints assembly: FUNCTIONS functions of 64 bytes each, in files of 500 functions.
// Every fourth function is local. With `lines` every function has four lines.
//
// `profiles` writes COUNT files PREFIX.0, PREFIX.1, … of a program whose first function begins at
// LOW and whose functions have BYTES bytes each. All files have the same ARCS arcs, each file with
// counts of its own. An arc leads to a function of higher address; a few lead back and close small
// cycles. A fifth of the functions have samples.
//
// The result depends on the arguments alone.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "profile/gmon/writer.h"

namespace gprofhub::benchmarks {
namespace {

constexpr uint64_t kFunctionsPerFile = 500;
constexpr uint64_t kBytesPerBin = 16;

// splitmix64.
class Random {
 public:
  uint64_t Below(uint64_t limit) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  uint64_t state_ = 1;
};

void PrintProgram(uint64_t functions, bool with_lines) {
  std::printf("\t.text\n\t.globl _start\n_start:\n\tret\n\t.p2align 6\n");
  for (uint64_t i = 0; i < functions; ++i) {
    const uint64_t file = i / kFunctionsPerFile + 1;
    const uint64_t line = i % kFunctionsPerFile * 10 + 1;
    char name[64];
    std::snprintf(name, sizeof name, "module%llu_function%llu",
                  static_cast<unsigned long long>(file), static_cast<unsigned long long>(i));
    if (with_lines && i % kFunctionsPerFile == 0) {
      std::printf("\t.file %llu \"module%llu.c\"\n", static_cast<unsigned long long>(file),
                  static_cast<unsigned long long>(file));
    }
    if (i % 4 != 0) std::printf("\t.globl %s\n", name);
    std::printf("\t.type %s,@function\n%s:\n", name, name);
    for (int part = 0; part < 4; ++part) {
      if (with_lines) {
        const unsigned long long at = line + part;
        std::printf("\t.loc %llu %llu\n", static_cast<unsigned long long>(file), at);
      }
      std::printf("\t.skip 16,0x90\n");
    }
    std::printf("\t.size %s,64\n", name);
  }
}

profile::RawProfile MakeProfile(uint64_t low, uint64_t functions, uint64_t bytes, uint64_t arcs,
                                uint64_t number) {
  Random random;
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = low;
  histogram.high_pc = low + functions * bytes / kBytesPerBin * kBytesPerBin;
  histogram.rate = 100;
  histogram.bins.resize((histogram.high_pc - low) / kBytesPerBin);
  for (uint64_t i = 0; i < functions / 5; ++i) {
    histogram.bins[random.Below(histogram.bins.size())] += 1 + random.Below(20) + number % 3;
  }
  profile.histograms.push_back(std::move(histogram));
  for (uint64_t i = 0; i < arcs; ++i) {
    const uint64_t caller = i * functions / arcs;
    // One in fifty calls back into the ten functions before it.
    const uint64_t reach = random.Below(50) == 0 ? 0 : random.Below(functions - caller);
    const uint64_t callee =
        reach == 0 ? caller - std::min(caller, random.Below(10)) : caller + reach;
    // Ascending, as in the files that programs write.
    const uint64_t site = low + i * functions * bytes / arcs + 1;
    profile.arcs.push_back({site, low + callee * bytes, 1 + random.Below(1000) + number});
  }
  return profile;
}

int WriteProfiles(char** arguments) {
  const uint64_t low = std::strtoull(arguments[0], nullptr, 0);
  const uint64_t functions = std::strtoull(arguments[1], nullptr, 0);
  const uint64_t bytes = std::strtoull(arguments[2], nullptr, 0);
  const uint64_t arcs = std::strtoull(arguments[3], nullptr, 0);
  const uint64_t count = std::strtoull(arguments[4], nullptr, 0);
  for (uint64_t number = 0; number < count; ++number) {
    const auto content = profile::WriteGmon(MakeProfile(low, functions, bytes, arcs, number));
    std::ofstream file(std::string(arguments[5]) + "." + std::to_string(number), std::ios::binary);
    if (!content.ok() || !(file << *content)) {
      std::fprintf(stderr, "make_inputs: %s.%llu cannot be written\n", arguments[5],
                   static_cast<unsigned long long>(number));
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace gprofhub::benchmarks

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "program") {
    gprofhub::benchmarks::PrintProgram(std::strtoull(argv[2], nullptr, 0),
                                       std::string(argv[3]) == "lines");
    return 0;
  }
  if (argc == 8 && std::string(argv[1]) == "profiles")
    return gprofhub::benchmarks::WriteProfiles(argv + 2);
  std::fprintf(stderr, "usage: see the top of make_inputs.cc\n");
  return 2;
}
