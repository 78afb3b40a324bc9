#include "reporter/rendering/events.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;

// A commit, or the name of a local directory.
const std::string& NameOf(const v1::Release& release) {
  return release.commit().empty() ? release.run_id() : release.commit();
}

std::string ShortName(const v1::Release& release) {
  return release.commit().empty() ? base::Printable(release.run_id())
                                  : base::Printable(release.commit().substr(0, 12));
}

std::string Where(const v1::ChangeEvent& event) {
  std::string words;
  if (event.at().unix_ms() != 0) {
    absl::StrAppend(&words,
                    absl::FormatTime("%Y-%m-%d %H:%M ", absl::FromUnixMillis(event.at().unix_ms()),
                                     absl::UTCTimeZone()));
  }
  absl::StrAppend(&words, ShortName(event.at()));
  if (!event.at().commit().empty()) {
    absl::StrAppend(&words, ", run ", base::Printable(event.at().run_id()));
  }
  absl::StrAppend(&words, "  (after ", ShortName(event.last_before()));
  if (NameOf(event.first_after()) != NameOf(event.at())) {
    absl::StrAppend(&words, ", at the latest with ", ShortName(event.first_after()));
  }
  if (event.commits() > 1) absl::StrAppend(&words, ": one of ", event.commits(), " commits");
  absl::StrAppend(&words, ")");
  if (!event.confirmed()) absl::StrAppend(&words, "  not confirmed yet: no run has followed");
  if (event.has_back_at()) absl::StrAppend(&words, "  back since ", ShortName(event.back_at()));
  return words;
}

std::string Followers(const v1::ChangeEvent& event) {
  const uint32_t functions = event.following_functions();
  if (functions == 0) return "";
  std::string words = absl::StrCat(
      functions, functions == 1 ? " other function" : " other functions", " changed here");
  if (event.other_causes() > 0) {
    absl::StrAppend(&words, ", ", event.other_causes(), " of them by ",
                    event.other_causes() == 1 ? "itself" : "themselves");
  }
  return absl::StrCat("      ", words, "\n");
}

std::string EventText(const v1::ChangeEvent& event) {
  const FunctionRow row = RowOfFinding(event.cause());
  const v1::Finding& cause = event.cause();
  const v1::Finding::Verdict verdict = RowVerdict(row);
  std::string out = absl::StrCat(
      Where(event), "\n  ",
      verdict == v1::Finding::REGRESSED  ? "+ "
      : verdict == v1::Finding::IMPROVED ? "- "
                                         : "  ",
      FunctionName(cause.function_display().empty() ? cause.function() : cause.function_display()));
  if (const std::string place = base::Printable(PlaceOf(row)); !place.empty()) {
    absl::StrAppend(&out, "  [", place, "]");
  }
  absl::StrAppend(&out, "\n      ", DescribeRow(row, FunctionName), "\n      ", DescribeEffect(row),
                  "\n", Followers(event));
  if (event.has_culprit()) {
    const v1::Culprit& culprit = event.culprit();
    absl::StrAppend(&out, "      it was ", base::Printable(culprit.commit().substr(0, 12)), "  ",
                    base::Printable(culprit.date()), "  ", base::Printable(culprit.author()), "  ",
                    base::Shortened(base::Printable(culprit.subject()), 60), "\n");
  }
  if (!cause.target().empty() && cause.target() != "local") {
    absl::StrAppend(&out, "      in ", base::Printable(cause.target()));
    if (event.targets_size() > 1) absl::StrAppend(&out, " and ", event.targets_size() - 1, " more");
    out += "\n";
  }
  return out;
}

Json ReleaseJson(const v1::Release& release) {
  return {
      {"commit", release.commit()}, {"run_id", release.run_id()}, {"unix_ms", release.unix_ms()}};
}

}  // namespace

