#include "reporter/function_identity.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

TEST(WithoutCloneSuffix, TakesAwayWhatCompilersAppend) {
  EXPECT_EQ(WithoutCloneSuffix("parse.part.0"), "parse");
  EXPECT_EQ(WithoutCloneSuffix("parse.constprop.12.isra.0"), "parse");
  EXPECT_EQ(WithoutCloneSuffix("parse.isra.0.cold"), "parse");
  EXPECT_EQ(WithoutCloneSuffix("_ZN1aE.llvm.123"), "_ZN1aE");
  EXPECT_EQ(WithoutCloneSuffix("parse"), "parse");
}

TEST(WithoutCloneSuffix, LeavesOtherDots) {
  EXPECT_EQ(WithoutCloneSuffix("table.3"), "table.3");
  EXPECT_EQ(WithoutCloneSuffix("a.partial"), "a.partial");
  EXPECT_EQ(WithoutCloneSuffix(".part.0"), ".part.0") << "nothing would be left";
  EXPECT_EQ(WithoutCloneSuffix(".cold"), ".cold");
}

TEST(WithoutSignature, LeavesTheQualifiedName) {
  EXPECT_EQ(WithoutSignature("ns::Parser::next(int) const"), "ns::Parser::next");
  EXPECT_EQ(WithoutSignature("std::vector<int, std::allocator<int> >::push_back(int&&)"),
            "std::vector::push_back");
  EXPECT_EQ(WithoutSignature("(anonymous namespace)::helper(char const*)"),
            "(anonymous namespace)::helper");
  EXPECT_EQ(WithoutSignature("plain_c_name"), "plain_c_name");
}

TEST(WithoutSignature, KnowsOperators) {
  EXPECT_EQ(WithoutSignature("a::operator<<(std::ostream&, a::T)"), "a::operator<<");
  EXPECT_EQ(WithoutSignature("a::F::operator()(int)"), "a::F::operator()");
  EXPECT_EQ(WithoutSignature("a::F::operator bool() const"), "a::F::operator bool");
}

TEST(ScopeOf, IsTheClassOrNamespace) {
  EXPECT_EQ(ScopeOf("ns::Parser::next(int) const"), "ns::Parser");
  EXPECT_EQ(ScopeOf("main"), "");
}

}  // namespace
}  // namespace gprofhub
