#include "collector/calls/request_id.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kParent[] = "00f067aa0ba902b7";

std::string Traceparent(absl::string_view version, absl::string_view trace,
                        absl::string_view parent, absl::string_view rest) {
  return absl::StrCat(version, "-", trace, "-", parent, "-", rest);
}

TEST(TraceIdOf, IsTheSecondField) {
  EXPECT_EQ(TraceIdOf(Traceparent("00", kTrace, kParent, "01")), kTrace);
  EXPECT_EQ(TraceIdOf(Traceparent("cc", kTrace, kParent, "01")), kTrace);
  EXPECT_EQ(TraceIdOf(Traceparent("01", kTrace, kParent, "01-what-comes-later")), kTrace);
}

TEST(TraceIdOf, NothingElseIsATraceparent) {
  const std::string upper = "4BF92F3577B34DA6A3CE929D0E0E4736";
  for (const std::string& text :
       {std::string(), std::string("00"), Traceparent("00", kTrace, kParent, "0"),
        Traceparent("ff", kTrace, kParent, "01"), Traceparent("0x", kTrace, kParent, "01"),
        Traceparent("00", upper, kParent, "01"), Traceparent("00", kTrace, kParent, "zz"),
        Traceparent("00", std::string(32, '0'), kParent, "01"),
        Traceparent("00", kTrace, std::string(16, '0'), "01"),
        Traceparent("00", kTrace, kParent, "01-more"), Traceparent("01", kTrace, kParent, "01more"),
        Traceparent("00", absl::StrCat(kTrace, "0"), kParent, "01"), std::string(55, '-'),
        std::string(55, '0'), std::string(1 << 16, 'a')}) {
    EXPECT_EQ(TraceIdOf(text), std::nullopt) << text;
  }
}

TEST(NewRequestId, IsATraceIdOfItsOwn) {
  const std::string id = NewRequestId();
  EXPECT_EQ(TraceIdOf(Traceparent("00", id, kParent, "01")), id);
  EXPECT_NE(NewRequestId(), id);
}

}  // namespace
}  // namespace gprofhub::collector
