#include "profile/demangle.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

TEST(Demangle, CppName) {
  EXPECT_EQ(Demangle("_ZN8gprofhub8DemangleEi"), "gprofhub::Demangle(int)");
}

TEST(Demangle, CloneIsNamed) {
  EXPECT_EQ(Demangle("_Z3addii.constprop.0"), "add(int, int) [clone .constprop.0]");
}

TEST(Demangle, OtherNamesAreLeftAlone) {
  for (const char* name : {"", "main", "_Z", "_Zgarbage!", "i", "sqlite3_exec"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, DeeplyNestedNameIsLeftAlone) {
  std::string name = "_Z1f";
  name.append(20000, 'P');
  name += 'i';
  EXPECT_EQ(Demangle(name), name);
}

// Every substitution doubles what is printed: a short name, a very long text.
TEST(Demangle, LongestAcceptedNestingDoesNotOverflowTheStack) {
  std::string name = "_Z1f";
  name.append(16000, 'P');
  name += 'i';
  EXPECT_FALSE(Demangle(name).empty());
}

}  // namespace
}  // namespace gprofhub
