// The line of a change of time, within the function.
//
// - A self time: the line whose samples rose most, or fell most, if that is more than chance. Lines
//   of base and head are paired by their order and the shift of their numbers.
// - The time of libraries, which has no samples in the function, and a self time with few samples,
//   if the function's code changed: the line whose code changed most in size.
// - Otherwise the function's first line. If that is in a library's header, because the function is
//   an instance of a template, it is the program's own line with most samples.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "profile/names.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/time_findings.h"

namespace gprofhub::reporter {

namespace {

bool HasSmallerPlace(const LineCode& a, const LineCode& b) {
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

bool IsSamePlace(const LineCode& a, const LineCode& b) {
  return a.file == b.file && a.line == b.line;
}

// Adds the lines of one run. Clones' code belongs to their function. Runs of one side mostly have
// one image: of several, the size of the code is that of the largest.
void AddRunLines(std::vector<LineCode> run, std::vector<LineCode>& lines) {
  std::stable_sort(run.begin(), run.end(), HasSmallerPlace);
  size_t kept = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    if (kept > 0 && IsSamePlace(run[kept - 1], run[i])) {
      run[kept - 1].bytes += run[i].bytes;
      run[kept - 1].samples += run[i].samples;
    } else {
      run[kept++] = run[i];
    }
  }
  run.resize(kept);
  std::vector<LineCode> all;
  size_t old = 0;
  for (const LineCode& line : run) {
    while (old < lines.size() && HasSmallerPlace(lines[old], line)) all.push_back(lines[old++]);
    all.push_back(line);
    if (old == lines.size() || !IsSamePlace(lines[old], line)) continue;
    all.back().bytes = std::max(all.back().bytes, lines[old].bytes);
    all.back().samples += lines[old++].samples;
  }
  all.insert(all.end(), lines.begin() + static_cast<ptrdiff_t>(old), lines.end());
  lines = std::move(all);
}

bool MayChangeInTime(const FunctionPair& function) {
  return function.before.present() && function.after.present() &&
         (function.code == CodeChange::kChanged ||
          function.before.self_samples + function.after.self_samples > 0);
}

}  // namespace

void MatchLines(const SideRuns (&sides)[2], MatchedTarget& matched) {
  absl::flat_hash_map<absl::string_view, absl::string_view> files;
  for (const bool is_after : {false, true}) {
    const SideRuns& side = sides[is_after ? 1 : 0];
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      const profile::ComputedProfile& profile = side.profiles[run];
      absl::flat_hash_map<uint32_t, std::vector<LineCode>> by_function;
      for (const profile::LineCost& cost : profile.lines) {
        const uint32_t function = side.rows[run][cost.function];
        if (!MayChangeInTime(matched.functions[function])) continue;
        const absl::string_view name = profile.strings[cost.file];
        auto file = files.find(name);
        if (file == files.end()) {
          const absl::string_view kept = matched.texts.Keep(name);
          file = files.emplace(kept, kept).first;
        }
        by_function[function].push_back({file->second, cost.line, cost.bytes, cost.samples});
      }
      for (auto& [function, lines] : by_function) {
        FunctionLines& known = matched.lines[function];
        AddRunLines(std::move(lines), is_after ? known.after : known.before);
      }
    }
  }
}

