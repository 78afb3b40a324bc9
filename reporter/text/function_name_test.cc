#include "reporter/text/function_name.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {
namespace {

constexpr char kLong[] =
    "std::vector<Row, std::allocator<Row> > db::Table<Row, Key>::FindAllOfThem<Predicate>("
    "Predicate const&, std::__cxx11::basic_string<char, std::char_traits<char>, "
    "std::allocator<char> > const&) const";

TEST(FunctionName, KeepsTheFunctionsOwnName) {
  EXPECT_EQ(FunctionName("main"), "main");
  EXPECT_EQ(FunctionName(kLong), "db::Table<...>::FindAllOfThem<...>(...) const");
  EXPECT_EQ(FunctionCode(kLong, true), "`db::Table<...>::FindAllOfThem<...>(...) const`");
  EXPECT_EQ(FunctionName("leveldb::crc32c::Extend(unsigned int, char const*, unsigned long)"),
            "leveldb::crc32c::Extend(...)");
}

TEST(FunctionName, ShowsWhatDoesNotPrint) {
  EXPECT_EQ(FunctionName("f\x1b[2J\nok\xE9"), "f<U+001B>[2J<U+000A>ok<0xE9>");
  EXPECT_EQ(FunctionCode("a|`b", true), "`a\\|<U+0060>b`");
  EXPECT_LT(FunctionName(std::string(500, '\x1b')).size(), 200u);
}

}  // namespace
}  // namespace gprofhub::reporter
