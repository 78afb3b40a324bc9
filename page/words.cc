#include "page/words.h"

#include <openssl/sha.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "base/text.h"
#include "profile/names.h"
#include "reporter/findings/text.h"

namespace gprofhub::page {

namespace {

// Cannot occur in a printable name, which has no control characters.
constexpr char kBegin = '\x02';
constexpr char kEnd = '\x03';
constexpr size_t kCommitDigits = 10;
// Of the clock that made a time, ahead of this one.
constexpr absl::Duration kClockSkew = absl::Minutes(1);

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

std::string RelativeTime(absl::Time time, absl::Time now) {
  struct Unit {
    absl::string_view name;
    absl::Duration length, until;
  };
  constexpr Unit kUnits[] = {{"minute", absl::Minutes(1), absl::Hours(1)},
                             {"hour", absl::Hours(1), absl::Hours(48)},
                             {"day", absl::Hours(24), absl::Hours(31 * 24)}};
  const absl::Duration age = now - time;
  if (age >= -kClockSkew && age < absl::Minutes(1)) return "just now";
  for (const Unit& unit : kUnits) {
    if (age < absl::ZeroDuration() || age >= unit.until) continue;
    const int64_t count = age / unit.length;
    return absl::StrCat(count, " ", unit.name, count == 1 ? "" : "s", " ago");
  }
  return absl::FormatTime("%Y-%m-%d", time, absl::UTCTimeZone());
}

Html When(int64_t unix_ms) {
  if (unix_ms <= 0) return "";
  const absl::Time time = absl::FromUnixMillis(unix_ms);
  const absl::TimeZone utc = absl::UTCTimeZone();
  return El("time",
            {{"datetime", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, utc)},
             {"title", absl::FormatTime("%Y-%m-%d %H:%M UTC", time, utc)}},
            Html(RelativeTime(time, absl::Now())));
}

std::string DateOf(int64_t unix_ms) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
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
      return Badge("neutral", "? inconclusive");
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
  return Html(absl::StrCat(followers, followers == 1 ? " side effect" : " side effects"));
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
      return "self time";
    case v1::Finding::TOTAL_TIME:
      return "total time";
    case v1::Finding::LIBRARY_TIME:
      return "time in libraries";
    default:
      return "instructions";
  }
}

std::string ValueWords(const v1::Finding& finding, double value) {
  const v1::Finding::Metric metric = finding.metric();
  const bool is_time = metric == v1::Finding::SELF_TIME || metric == v1::Finding::TOTAL_TIME ||
                       metric == v1::Finding::LIBRARY_TIME;
  return is_time ? reporter::HumanTime(value, "seconds") : reporter::HumanCount(value);
}

namespace {

using Values = std::vector<std::pair<absl::string_view, std::string>>;

std::optional<Url> Filled(const std::string& address, const Values& values) {
  if (address.empty()) return std::nullopt;
  return Url::External(absl::StrReplaceAll(address, values));
}

// Encodes each segment, so that slashes stay; nothing if it is not a path within the repository.
std::optional<std::string> CodedPath(absl::string_view file, bool has_external) {
  const bool is_external = absl::StartsWith(file, "external/");
  if (file.empty() || absl::StartsWith(file, "/") || (is_external && !has_external)) {
    return std::nullopt;
  }
  std::vector<std::string> segments;
  for (const absl::string_view segment : absl::StrSplit(file, '/')) {
    if (segment == "..") return std::nullopt;
    if (segment != ".") segments.push_back(base::PercentEncoded(segment));
  }
  return absl::StrJoin(segments, "/");
}

// GitLab's page anchors are SHA-1 digests of file names; not used for security.
std::string Sha1Hex(absl::string_view text) {
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

}  // namespace

std::optional<Url> LineUrl(const SourceLinks& links, absl::string_view commit,
                           absl::string_view file, uint32_t line) {
  const std::optional<std::string> path = CodedPath(file, links.has_external);
  if (!path.has_value() || commit.empty()) return std::nullopt;
  return Filled(links.line, {{"{commit}", base::PercentEncoded(commit)},
                             {"{file}", *path},
                             {"{line}", absl::StrCat(line == 0 ? 1 : line)}});
}

std::optional<Url> CommitUrl(const SourceLinks& links, absl::string_view commit) {
  if (commit.empty()) return std::nullopt;
  return Filled(links.commit, {{"{commit}", base::PercentEncoded(commit)}});
}

std::optional<Url> RangeUrl(const SourceLinks& links, absl::string_view base,
                            absl::string_view head) {
  if (base.empty() || head.empty()) return std::nullopt;
  return Filled(links.range,
                {{"{base}", base::PercentEncoded(base)}, {"{head}", base::PercentEncoded(head)}});
}

std::optional<Url> RangeUrlAt(const SourceLinks& links, absl::string_view base,
                              absl::string_view head, absl::string_view file, uint32_t line) {
  const std::optional<Url> range = RangeUrl(links, base, head);
  if (!range.has_value() || links.range_file.empty() || file.empty() || line == 0) return range;
  return Url::External(absl::StrCat(
      range->text(""), absl::StrReplaceAll(links.range_file, {{"{sha1}", Sha1Hex(file)},
                                                              {"{sha256}", base::Sha256Hex(file)},
                                                              {"{line}", absl::StrCat(line)}})));
}

Html PlaceOf(const SourceLinks& links, absl::string_view commit, absl::string_view file,
             uint32_t line) {
  if (file.empty()) return "";
  const Html words = El("span", {{"class", "place"}},
                        Html(line == 0 ? std::string(file) : absl::StrCat(file, ":", line)));
  const std::optional<Url> url = LineUrl(links, commit, file, line);
  return url.has_value() ? Link(*url, words) : words;
}

Html PullRequestOf(const SourceLinks& links, absl::string_view number) {
  const Html words(absl::StrCat("#", number));
  const std::optional<Url> url =
      Filled(links.pull_request, {{"{number}", base::PercentEncoded(number)}});
  return url.has_value() ? Link(*url, words) : words;
}

Html SubjectOf(absl::string_view subject) {
  if (subject.empty()) return "";
  return El("span", {{"class", "subject"}, {"title", subject}}, Html(subject));
}

Html CommitOf(const SourceLinks& links, absl::string_view commit, absl::string_view subject) {
  if (commit.empty()) return "";
  const Html words =
      El("code", {{"class", "commit"}, {"title", commit}}, Html(ShortCommit(commit)));
  const std::optional<Url> url = CommitUrl(links, commit);
  const Html name = url.has_value() ? Link(*url, words) : words;
  return subject.empty() ? name : Join({name, Html(" "), SubjectOf(subject)});
}

}  // namespace gprofhub::page
