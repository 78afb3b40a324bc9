#include "profile/names/qualified_name.h"

#include <gtest/gtest.h>

namespace gprofhub::profile {
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

TEST(LocalName, IsWhatIsLeftOfTheQualifiedName) {
  EXPECT_EQ(LocalName("_ZN4utilL4stepEi"), "step");
  EXPECT_EQ(LocalName("_ZN2ns3FooImEET_S1_"), "Foo");
  EXPECT_EQ(LocalName("plain_c_name"), "plain_c_name");
}

TEST(ScopeOf, IsTheClassOrNamespace) {
  EXPECT_EQ(ScopeOf("_ZNK2ns6Parser4nextEi"), "ns::Parser");
  EXPECT_EQ(ScopeOf("main"), "");
}

}  // namespace
}  // namespace gprofhub::profile
