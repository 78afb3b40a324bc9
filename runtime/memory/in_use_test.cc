// What each site holds at the peak, against a copy made at every new maximum.
extern "C" {
#include "runtime/memory/in_use.h"
#include "runtime/recording/recording.h"
}

#include <gtest/gtest.h>

TEST(InUse, X) {}
