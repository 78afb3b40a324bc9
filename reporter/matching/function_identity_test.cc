#include "reporter/matching/function_identity.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

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
}  // namespace gprofhub::reporter
