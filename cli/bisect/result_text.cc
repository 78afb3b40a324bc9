#include "cli/bisect/result_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/median.h"
#include "base/printable.h"
#include "cli/output/table.h"
#include "profile/names/demangle.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShortHash = 12;

std::string Short(const Commit& commit) { return commit.hash.substr(0, kShortHash); }

std::string WordsOf(const Question& question) {
  std::string words = base::Printable(profile::Demangle(question.function));
  if (!question.caller.empty()) {
    absl::StrAppend(&words, " from ", base::Printable(profile::Demangle(question.caller)));
  }
  return absl::StrCat(words, " in ", base::Printable(question.target));
}

const char* LevelName(Tested tested) {
  switch (tested) {
    case Tested::kOld:
      return "old";
    case Tested::kNew:
      return "new";
    case Tested::kSkipped:
      return "skipped";
    case Tested::kNot:
      return "untested";
  }
  return "";
}

std::string CountWords(const Measurement& measurement) {
  return absl::StrJoin(measurement.counts, " ", [](std::string* out, double count) {
    absl::StrAppend(out, CountText(count));
  });
}

std::string AboutCommit(const Commit& commit) {
  return absl::StrCat(Short(commit), "  ", commit.date, "  ", base::Printable(commit.author),
                      "\n  ", base::Printable(commit.subject), "\n");
}

// The commits that may have made the change.
std::vector<Commit> Suspects(const BisectReport& report) {
  const auto begin = report.line.commits.begin();
  return {begin + static_cast<ptrdiff_t>(report.result.range.last_old) + 1,
          begin + static_cast<ptrdiff_t>(report.result.range.first_new) + 1};
}

const Measurement* MeasurementAt(const BisectReport& report, size_t index) {
  for (const TestedCommit& one : report.result.tested) {
    if (one.index == index) return &one.measurement;
  }
  return nullptr;
}

// Of a change in several steps, the bisection finds one of the steps.
std::string StepsNote(const BisectReport& report) {
  const Measurement* const before = MeasurementAt(report, report.result.range.last_old);
  const Measurement* const after = MeasurementAt(report, report.result.range.first_new);
  if (!IsFound(report) || report.result.varies || before == nullptr || after == nullptr) return "";
  const double was = base::Median(before->counts);
  const double is = base::Median(after->counts);
  if (was == report.result.levels.before && is == report.result.levels.after) return "";
  return absl::StrCat("This commit changes the count from ", CountText(was), " to ", CountText(is),
                      "; other commits of the range change it, too.\n");
}

std::string Answer(const BisectReport& report) {
  const std::vector<Commit> suspects = Suspects(report);
  if (IsFound(report)) {
    return absl::StrCat("The first commit with the new count:\n", AboutCommit(suspects.front()),
                        StepsNote(report));
  }
  std::string out =
      report.result.finished
          ? absl::StrCat("It is one of ", suspects.size(),
                         " commits; those between the first and the last cannot be tested:\n")
          : absl::StrCat("Not finished: ", suspects.size(),
                         " commits are left. The same command goes on from here. They are:\n");
  absl::StrAppend(&out, AboutCommit(suspects.front()));
  if (suspects.size() > 2) absl::StrAppend(&out, "  …\n");
  absl::StrAppend(&out, AboutCommit(suspects.back()));
  return out;
}

Json CommitJson(const Commit& commit) {
  return {{"commit", commit.hash},
          {"author", commit.author},
          {"date", commit.date},
          {"subject", commit.subject}};
}

}  // namespace

bool IsFound(const BisectReport& report) {
  return report.result.finished && report.result.range.IsOne();
}

std::string BisectText(const BisectReport& report) {
  const Bisection& result = report.result;
  std::string out =
      absl::StrCat("Calls of ", WordsOf(report.question), ": ", CountText(result.levels.before),
                   " before, ", CountText(result.levels.after), " after",
                   result.varies ? " (typical ones: the count varies)" : "", "\n");
  if (report.line.from_merge_base) {
    absl::StrAppend(&out, "The base is no ancestor of the head: their merge base, ",
                    Short(report.line.commits.front()), ", stands for it.\n");
  }
  absl::StrAppend(&out, "\n", Answer(report), "\n");
  Table table(
      {Table::Align::kLeft, Table::Align::kLeft, Table::Align::kRight, Table::Align::kLeft});
  table.AddRow({"COMMIT", "COUNT IS", "COUNT", "SUBJECT"});
  for (const TestedCommit& one : result.tested) {
    const Commit& commit = report.line.commits[one.index];
    table.AddRow(
        {Short(commit), LevelName(one.tested), CountWords(one.measurement), commit.subject});
  }
  absl::StrAppend(&out, table.Text());
  for (const TestedCommit& one : result.tested) {
    if (one.measurement.skipped.empty()) continue;
    absl::StrAppend(&out, "skipped ", Short(report.line.commits[one.index]), ": ",
                    base::Printable(one.measurement.skipped), "\n");
  }
  return out;
}

Json BisectJson(const BisectReport& report) {
  const Bisection& result = report.result;
  Json json = {{"target", report.question.target}, {"function", report.question.function}};
  json["caller"] = report.question.caller.empty() ? Json(nullptr) : Json(report.question.caller);
  json["before"] = result.levels.before;
  json["after"] = result.levels.after;
  json["varies"] = result.varies;
  json["finished"] = result.finished;
  const std::vector<Commit> suspects = Suspects(report);
  json["first"] = IsFound(report) ? CommitJson(suspects.front()) : Json(nullptr);
  json["suspects"] = Json::array();
  for (const Commit& commit : suspects) json["suspects"].push_back(CommitJson(commit));
  json["tested"] = Json::array();
  for (const TestedCommit& one : result.tested) {
    Json tested = CommitJson(report.line.commits[one.index]);
    tested["level"] = LevelName(one.tested);
    tested["counts"] = one.measurement.counts;
    tested["skipped"] =
        one.measurement.skipped.empty() ? Json(nullptr) : Json(one.measurement.skipped);
    json["tested"].push_back(std::move(tested));
  }
  return json;
}

}  // namespace gprofhub::cli
