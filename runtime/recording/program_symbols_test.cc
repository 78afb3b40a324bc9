#include <gtest/gtest.h>

#include <cstdint>
#include <string>

extern "C" {
#include "runtime/recording/program_symbols.h"
}

namespace shop {
struct Server {
  __attribute__((noinline)) int Serve() const { return value; }
  int value = 1;
};
__attribute__((noinline)) int Twice(int n) { return 2 * n; }
__attribute__((noinline)) int Twice(double n) { return static_cast<int>(n + n); }
namespace {
__attribute__((noinline)) int Hidden(int n) { return n + 3; }
}  // namespace
}  // namespace shop
extern "C" __attribute__((noinline)) int plain_function(int n) { return n - 1; }

namespace {

gh_found Find(const std::string& name, gh_function* function) {
  return gh_find_function("/proc/self/exe", name.c_str(), function);
}

template <typename Function>
void ExpectFound(const std::string& name, Function* function) {
  gh_function found = {};
  ASSERT_EQ(Find(name, &found), GH_FOUND) << name;
  EXPECT_EQ(found.low, reinterpret_cast<uint64_t>(function)) << name;
  EXPECT_GT(found.bytes, 0u) << name;
}

TEST(ProgramSymbols, AreFoundByTheNameInTheSource) {
  ExpectFound("plain_function", &plain_function);
  ExpectFound("shop::(anonymous namespace)::Hidden", &shop::Hidden);
  ExpectFound("_ZN4shop5TwiceEi", static_cast<int (*)(int)>(&shop::Twice));
  gh_function serve = {};
  const shop::Server server;
  EXPECT_EQ(server.Serve(), 1);
  EXPECT_EQ(Find("shop::Server::Serve", &serve), GH_FOUND);
}

TEST(ProgramSymbols, SayWhyNoneIsFound) {
  gh_function found = {};
  EXPECT_EQ(shop::Twice(1) + shop::Twice(1.0), 4);
  EXPECT_EQ(Find("shop::Twice", &found), GH_SEVERAL);
  EXPECT_EQ(Find("shop::Thrice", &found), GH_NOT_FOUND);
  EXPECT_EQ(gh_find_function("/nowhere", "main", &found), GH_NOT_FOUND);
  EXPECT_EQ(gh_find_function("/dev/null", "main", &found), GH_NOT_FOUND);
}

// Names as g++ -c and nm print them.
TEST(SymbolNames, AreQualifiedNamesWithoutParameters) {
  EXPECT_TRUE(gh_symbol_names("main", "main"));
  EXPECT_TRUE(gh_symbol_names("serve.isra.0", "serve"));
  EXPECT_TRUE(gh_symbol_names("_Z5servei", "serve"));
  EXPECT_TRUE(gh_symbol_names("_ZL5servei", "serve"));
  EXPECT_TRUE(gh_symbol_names("_ZN6Server5ServeEv", "Server::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZNK6Server5ServeEv", "Server::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZNKR6Server5ServeEv", "Server::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZN6Server5ServeEv.constprop.0", "Server::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZN12_GLOBAL__N_15ServeEv", "(anonymous namespace)::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZN4shopL5ServeEv", "shop::Serve"));
  EXPECT_TRUE(gh_symbol_names("_ZSt9terminatev", "std::terminate"));
  EXPECT_TRUE(gh_symbol_names("_ZNSt6thread6detachEv", "std::thread::detach"));
  EXPECT_TRUE(gh_symbol_names("_ZN4shop4nameB5cxx11Ev", "shop::name"));
}

TEST(SymbolNames, OfOthersAreOthers) {
  EXPECT_FALSE(gh_symbol_names("main2", "main"));
  EXPECT_FALSE(gh_symbol_names("main", "main2"));
  EXPECT_FALSE(gh_symbol_names("serve.part.0", "serve"));
  EXPECT_FALSE(gh_symbol_names("_ZN6Server5ServeEv.cold", "Server::Serve"));
  EXPECT_FALSE(gh_symbol_names("_ZN6Server5ServeEv", "Serve"));
  EXPECT_FALSE(gh_symbol_names("_ZN6Server5ServeEv", "Server"));
  EXPECT_FALSE(gh_symbol_names("_ZN3web6Server5ServeEv", "Server::Serve"));
  EXPECT_FALSE(gh_symbol_names("_ZN6Server5ServeIiEEvv", "Server::Serve"));
  EXPECT_FALSE(gh_symbol_names("_Z5serveIiEvv", "serve"));
  EXPECT_FALSE(gh_symbol_names("_ZZN6Server5ServeEvE5count", "Server::Serve"));
  EXPECT_FALSE(gh_symbol_names("_ZSt", "std"));
  EXPECT_FALSE(gh_symbol_names("_ZN99999999999999999999S", "S"));
  EXPECT_FALSE(gh_symbol_names("_Z", ""));
  EXPECT_FALSE(gh_symbol_names("", "main"));
}

}  // namespace
