#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/stacks.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};

// C++ may not name it.
extern const char code_of_main[] __asm__("main");
}

namespace {

constexpr size_t kWords = 2048;

uint64_t AddressOf(const void* at) { return reinterpret_cast<uint64_t>(at); }

// Return addresses: no code is below them.
constexpr uint64_t kOuter = 0x10000, kInner = 0x20000, kPc = 0x30000;

class Stacks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", ::testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    int dropped = 0;
    thread_ = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
    ASSERT_NE(thread_, nullptr);
    void* const pages = mmap(nullptr, kWords * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    memory_ = static_cast<uint64_t*>(pages);
  }

  // Each test begins with an empty table.
  void SetUp() override {
    thread_->tables[GPROFHUB_STACKS - 1] = 0;
    first_ = gh_chunks;
    truncated_ = gh_header->losses[GPROFHUB_TRUNCATED_STACKS];
  }

  // A frame of the stack in memory_: saved frame pointer and return address.
  uint64_t Frame(size_t word, uint64_t saved, uint64_t returns_to) {
    memory_[word] = saved;
    memory_[word + 1] = returns_to;
    return AddressOf(&memory_[word]);
  }

  void Count(uint64_t pc, uint64_t frame, uint64_t weight = 1) {
    ucontext_t interrupted = {};
    interrupted.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
    interrupted.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(frame);
    interrupted.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(AddressOf(memory_));
    gh_stack_count(thread_, &interrupted, weight);
  }

  // The samples of each path with any: its frames, the outermost first, in 64 KiB.
  std::map<std::string, uint64_t> Paths() const {
    std::map<std::string, uint64_t> paths;
    for (gprofhub_chunk* chunk = gh_chunks; chunk != first_;
         chunk = reinterpret_cast<gprofhub_chunk*>(chunk->next)) {
      if (chunk->kind != GPROFHUB_STACKS) continue;
      const gprofhub_slot* const slots = gh_table_slots(chunk);
      for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
        if (slots[i].count == 0) continue;
        std::string path;
        for (const gprofhub_slot* slot = &slots[i];; slot = &slots[slot->context - 1]) {
          path = (slot->key == GPROFHUB_STACK_CUT ? "cut" : std::to_string(slot->key >> 16)) +
                 (path.empty() ? "" : " ") + path;
          if (slot->context == 0) break;
        }
        paths[path] += slots[i].count;
      }
    }
    return paths;
  }

  uint64_t Truncated() const { return gh_header->losses[GPROFHUB_TRUNCATED_STACKS] - truncated_; }

  using PathMap = std::map<std::string, uint64_t>;

  static gprofhub_thread* thread_;
  static uint64_t* memory_;  // a stack

 private:
  gprofhub_chunk* first_ = nullptr;
  uint64_t truncated_ = 0;
};
gprofhub_thread* Stacks::thread_ = nullptr;
uint64_t* Stacks::memory_ = nullptr;

TEST_F(Stacks, FollowFramePointersToTheirEnd) {
  const uint64_t outer = Frame(100, 0, kOuter);
  const uint64_t inner = Frame(10, outer, kInner);
  Count(kPc, inner, 2);
  Count(kPc, inner);
  Count(kPc, outer, 5);
  EXPECT_EQ(Paths(), (PathMap{{"1 2 3", 3}, {"1 3", 5}}));
  EXPECT_EQ(Truncated(), 0u);
}

TEST_F(Stacks, OfOneFrameHaveNoCaller) {
  Count(kPc, 0);
  EXPECT_EQ(Paths(), (PathMap{{"3", 1}}));
}

// In code without frame pointers the register may contain any value, even a small negative number.
TEST_F(Stacks, AreCutWhereTheRegisterHoldsNoFrame) {
  for (const uint64_t frame :
       {uint64_t{1}, AddressOf(memory_) - 8, AddressOf(memory_) + 1, UINT64_MAX, UINT64_MAX - 7,
        UINT64_MAX - 15, UINT64_MAX - 23, UINT64_MAX / 2 + 1}) {
    SetUp();
    Count(kPc, frame, 4);
    EXPECT_EQ(Paths(), (PathMap{{"cut 3", 4}})) << frame;
    EXPECT_EQ(Truncated(), 4u) << frame;
  }
}

TEST_F(Stacks, AreCutWhereAFrameLiesBelowTheOneBefore) {
  const uint64_t lower = Frame(4, 0, kOuter);
  const uint64_t inner = Frame(10, lower, kInner);
  Count(kPc, inner);
  EXPECT_EQ(Paths(), (PathMap{{"cut 2 3", 1}}));
  Frame(10, inner, kInner);  // itself
  SetUp();
  Count(kPc, inner);
  EXPECT_EQ(Paths(), (PathMap{{"cut 2 3", 1}}));
}

TEST_F(Stacks, AreCutWhereAFrameReturnsToNoCode) {
  const uint64_t outer = Frame(100, 0, 7);
  Count(kPc, Frame(10, outer, kInner));
  EXPECT_EQ(Paths(), (PathMap{{"cut 2 3", 1}}));
}

TEST_F(Stacks, AreCutWhereTheyAreVeryDeep) {
  for (size_t i = 0; i < 500; ++i) {
    Frame(2 * i + 10, AddressOf(&memory_[2 * i + 12]), kInner);
  }
  Count(kPc, AddressOf(&memory_[10]));
  const PathMap paths = Paths();
  ASSERT_EQ(paths.size(), 1u);
  std::string expected = "cut";
  for (int i = 0; i < 255; ++i) expected += " 2";
  EXPECT_EQ(paths.begin()->first, expected + " 3");
}

TEST_F(Stacks, OfManyPathsAreAllKept) {
  const uint64_t outer = Frame(100, 0, kOuter);
  const uint64_t inner = Frame(10, outer, kInner);
  constexpr uint64_t kPaths = 2500;
  for (uint64_t i = 0; i < kPaths; ++i) Count((i + 3) << 16, inner, 1 + i % 3);
  const PathMap paths = Paths();
  EXPECT_EQ(paths.size(), kPaths);
  for (uint64_t i = 0; i < kPaths; ++i) {
    const auto path = paths.find("1 2 " + std::to_string(i + 3));
    ASSERT_NE(path, paths.end()) << i;
    EXPECT_EQ(path->second, 1 + i % 3) << i;
  }
}

// Must be the last test: it sets main's return address for all later ones.
TEST_F(Stacks, EndAtTheCallOfMain) {
  gh_stack_note_call(AddressOf(code_of_main) + 4, kOuter);
  const uint64_t beyond = Frame(100, 12345, kOuter);
  Count(kPc, Frame(10, beyond, kInner));
  EXPECT_EQ(Paths(), (PathMap{{"1 2 3", 1}}));
  EXPECT_EQ(Truncated(), 0u);
  gh_stack_note_call(AddressOf(code_of_main) - 4, kInner);  // of another function
  SetUp();
  Count(kPc, Frame(10, beyond, kInner));
  EXPECT_EQ(Paths(), (PathMap{{"1 2 3", 1}}));
}

}  // namespace
