#include "cli/serve/http/pages/pictures.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "page/charts/trend_picture.h"
#include "profile/names/demangle.h"
#include "reporter/posting/picture_link.h"
#include "reporter/queries/trends/trend.h"

namespace gprofhub::cli {
namespace {

// Includes runs newer than that of the picture.
constexpr uint32_t kRunsToLookAt = 200;

// Drops newer runs. Levels keep the begin that is known now.
void DropPointsAfter(const std::string& run, v1::GetTrendResponse& trend) {
  int last = trend.points_size() - 1;
  while (last >= 0 && trend.points(last).run_id() != run) --last;
  if (last < 0) return;
  trend.mutable_points()->DeleteSubrange(last + 1, trend.points_size() - last - 1);
}

absl::StatusOr<std::string> MakePicture(const PageStore& store,
                                        const reporter::TrendPicture& picture) {
  const absl::StatusOr<store::RunRecord> run = store.reading.ReadRun(picture.run_id);
  if (!run.ok()) return run.status();
  if (run->project != picture.project) return absl::NotFoundError("of another project");
  v1::GetTrendRequest request;
  request.set_project(picture.project);
  request.set_function(picture.function);
  request.set_target(picture.target);
  request.set_limit(kRunsToLookAt);
  absl::StatusOr<v1::GetTrendResponse> trend =
      reporter::GetTrend(store.reading, store.blobs, request, &store.memory->queries);
  if (!trend.ok()) return trend.status();
  DropPointsAfter(absl::StrCat(picture.run_id), *trend);
  page::TrendPictureText text;
  text.function = profile::Demangle(picture.function);
  text.target = picture.target;
  text.base_commit = picture.base_commit;
  text.head_commit = run->commit;
  return page::TrendPictureSvg(
      text, *trend, picture.is_time ? page::TrendValue::kSelfTime : page::TrendValue::kCalls);
}

PageAnswer NoPicture() {
  PageAnswer answer;
  answer.code = 404;
  answer.type = "text/plain; charset=utf-8";
  answer.body = "There is no such page.\n";
  return answer;
}

}  // namespace

bool IsPicture(const PageRequest& request) {
  return !request.is_post && request.Is({"picture", "trend.svg"});
}

PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request) {
  const std::optional<reporter::TrendPicture> picture =
      reporter::SignedPicture(request.query, sources.pictures.now(), sources.pictures.key);
  if (!picture.has_value()) return NoPicture();
  absl::StatusOr<std::string> svg = MakePicture(sources.store, *picture);
  if (!svg.ok()) return NoPicture();
  PageAnswer answer;
  answer.type = "image/svg+xml";
  answer.body = *std::move(svg);
  answer.is_picture = true;
  return answer;
}

}  // namespace gprofhub::cli