namespace {

// A change of samples of one line is more than chance from this number of standard errors on.
constexpr double kRisenErrors = 3;

// One line of a function; a side without code of it has no line.
struct LinePair {
  LineCode before, after;
  const LineCode& Latest() const { return after.line != 0 ? after : before; }
};

using Lines = absl::Span<const LineCode>;

std::vector<CallSite> AsSites(Lines lines) {
  std::vector<CallSite> sites;
  for (const LineCode& line : lines) sites.push_back({line.file, line.line, 0, 1});
  return sites;
}

// The lines of a side that are in the file.
Lines InFile(const std::vector<LineCode>& lines, absl::string_view file) {
  const auto begin = std::find_if(lines.begin(), lines.end(),
                                  [&](const LineCode& line) { return line.file == file; });
  const auto end =
      std::find_if(begin, lines.end(), [&](const LineCode& line) { return line.file != file; });
  return Lines(lines).subspan(static_cast<size_t>(begin - lines.begin()),
                              static_cast<size_t>(end - begin));
}

LineCode At(Lines lines, uint32_t line) {
  for (const LineCode& code : lines) {
    if (line != 0 && code.line == line) return code;
  }
  return {};
}

// Lines are paired as call sites of equal counts are. The size of their code is no evidence: one
// edit changes the sizes of many lines, and equal sizes are common.
std::vector<LinePair> PairLines(const FunctionLines& lines, int64_t shift) {
  std::vector<absl::string_view> files;
  for (const std::vector<LineCode>* side : {&lines.before, &lines.after}) {
    for (const LineCode& line : *side) files.push_back(line.file);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::vector<LinePair> pairs;
  for (const absl::string_view file : files) {
    const Lines before = InFile(lines.before, file), after = InFile(lines.after, file);
    for (const CallSitePair& site : PairCallSites(AsSites(before), 1, AsSites(after), 1, shift)) {
      pairs.push_back({At(before, site.line_before), At(after, site.line_after)});
    }
  }
  return pairs;
}

// The pair with the largest positive score; null: none.
template <typename Score>
const LinePair* Best(const std::vector<LinePair>& pairs, const Score& score) {
  const LinePair* best = nullptr;
  double most = 0;
  for (const LinePair& pair : pairs) {
    const double of_pair = score(pair);
    if (of_pair <= most) continue;
    most = of_pair;
    best = &pair;
  }
  return best;
}

v1::Site AsSite(absl::string_view file, uint32_t line) {
  v1::Site site;
  site.set_file(std::string(file));
  site.set_line(line);
  return site;
}

}  // namespace

v1::Site PlaceOfTime(const MatchedTarget& target, const FunctionTime& time) {
  const FunctionPair& function = target.functions[time.function];
  const FunctionSide& side = function.Latest();
  const auto lines = target.lines.find(time.function);
  if (lines == target.lines.end()) return AsSite(side.file, side.line);
  const std::vector<LinePair> pairs = PairLines(lines->second, ShiftOf(target, time.function));
  const TimeTest& test = time.test;
  const double direction = test.effect < 0 ? -1 : 1;
  const LinePair* best = nullptr;
  if (time.metric == v1::Finding::SELF_TIME || time.metric == v1::Finding::EVENT_INSTRUCTIONS) {
    best = Best(pairs, [&](const LinePair& pair) {
      const double before = pair.before.samples, after = pair.after.samples;
      const double rise = direction * (after / test.after_exposure - before / test.before_exposure);
      const double error = std::hypot(std::sqrt(std::max(1.0, before)) / test.before_exposure,
                                      std::sqrt(std::max(1.0, after)) / test.after_exposure);
      return rise >= kRisenErrors * error ? rise : 0;
    });
  }
  if (best == nullptr && time.metric != v1::Finding::TOTAL_TIME &&
      function.code == CodeChange::kChanged) {
    best = Best(pairs, [](const LinePair& pair) {
      return std::fabs(static_cast<double>(pair.after.bytes) -
                       static_cast<double>(pair.before.bytes));
    });
  }
  if (best == nullptr && profile::IsLibraryFile(side.file)) {
    best = Best(pairs, [&](const LinePair& pair) {
      if (profile::IsLibraryFile(pair.Latest().file)) return 0.0;
      return 1 + pair.before.samples + pair.after.samples;
    });
  }
  if (best == nullptr) return AsSite(side.file, side.line);
  return AsSite(best->Latest().file, best->Latest().line);
}

}  // namespace gprofhub::reporter
