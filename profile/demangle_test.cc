#include "profile/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::profile {

namespace {

TEST(Demangle, CppName) {
  EXPECT_EQ(Demangle("_ZN8gprofhub8DemangleEi"), "gprofhub::Demangle(int)");
}

TEST(Demangle, CloneIsNamed) {
  EXPECT_EQ(Demangle("_Z3addii.constprop.0"), "add(int, int) [clone .constprop.0]");
}

TEST(Demangle, WithoutParametersNamesAreAsPerfPrintsThem) {
  EXPECT_EQ(DemangleWithoutParameters("_ZN8gprofhub8DemangleEi"), "gprofhub::Demangle");
  EXPECT_EQ(DemangleWithoutParameters("_Z4makeIJiicEEvDpOT_"), "make<int, int, char>");
  EXPECT_EQ(DemangleWithoutParameters("_ZNK4shop4CartltERKS0_"), "shop::Cart::operator<");
  EXPECT_EQ(DemangleWithoutParameters("_Z3addii.constprop.0"), "add");
  EXPECT_EQ(DemangleWithoutParameters("_ZN3foo3bar17h0123456789abcdefE"), "foo::bar");
  EXPECT_EQ(DemangleWithoutParameters("main"), "main");
}

TEST(Demangle, OtherNamesAreLeftAlone) {
  for (const char* name : {"", "main", "_Z", "_Zgarbage!", "i", "sqlite3_exec"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, WhatStandsBeforeAndAfterTheNameStays) {
  EXPECT_EQ(Demangle("$._Z3addii@@V_1.2"), "$.add(int, int)@@V_1.2");
  EXPECT_EQ(Demangle("memcpy@plt"), "memcpy@plt");
  EXPECT_EQ(Demangle("@_Z3addii"), "@_Z3addii");
}

TEST(Demangle, RustNamesAreKnownWithoutBeingAskedFor) {
  EXPECT_EQ(Demangle("_ZN3foo3bar17h0123456789abcdefE"), "foo::bar");
  EXPECT_EQ(Demangle("_RINvCs9kGabcd_3foo3barNtB2_5GraphE"), "foo::bar::<foo::Graph>");
  EXPECT_EQ(Demangle("_RNvC7mycrateu8gdel_5qa"),
            "mycrate::g\xC3\xB6"
            "del");
  EXPECT_EQ(Demangle("_ZN3foo3bar17h0123456789abcdefE", DemanglingStyle::kGnuV3),
            "foo::bar::h0123456789abcdef");
}

TEST(Demangle, OtherLanguagesAsTheirStylesHaveThem) {
  EXPECT_EQ(Demangle("_ZN4java4lang6String4testEP6JArrayIiE", DemanglingStyle::kJava),
            "java.lang.String.test(int[])");
  EXPECT_EQ(Demangle("a__b__cSR", DemanglingStyle::kGnat), "a.b.c'Read");
  EXPECT_EQ(Demangle("main", DemanglingStyle::kGnat), "main");
  EXPECT_EQ(Demangle("Main", DemanglingStyle::kGnat), "<Main>");
  EXPECT_EQ(Demangle("_D4test3fooFAaZv", DemanglingStyle::kDlang), "test.foo(char[])");
  EXPECT_EQ(Demangle("_D4test3fooFAaZv"), "_D4test3fooFAaZv");
}

// GNU's tools leave them unchanged, too.
TEST(Demangle, NameOfMoreThanAThousandBytesIsLeftAlone) {
  for (const size_t levels : {1000, 1021, 20000}) {
    const std::string name = "_Z1f" + std::string(levels, 'P') + "i";
    EXPECT_EQ(Demangle(name) == name, levels > 1019) << levels;
  }
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

// Each level's arguments are parsed twice.
TEST(Demangle, NestedConversionOperatorIsLeftAlone) {
  std::string name = "i";
  for (int level = 0; level < 40; ++level) name = "N1AcvT_I" + name + "EE";
  name = "_Z1f" + name;
  EXPECT_EQ(Demangle(name), name);
}

// The pattern is searched for a pack before anything is written.
TEST(Demangle, PackExpansionOfAPatternThatDoublesIsLeftAlone) {
  std::string name = "_Z1fI1AIiiE";
  const std::string digits = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const char c : digits) name += std::string("S0_IS") + c + "_S" + c + "_E";
  name += "EDpSZ_v";
  EXPECT_EQ(Demangle(name), name);
}

// for<'a, 'b, …> with 62^7 lifetimes, in a path that is not printed.
TEST(Demangle, RustBinderOfManyLifetimesIsLeftAlone) {
  for (const char* name : {"_RNvMINvC1a1bFGzzzzzzz_EuEu3foo", "_RINvC1a1bFGzzzzzzz_EuE"}) {
    EXPECT_EQ(Demangle(name), name);
  }
  EXPECT_EQ(Demangle("_RINvC1a1bFG_RL0_uEuE"), "a::b::<for<'a> fn(&'a ())>");
}

// (S, S) of (S, S) of …
TEST(Demangle, BackReferencesThatDoubleAreLeftAlone) {
  std::string rust = "_RINvC1a1bTuuE";
  std::string dlang = "_D1aHaa";
  const std::string digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  size_t last = 8;
  for (int level = 0; level < 40; ++level) {
    std::string place;
    for (size_t value = last - 1;; value /= 62) {
      const size_t digit = value % 62;
      place.insert(place.begin(), digit < 36 ? digits[digit] : static_cast<char>('A' + digit - 36));
      if (value < 62) break;
    }
    last = rust.size() - 2;
    rust += "TB" + place + "_B" + place + "_E";
  }
  rust += "E";
  EXPECT_EQ(Demangle(rust, DemanglingStyle::kRust), rust);
  for (int level = 0; level < 40; ++level) dlang += "HQeQg";
  EXPECT_EQ(Demangle(dlang, DemanglingStyle::kDlang), dlang);
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

TEST(ToolchainName, IsCompilerVersionAndOptionsThatChangeCode) {
  EXPECT_EQ(ToolchainName("GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -p "
                          "-fasynchronous-unwind-tables"),
            "gcc 12.2.0 -O2 -march=x86-64 -mtune=generic");
  EXPECT_EQ(ToolchainName("Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang -O3 -pg -g "
                          "-grecord-command-line -I include -c src/a.cc -o /tmp/x/a.o"),
            "clang 14.0.6 -O3");
  EXPECT_EQ(ToolchainName("GNU GIMPLE 12.2.0 -O2 -fno-openmp"), "gcc 12.2.0 -O2 -fno-openmp");
  EXPECT_EQ(ToolchainName("GNU AS 2.40"), "as 2.40");
}

TEST(ToolchainName, IsTheSameWhateverIsSaidOfDebuggingProfilingAndPaths) {
  const std::string plain = ToolchainName("GNU C17 12.2.0 -march=x86-64 -O2");
  EXPECT_EQ(ToolchainName("GNU C17 12.2.0 -march=x86-64 -O2 -ffunction-sections -fuse-ld=lld"),
            plain);
  EXPECT_EQ(ToolchainName("GNU C17 12.2.0 -march=x86-64 -g3 -O2 -p -Wall -fdebug-prefix-map=/a=/b "
                          "-ffile-prefix-map=/a=. -frandom-seed=x -fno-record-gcc-switches"),
            plain);
  EXPECT_EQ(ToolchainName("clang version 14.0.6 clang -O2 -fprofile-use=/a/b"),
            ToolchainName("clang version 14.0.6 clang -O2 -fprofile-use=/c"));
}

TEST(ToolchainName, HasOfAnOptionItsLastForm) {
  EXPECT_EQ(ToolchainName("GNU C17 12.2.0 -O0 -O2 -finline -fno-inline"),
            "gcc 12.2.0 -O2 -fno-inline");
  EXPECT_EQ(ToolchainName("GNU C17 12.2.0 -O -march=a -march=b"), "gcc 12.2.0 -O1 -march=b");
  EXPECT_EQ(ToolchainName("GNU C17 12.2.0 --param=a=1 --param=b=2 --param=a=3"),
            "gcc 12.2.0 -O0 --param=a=3 --param=b=2");
}

TEST(ToolchainName, HasNoOptionsWhereNoneAreRecorded) {
  EXPECT_EQ(ToolchainName("Debian clang version 14.0.6"), "clang 14.0.6");
  EXPECT_EQ(ToolchainName("GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"), "gcc 12.2.0");
  EXPECT_EQ(ToolchainName("Ubuntu clang version 14.0.0-1ubuntu1.1"), "clang 14.0.0");
  EXPECT_EQ(ToolchainName(""), "");
  EXPECT_EQ(ToolchainName("rustc version 1.63.0"), "rustc version 1.63.0");
}

TEST(ToolchainName, IsShortAndPrintable) {
  const std::string name = ToolchainName("\x01" + std::string(9000, 'x'));
  EXPECT_LE(name.size(), 300u);
  EXPECT_EQ(name[0], '?');
  std::string many = "GNU C17 12.2.0 -O2";
  for (int i = 0; i < 400; ++i) many += " -fa" + std::to_string(i);
  EXPECT_LE(ToolchainName(many).size(), 300u);
}

}  // namespace

}  // namespace gprofhub::profile
