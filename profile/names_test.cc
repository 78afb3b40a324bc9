#include "profile/names.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::profile {

namespace {

TEST(IsLibraryFile, KnowsTheFoldersOfCompilersSystemsAndOtherRepositories) {
  for (const char* file : {"/usr/include/stdio.h", "/opt/llvm/include/x.h",
                           "external/sysroot/include/c++/12/vector", "lib/gcc/12/include/x.h",
                           "external/absl/strings/str_cat.h", "/cache/external/absl/base.h"}) {
    EXPECT_TRUE(IsLibraryFile(file)) << file;
  }
  for (const char* file : {"", "src/usr/a.cc", "src/external.cc", "/home/me/a.cc"}) {
    EXPECT_FALSE(IsLibraryFile(file)) << file;
  }
}

TEST(WithoutCloneSuffixes, KnowsTheFunctionThatACopyIsOf) {
  for (const CloneKinds kinds : {CloneKinds::kCopies, CloneKinds::kAll}) {
    EXPECT_EQ(WithoutCloneSuffixes("parse.part.0", kinds), "parse");
    EXPECT_EQ(WithoutCloneSuffixes("parse.constprop.12.isra.0", kinds), "parse");
    EXPECT_EQ(WithoutCloneSuffixes("_Z1fv.isra.0", kinds), "_Z1fv");
    EXPECT_EQ(WithoutCloneSuffixes("_ZN1aE.llvm.123", kinds), "_ZN1aE");
    EXPECT_EQ(WithoutCloneSuffixes("f.localalias", kinds), "f");
    EXPECT_EQ(WithoutCloneSuffixes("f.__uniq.71.clone.2", kinds), "f");
  }
}

TEST(WithoutCloneSuffixes, TellsCopiesFromWhatRunsAtOtherTimes) {
  for (const char* name : {"f.cold", "f.isra.0.cold", "f.cold.3", "f.resolver", "f.unlikely"}) {
    EXPECT_EQ(WithoutCloneSuffixes(name, CloneKinds::kCopies), name);
    EXPECT_EQ(WithoutCloneSuffixes(name, CloneKinds::kAll), "f");
  }
  EXPECT_EQ(WithoutCloneSuffixes("f.cold.part.0", CloneKinds::kCopies), "f.cold");
}

TEST(WithoutCloneSuffixes, LeavesOtherNames) {
  for (const CloneKinds kinds : {CloneKinds::kCopies, CloneKinds::kAll}) {
    for (const char* name : {"", "f", "f.", "table.3", "f.1.2", "f.isra.0.1", "a.partial",
                             ".part.0", ".cold", ".isra.0"}) {
      EXPECT_EQ(WithoutCloneSuffixes(name, kinds), name);
    }
  }
}

TEST(Quantities, HaveUnits) {
  EXPECT_EQ(UnitOfCalls("gprofhub_allocated_bytes"), CountUnit::kBytes);
  EXPECT_EQ(UnitOfCalls("gprofhub_waiting_microseconds"), CountUnit::kMicroseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_system_microseconds"), CountUnit::kMicroseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_peak_bytes"), CountUnit::kBytes);
  EXPECT_EQ(UnitOfCalls("gprofhub_event_task_clock_nanoseconds"), CountUnit::kNanoseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_event_page_faults"), CountUnit::kEvents);
  EXPECT_EQ(UnitOfCalls("malloc"), CountUnit::kCalls);
  EXPECT_EQ(UnitOfCalls("rows_read"), CountUnit::kCalls);
}

TEST(Units, HaveNames) { EXPECT_EQ(UnitName(CountUnit::kMicroseconds), "microseconds"); }

TEST(Quantities, OfTimeAreMeasured) {
  EXPECT_TRUE(IsMeasuredQuantity("gprofhub_system_microseconds"));
  EXPECT_TRUE(IsMeasuredQuantity("gprofhub_event_page_faults"));
  EXPECT_FALSE(IsMeasuredQuantity("gprofhub_allocated_bytes"));
  EXPECT_FALSE(IsMeasuredQuantity("gprofhub_peak_bytes"));
}

TEST(Quantities, AllocatorsAreThoseThatTheRuntimeCounts) {
  for (const char* name : {"malloc", "pvalloc", "_Znwm", "_ZnamSt11align_val_tRKSt9nothrow_t"}) {
    EXPECT_TRUE(IsAllocator(name)) << name;
  }
  EXPECT_FALSE(IsAllocator("free"));
  EXPECT_FALSE(IsAllocator("_ZdlPv"));
}

constexpr size_t kAny = 1000;

TEST(ShortName, LeavesWhatFitsAsItIs) {
  for (const char* name : {"main", "f(int)", "void f<int>(int) const", "t.isra.0", "", "a < b",
                           "core::fmt::write", "operator new(unsigned long)"}) {
    EXPECT_EQ(ShortName(name, 80), name);
  }
}

TEST(ShortName, GivesStandardTypesTheirEverydayNames) {
  EXPECT_EQ(ShortName("Trim(std::__cxx11::basic_string<char, std::char_traits<char>, "
                      "std::allocator<char> > const&)",
                      kAny),
            "Trim(std::string const&)");
  EXPECT_EQ(ShortName("Say(std::basic_string_view<char, std::char_traits<char> >, "
                      "std::ostream&)",
                      kAny),
            "Say(std::string_view, std::ostream&)");
  EXPECT_EQ(ShortName("operator<<(std::basic_ostream<char, std::char_traits<char> >&, Row)", kAny),
            "operator<<(std::ostream&, Row)");
  EXPECT_EQ(ShortName("Row::name[abi:cxx11]() const", kAny), "Row::name() const");
}

TEST(ShortName, LeavesDefaultArgumentsOut) {
  EXPECT_EQ(ShortName("std::vector<int, std::allocator<int> >::push_back(int&&)", kAny),
            "std::vector<int>::push_back(int&&)");
  EXPECT_EQ(ShortName("f(std::unordered_map<int, Row, std::hash<int>, std::equal_to<int>, "
                      "std::allocator<std::pair<int const, Row> > >&)",
                      kAny),
            "f(std::unordered_map<int, Row>&)");
  EXPECT_EQ(ShortName("f(std::map<std::vector<int, std::allocator<int> >, Row, "
                      "std::less<std::vector<int, std::allocator<int> > >, "
                      "std::allocator<std::pair<std::vector<int, std::allocator<int> > const, "
                      "Row> > >)",
                      kAny),
            "f(std::map<std::vector<int>, Row>)");
  EXPECT_EQ(ShortName("f(Pool<std::allocator<int>, 3>)", kAny), "f(Pool<std::allocator<int>, 3>)")
      << "not the last one";
}

TEST(ShortName, TakesAwayOneAfterTheOther) {
  const std::string name =
      "std::vector<Row> db::Table<Row, Key>::Find<Predicate>(Predicate const&, unsigned long) "
      "const";
  EXPECT_EQ(ShortName(name, 80),
            "db::Table<Row, Key>::Find<Predicate>(Predicate const&, unsigned long) const");
  EXPECT_EQ(ShortName(name, 60), "db::Table<Row, Key>::Find<Predicate>(...) const");
  EXPECT_EQ(ShortName(name, 46), "db::Table<...>::Find<Predicate>(...) const");
  EXPECT_EQ(ShortName(name, 40), "db::Table<...>::Find<...>(...) const");
  EXPECT_EQ(ShortName(name, 35), "…::Table<...>::Find<...>(...) const");
  EXPECT_EQ(ShortName(name, 34), "…::Find<...>(...) const");
}

TEST(ShortName, KeepsTheClosureOfATemplate) {
  const char* sort =
      "void std::__introsort_loop<__gnu_cxx::__normal_iterator<Row*, std::vector<Row> >, long, "
      "__gnu_cxx::__ops::_Iter_comp_iter<Shop::Sort(std::vector<Row>&) const::{lambda(Row const&, "
      "Row const&)#2}> >(__gnu_cxx::__normal_iterator<Row*, std::vector<Row> >, long)";
  EXPECT_EQ(ShortName(sort, 60), "std::__introsort_loop<Sort::{lambda#2}>(...)");
  EXPECT_EQ(ShortName(sort, 40), "std::__introsort_loop<...>(...)");
  EXPECT_EQ(
      ShortName("std::_Function_handler<int (int), Total<int>(int)::{lambda(int)#1}>::_M_invoke("
                "std::_Any_data const&, int&&)",
                70),
      "std::_Function_handler<Total::{lambda#1}>::_M_invoke(...)");
  // One that has no name before it, and one that is cut.
  EXPECT_EQ(ShortName("Apply<{lambda(int)#1}, std::vector<std::vector<int>>>(int)", 20),
            "Apply<...>(int)");
}

TEST(ShortName, KeepsTheFunctionsOwnNameAtAnyLength) {
  const std::string name = "outer::Inner<int>::Compute(std::vector<int, std::allocator<int> >)";
  EXPECT_EQ(ShortName(name, 20), "…::Compute(...)");
  EXPECT_EQ(ShortName(name, 12), "Compute(...)");
  EXPECT_EQ(ShortName(name, 6), "Compu…");
  EXPECT_EQ(ShortName(name, 1), "…");
  EXPECT_EQ(ShortName(name, 0), "…");
  EXPECT_EQ(ShortName("compute_sum_of_all_rows", 14), "compute_sum_…");
  EXPECT_EQ(ShortName("compute_sum_of_all_rows", 9), "compute_…");
}

TEST(ShortName, KeepsTheClassOfAFunctionThatManyHave) {
  const std::string test = "(anonymous namespace)::ParserTest_ReadsAllComments_Test::TestBody()";
  EXPECT_EQ(ShortName(test, 50), "…::ParserTest_ReadsAllComments_Test::TestBody()");
  EXPECT_EQ(ShortName(test, 46), "ParserTest_…Comments_Test::TestBody()");
  EXPECT_EQ(ShortName(test, 34), "ParserTest…mments_Test::TestBody()");
  EXPECT_EQ(ShortName("db::TableOfRecordsByNameAndDate::~TableOfRecordsByNameAndDate()", 50),
            "…::~TableOfRecordsByNameAndDate()");
  EXPECT_EQ(ShortName("(anonymous namespace)::Compute(int, int, int)", 30), "…::Compute(...)")
      << "not a class";
  EXPECT_EQ(ShortName("Bar::Run(int)::{lambda(std::vector<int> const&)#12}::operator()(int)", 40),
            "{lambda(std…const&)#12}::operator()(int)");
}

TEST(ShortName, ShortensWhatIsNotAFunctionAsAPathOrText) {
  EXPECT_EQ(ShortName("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 26), "/usr/lib/…/libstdc++.so.6");
  EXPECT_EQ(ShortName("clang 14.0.6 -O2 -march=x86-64", 27), "clang 14.0.6 …-march=x86-64");
}

TEST(ShortName, KnowsOperators) {
  EXPECT_EQ(ShortName("std::ostream& ns::operator<< <Row>(std::ostream&, Row const&)", 30),
            "ns::operator<<<Row>(...)");
  EXPECT_EQ(ShortName("Set<int>::operator()(int, int, int) const", 32),
            "Set<int>::operator()(...) const");
  EXPECT_EQ(ShortName("Pointer<Row>::operator->(int, int) const", 36),
            "Pointer<Row>::operator->(...) const");
  EXPECT_EQ(ShortName("Value<int>::operator std::vector<int>(int, int, int)", 45),
            "Value<int>::operator std::vector<int>(...)");
  EXPECT_EQ(ShortName("bool operator> <int>(Row<int>, Row<int>)", 24), "operator><int>(...)");
}

TEST(ShortName, KnowsLambdasAndUnnamedScopes) {
  EXPECT_EQ(ShortName("Run(std::vector<int, std::allocator<int> >)::{lambda(int)#1}::operator()"
                      "(int) const",
                      48),
            "Run(...)::{lambda(int)#1}::operator()(int) const");
  EXPECT_EQ(ShortName("(anonymous namespace)::Parser::Next(unsigned int, bool)", 45),
            "(anonymous namespace)::Parser::Next(...)");
  EXPECT_EQ(ShortName("decltype(auto) ns::Get<0ul>(Row const&)", 20), "ns::Get<0ul>(...)");
}

TEST(ShortName, KeepsACloneApart) {
  EXPECT_EQ(ShortName("Parse(char const*, unsigned long) [clone .isra.0]", 30),
            "Parse(...) [clone .isra.0]");
}

TEST(ShortName, KnowsNamesOfRust) {
  EXPECT_EQ(ShortName("<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt", 20), "…::fmt");
}

TEST(ShortName, CutsInTheMiddleWhatIsNoName) {
  EXPECT_EQ(ShortName("f(((((((((((((((((((", 9), "f(((…((((");
  EXPECT_EQ(ShortName("aaaaaaaaaa>bbbbbbbbbb", 9), "aaaa…bbbb");
}

TEST(ShortName, CountsCharactersNotBytes) {
  EXPECT_EQ(ShortName("größe::größe(int)", 17), "größe::größe(int)");
  EXPECT_EQ(ShortName("größe::größe(int, int)", 12), "größe(...)");
  EXPECT_EQ(ShortName("größe::größe(int, int)", 4), "grö…");
}

}  // namespace

}  // namespace gprofhub::profile
