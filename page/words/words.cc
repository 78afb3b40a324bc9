#include "page/words/words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "profile/names/quantities.h"
#include "reporter/text/function_name.h"
#include "reporter/text/numbers.h"
#include "reporter/text/units.h"

namespace gprofhub::page {
namespace {

// Cannot occur in a printable name, which has no control characters.
constexpr char kBegin = '\x02';
constexpr char kEnd = '\x03';
constexpr size_t kCommitDigits = 10;

}  // namespace

std::string MarkName(absl::string_view name) {
  return absl::StrCat(std::string(1, kBegin), base::Printable(name), std::string(1, kEnd));
}

Html MarkedText(absl::string_view text) {
  Html html;
  while (!text.empty()) {
    const size_t begin = text.find(kBegin);
    const size_t end = text.find(kEnd);
    if (begin == absl::string_view::npos || end == absl::string_view::npos || end < begin) {
      return html.Add(Html(text));
    }
    html.Add(Html(text.substr(0, begin)));
    html.Add(FunctionCode(text.substr(begin + 1, end - begin - 1)));
    text.remove_prefix(end + 1);
  }
  return html;
}

Html FunctionCode(absl::string_view display) {
  const std::string name = reporter::FunctionName(display);
  if (name == display) return El("code", {}, Html(name));
  return El("code", {{"title", display}}, Html(name));
}

std::string ShortCommit(absl::string_view commit) {
  return std::string(commit.substr(0, kCommitDigits));
}

Html When(int64_t unix_ms) {
  if (unix_ms <= 0) return "";
  const absl::Time time = absl::FromUnixMillis(unix_ms);
  const absl::TimeZone utc = absl::UTCTimeZone();
  return El("time", {{"datetime", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, utc)}},
            Html(absl::FormatTime("%Y-%m-%d %H:%M UTC", time, utc)));
}

Html Badge(absl::string_view css_class, const Html& words) {
  return El("span", {{"class", absl::StrCat("badge ", css_class)}}, words);
}

Html VerdictBadge(v1::Finding::Verdict verdict) {
  switch (verdict) {
    case v1::Finding::REGRESSED:
      return Badge("worse", "▲ costs more");
    case v1::Finding::IMPROVED:
      return Badge("better", "▼ costs less");
    case v1::Finding::SHIFTED:
      return Badge("neutral", "↔ moved");
    case v1::Finding::NEW:
      return Badge("worse", "+ new");
    case v1::Finding::VANISHED:
      return Badge("better", "− gone");
    case v1::Finding::EQUIVALENT:
      return Badge("neutral", "= the same");
    default:
      return Badge("neutral", "? cannot tell");
  }
}

Html StateBadge(v1::Target::State state) {
  switch (state) {
    case v1::Target::ANALYZED:
      return Badge("better", "✓ analysed");
    case v1::Target::FAILED:
      return Badge("worse", "✗ failed");
    default:
      return Badge("neutral", "… pending");
  }
}

Html ResultBadge(absl::string_view status) {
  const std::string word = absl::StrReplaceAll(absl::AsciiStrToLower(status), {{"_", " "}});
  if (status == "PASSED") return Badge("better", absl::StrCat("✓ ", word));
  if (status == "FLAKY") return Badge("neutral", absl::StrCat("~ ", word));
  return Badge("worse", absl::StrCat("✗ ", word));
}

Html Count(double count) { return reporter::HumanCount(count); }

Html Effect(const v1::Finding& finding) {
  if (finding.before() == 0) return "new";
  if (finding.after() == 0) return "gone";
  return reporter::HumanEffect(finding.effect_percent());
}

Html FollowersWords(uint64_t followers) {
  return followers == 1 ? Html("1 function follows")
                        : Html(absl::StrCat(followers, " functions follow"));
}

Html CountOf(absl::string_view linkage_name, double count) {
  const profile::CountUnit unit = profile::UnitOfCalls(linkage_name);
  return unit == profile::CountUnit::kCalls ? Count(count)
                                            : Html(reporter::CountInUnit(count, unit));
}

std::string UnitTitle(absl::string_view linkage_name) {
  std::string title(reporter::ColumnOfCounts(profile::UnitOfCalls(linkage_name)));
  title.front() = absl::ascii_toupper(static_cast<unsigned char>(title.front()));
  return title;
}

std::string MetricWords(const v1::Finding& finding) {
  switch (finding.metric()) {
    case v1::Finding::CALLS:
      return std::string(profile::UnitName(profile::UnitOfCalls(finding.function())));
    case v1::Finding::SELF_TIME:
      return "own time";
    case v1::Finding::TOTAL_TIME:
      return "time with everything called";
    default:
      return "instructions";
  }
}

std::string ValueWords(const v1::Finding& finding, double value) {
  const v1::Finding::Metric metric = finding.metric();
  const bool is_time = metric == v1::Finding::SELF_TIME || metric == v1::Finding::TOTAL_TIME;
  return is_time ? reporter::HumanTime(value, "seconds") : reporter::HumanCount(value);
}

}  // namespace gprofhub::page
