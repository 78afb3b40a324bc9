#include "reporter/matching/function_identity.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(QualifiedName, HasNoParametersAndTemplateArguments) {
  EXPECT_EQ(QualifiedName("_ZNK2ns6Parser4nextEi"), "ns::Parser::next");
  EXPECT_EQ(QualifiedName("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector::push_back");
  EXPECT_EQ(QualifiedName("_ZN12_GLOBAL__N_16helperEPKc"), "(anonymous namespace)::helper");
  EXPECT_EQ(QualifiedName("plain_c_name"), "plain_c_name");
}

TEST(QualifiedName, HasNoReturnType) {
  EXPECT_EQ(QualifiedName("_Z3FooImET_S0_"), "Foo") << "unsigned long Foo<unsigned long>(…)";
  EXPECT_EQ(QualifiedName("_ZN2ns3FooImEET_S1_"), "ns::Foo");
  EXPECT_EQ(QualifiedName("_ZN2ns1AIiE3FooImEET_S3_"), "ns::A::Foo");
}

TEST(QualifiedName, KnowsOperators) {
  EXPECT_EQ(QualifiedName("_ZN1alsERSoNS_1TE"), "a::operator<<");
  EXPECT_EQ(QualifiedName("_ZN1a1FclEi"), "a::F::operator()");
  EXPECT_EQ(QualifiedName("_ZNK1a1FcvbEv"), "a::F::operator bool");
}

TEST(ScopeOf, IsTheClassOrNamespace) {
  EXPECT_EQ(ScopeOf("_ZNK2ns6Parser4nextEi"), "ns::Parser");
  EXPECT_EQ(ScopeOf("main"), "");
}

}  // namespace
}  // namespace gprofhub::reporter
