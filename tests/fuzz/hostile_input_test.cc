// Files that are truncated or changed in one place. Reading them returns a result, or an error that
// names the file and the place. It takes at most twice the file and a megabyte of memory.
//
// Unlike the search of the fuzz targets, this test is complete: it tries every prefix of the seed
// files, and every value of every byte of their headers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/reader.h"
#include "profile/recording/reader.h"

namespace {

// Bytes from operator new that are in use, and the most there were.
size_t in_use = 0;
size_t peak = 0;

constexpr size_t kPrefix = 16;  // holds the size, and keeps the rest aligned

void* Allocate(size_t size) {
  void* block = std::malloc(size + kPrefix);
  if (block == nullptr) throw std::bad_alloc();
  *static_cast<size_t*>(block) = size;
  in_use += size;
  if (in_use > peak) peak = in_use;
  return static_cast<char*>(block) + kPrefix;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  void* block = static_cast<char*>(memory) - kPrefix;
  in_use -= *static_cast<size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
// The library's own version calls the first of these. A sanitizer's does not.
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }

namespace gprofhub::tests {
namespace {

std::string Seed(const std::string& name) {
  std::ifstream file("tests/fuzz/corpus/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

enum class Kind { kGmon, kBsd, kRecording, kElf };

absl::Status Read(Kind kind, const std::string& bytes) {
  switch (kind) {
    case Kind::kGmon:
      return profile::ReadGmon(bytes, "dir/seed").status();
    case Kind::kBsd:
      return profile::ReadGmon(bytes, "dir/seed",
                               {.format = profile::GmonReadOptions::Format::kBsd,
                                .address_size = 8,
                                .big_endian = {}})
          .status();
    case Kind::kRecording:
      return profile::ReadRecording(bytes, "dir/seed").status();
    case Kind::kElf:
      return profile::ReadElfSymbolsFromBytes(bytes, "dir/seed").status();
  }
  return absl::OkStatus();
}

// Returns whether the bytes were read.
bool Check(Kind kind, const std::string& bytes, const std::string& what) {
  const size_t before = in_use;
  peak = in_use;
  const absl::Status status = Read(kind, bytes);
  if (status.ok()) return true;
  EXPECT_LE(peak - before, 2 * bytes.size() + (1 << 20)) << what << ": " << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "dir/seed")) << what << ": " << status;
  // An offset, the kind of the file, or the section.
  EXPECT_TRUE(absl::StrContains(status.message(), "byte") ||
              absl::StrContains(status.message(), "file") ||
              absl::StrContains(status.message(), "section") ||
              absl::StrContains(status.message(), "symbols") ||
              absl::StrContains(status.message(), "recordings of all processes") ||
              absl::StrContains(status.message(), "build it again"))
      << what << ": " << status;
  return false;
}

struct SeedFile {
  Kind kind;
  const char* name;
  size_t header;       // bytes that are changed
  size_t prefix_step;  // 1: every prefix
};

class HostileInput : public ::testing::TestWithParam<SeedFile> {};

TEST_P(HostileInput, EveryPrefixGivesAResultOrAnError) {
  const std::string seed = Seed(GetParam().name);
  EXPECT_TRUE(Check(GetParam().kind, seed, "whole"));
  int errors = 0;
  for (size_t size = 0; size < seed.size(); size += GetParam().prefix_step) {
    errors += !Check(GetParam().kind, seed.substr(0, size), "prefix " + std::to_string(size));
  }
  EXPECT_GT(errors, 0);
}

TEST_P(HostileInput, EveryChangedByteOfTheHeaderGivesAResultOrAnError) {
  const std::string seed = Seed(GetParam().name);
  int errors = 0;
  for (size_t at = 0; at < std::min(GetParam().header, seed.size()); ++at) {
    std::string changed = seed;
    for (int value = 0; value < 256; ++value) {
      changed[at] = static_cast<char>(value);
      errors += !Check(GetParam().kind, changed,
                       "byte " + std::to_string(at) + " = " + std::to_string(value));
    }
  }
  EXPECT_GT(errors, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, HostileInput,
    ::testing::Values(SeedFile{Kind::kGmon, "gmon_reader/64-little", 70, 1},
                      SeedFile{Kind::kGmon, "gmon_reader/32-big", 60, 1},
                      SeedFile{Kind::kBsd, "gmon_reader/bsd44", 44, 1},
                      SeedFile{Kind::kRecording, "recording_reader/orderly_with_stacks", 64, 1},
                      SeedFile{Kind::kElf, "elf_symbols/x86_64-dwarf5", 64, 1},
                      SeedFile{Kind::kElf, "elf_symbols/powerpc-dwarf4", 52, 1},
                      SeedFile{Kind::kElf, "elf_symbols/powerpc64-elfv1", 64, 1}));

}  // namespace
}  // namespace gprofhub::tests
