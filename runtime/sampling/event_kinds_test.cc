#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profile/names.h"

extern "C" {
#include "runtime/sampling/event_kinds.h"

// The signal's return, which is not linked here.
void gh_signal_return() {}
}

namespace {

struct Named {
  std::vector<std::string> names;
  std::string unknown;
};

Named KindsNamed(const char* list) {
  const gh_event_kind* kinds[GH_MOST_EVENTS];
  char unknown[64];
  const uint32_t count = gh_event_kinds_named(list, kinds, unknown, sizeof unknown);
  Named named{{}, unknown};
  for (uint32_t i = 0; i < count; ++i) named.names.push_back(kinds[i]->name);
  return named;
}

using Names = std::vector<std::string>;

TEST(EventKinds, AreThoseOfTheListInItsOrder) {
  EXPECT_EQ(KindsNamed("").names, Names());
  EXPECT_EQ(KindsNamed("page-faults").names, Names{"page-faults"});
  EXPECT_EQ(KindsNamed("instructions,branch-misses,task-clock").names,
            (Names{"instructions", "branch-misses", "task-clock"}));
  EXPECT_EQ(KindsNamed("cycles,page-faults").unknown, "");
}

TEST(EventKinds, AreTakenOnce) { EXPECT_EQ(KindsNamed(",cycles,,cycles,").names, Names{"cycles"}); }

TEST(EventKinds, SayWhichNameIsUnknown) {
  const Named named = KindsNamed("cycles,nonsense,cache-misses,more");
  EXPECT_EQ(named.names, (Names{"cycles", "cache-misses"}));
  EXPECT_EQ(named.unknown, "nonsense");
  EXPECT_EQ(KindsNamed(std::string(500, 'x').c_str()).names, Names());
}

TEST(EventKinds, AreNoMoreThanThereIsRoomFor) {
  const Named named = KindsNamed(
      "page-faults,minor-faults,major-faults,task-clock,cpu-clock,instructions,cycles,branches,"
      "branch-misses,cache-misses");
  EXPECT_EQ(named.names.size(), GH_MOST_EVENTS);
  EXPECT_EQ(named.unknown, "branch-misses");
}

// They differ in every execution, so none is compared as a count.
TEST(EventKinds, AreMeasuredQuantities) {
  for (const char* name : {"gprofhub_event_page_faults", "gprofhub_event_instructions",
                           "gprofhub_event_cache_misses", "gprofhub_event_cpu_clock_nanoseconds"}) {
    EXPECT_TRUE(gprofhub::profile::IsMeasuredQuantity(name)) << name;
  }
  EXPECT_FALSE(gprofhub::profile::IsMeasuredQuantity("gprofhub_peak_bytes"));
}

}  // namespace
