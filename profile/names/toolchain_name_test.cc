#include "profile/names/toolchain_name.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::profile {
namespace {

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
