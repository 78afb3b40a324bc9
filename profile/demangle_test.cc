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

TEST(Demangle, LongestAcceptedNestingDoesNotOverflowTheStack) {
  std::string name = "_Z1f";
  name.append(16000, 'P');
  name += 'i';
  EXPECT_FALSE(Demangle(name).empty());
}

TEST(Demangle, TemplatesAndSubstitutionsOfRealNames) {
  EXPECT_EQ(Demangle("_ZNSt6vectorISt4pairIiSsESaIS1_EE9push_backERKS1_"),
            "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > "
            ">::push_back(std::pair<int, std::string> const&)");
  EXPECT_EQ(Demangle("_Z4makeIJiicEEvDpOT_"), "void make<int, int, char>(int&&, int&&, char&&)");
}

// A<S, S> of A<S, S> of …: each level doubles the text.
TEST(Demangle, NameThatDoublesAtEachLevelIsLeftAlone) {
  std::string name = "_Z1f1AIiiE";
  for (const char c : std::string("0123456789ABCDEFGHIJKLMNOPQRST")) {
    name += std::string("S_IS") + c + "_S" + c + "_E";
  }
  EXPECT_EQ(Demangle(name), name);
}

// A<A<A<T, T>..., T>..., T>...: each level repeats the pattern for each argument.
TEST(Demangle, NestedPackExpansionIsLeftAlone) {
  std::string pattern = "T_";
  for (int level = 0; level < 6; ++level) pattern = "Dp1AI" + pattern + "T_E";
  const std::string name = "_Z1fIJ" + std::string(100, 'i') + "EEv" + pattern;
  EXPECT_EQ(Demangle(name), name);
}

// h(g(g(T_..., T_)..., T_)...): the same in an expression.
TEST(Demangle, NestedPackExpansionInAnExpressionIsLeftAlone) {
  std::string pattern = "T_";
  for (int level = 0; level < 6; ++level) pattern = "spcl1g" + pattern + "T_E";
  const std::string name = "_Z1fIJ" + std::string(100, 'i') + "EEvDTcl1h" + pattern + "EE";
  EXPECT_EQ(Demangle(name), name);
}

TEST(Demangle, AnExpansionOfAPatternThatIsNoParameter) {
  EXPECT_EQ(Demangle("_Z1fIJicEEvDp1AIT_E"), "void f<int, char>(A<int>, A<char>)");
}

}  // namespace
}  // namespace gprofhub