std::string RenderChangesText(const v1::GetChangesResponse& changes) {
  const int64_t all = int64_t{changes.events_size()} + changes.older_events();
  std::string out = all == 0 ? "no change" : absl::StrCat(all, all == 1 ? " change" : " changes");
  absl::StrAppend(&out, " in ", changes.runs(), changes.runs() == 1 ? " run" : " runs");
  if (!changes.branch().empty()) absl::StrAppend(&out, " of ", base::Printable(changes.branch()));
  if (!changes.configuration().empty()) {
    absl::StrAppend(&out, ", configuration ", base::Printable(changes.configuration()));
  }
  out += all > 1 ? ", newest first\n" : "\n";
  for (const v1::ChangeEvent& event : changes.events()) {
    absl::StrAppend(&out, "\n", EventText(event));
  }
  if (changes.older_events() > 0) {
    absl::StrAppend(&out, "\n", changes.older_events(),
                    changes.older_events() == 1 ? " older change" : " older changes", ": --limit ",
                    all, " lists everything\n");
  }
  for (const std::string& warning : changes.warnings()) {
    absl::StrAppend(&out, "\nwarning: ", base::Printable(warning), "\n");
  }
  return out;
}

std::string RenderChangesJson(const v1::GetChangesResponse& changes) {
  Json json;
  json["schema"] = 1;
  json["branch"] = changes.branch();
  json["configuration"] = changes.configuration();
  json["runs"] = changes.runs();
  json["events"] = Json::array();
  for (const v1::ChangeEvent& event : changes.events())
    json["events"].push_back(ChangeEventJson(event));
  json["older_events"] = changes.older_events();
  json["warnings"] = Json::array();
  for (const std::string& warning : changes.warnings()) json["warnings"].push_back(warning);
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

Json ChangeEventJson(const v1::ChangeEvent& event) {
  const v1::Finding& cause = event.cause();
  Json json;
  json["commit"] = event.at().commit();
  json["run_id"] = event.at().run_id();
  json["unix_ms"] = event.at().unix_ms();
  json["last_before"] = ReleaseJson(event.last_before());
  json["first_after"] = ReleaseJson(event.first_after());
  json["commits"] = event.commits() == 0 ? Json(nullptr) : Json(event.commits());
  json["confirmed"] = event.confirmed();
  json["verdict"] = VerdictName(cause.verdict());
  json["metric"] = MetricName(cause.metric());
  json["function"] = cause.function();
  json["function_display"] = cause.function_display();
  json["caller"] = cause.caller().empty() ? Json(nullptr) : Json(cause.caller());
  json["caller_display"] = cause.caller().empty() ? Json(nullptr) : Json(cause.caller_display());
  json["site"] = {{"file", cause.site().file()}, {"line", cause.site().line()}};
  json["target"] = cause.target();
  json["before"] = cause.before();
  json["after"] = cause.after();
  json["exact"] = cause.exact();
  json["effect_percent"] = cause.effect_percent();
  json["one_run"] = cause.one_run();
  json["interval"] = cause.exact() || cause.one_run()
                         ? Json(nullptr)
                         : Json{cause.interval_low_percent(), cause.interval_high_percent()};
  const bool sampled = !cause.has_share_of_calls();
  json["impact"] = sampled ? Json(cause.impact()) : Json(nullptr);
  json["share_of_calls"] = sampled ? Json(nullptr) : Json(cause.share_of_calls());
  json["material"] = cause.material();
  json["following_functions"] = event.following_functions();
  json["other_causes"] = event.other_causes();
  json["targets"] = Json::array();
  for (const std::string& target : event.targets()) json["targets"].push_back(target);
  const v1::Culprit& culprit = event.culprit();
  json["culprit"] = event.has_culprit() ? Json{{"commit", culprit.commit()},
                                               {"author", culprit.author()},
                                               {"date", culprit.date()},
                                               {"subject", culprit.subject()}}
                                        : Json(nullptr);
  json["back_at"] = event.has_back_at() ? ReleaseJson(event.back_at()) : Json(nullptr);
  return json;
}

}  // namespace gprofhub::reporter
