#include "page/views/executions.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/sha256.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

constexpr absl::string_view kPassed = "PASSED";
// Status of a test of which only outputs were found.
constexpr absl::string_view kUnknown = "NO_STATUS";

std::string PlaceOf(absl::string_view what, absl::string_view name) {
  constexpr size_t kDigits = 16;
  return absl::StrCat(what, "-", base::Sha256Hex(name).substr(0, kDigits));
}

Html TimeOf(uint64_t milliseconds) {
  if (milliseconds == 0) return Html();
  return reporter::HumanTime(static_cast<double>(milliseconds) / 1000, "seconds");
}

bool IsLastAttempt(const v1::Target& target, int i) {
  if (i + 1 == target.execution_list_size()) return true;
  const v1::Execution& one = target.execution_list(i);
  const v1::Execution& next = target.execution_list(i + 1);
  return one.run_number() != next.run_number() || one.shard() != next.shard();
}

// Which numbers (run, shard, attempt) distinguish the executions.
struct Numbers {
  bool runs = false, shards = false, attempts = false;
};

Numbers NumbersOf(const v1::Target& target) {
  Numbers numbers;
  for (const v1::Execution& one : target.execution_list()) {
    numbers.runs = numbers.runs || one.run_number() > 1;
    numbers.shards = numbers.shards || one.shard() > 1;
    numbers.attempts = numbers.attempts || one.attempt() > 1;
  }
  return numbers;
}

Html ItemOf(const v1::Execution& one, const Numbers& numbers) {
  std::vector<std::string> words;
  if (numbers.runs) words.push_back(absl::StrCat("run ", one.run_number()));
  if (numbers.shards) words.push_back(absl::StrCat("shard ", one.shard()));
  if (numbers.attempts) words.push_back(absl::StrCat("attempt ", one.attempt()));
  std::vector<Html> pieces = {Html(absl::StrJoin(words, ", "))};
  for (const Html& piece : {one.status() == kUnknown ? Html() : ResultBadge(one.status()),
                            TimeOf(one.duration_ms()), Html(one.cached() ? "from a cache" : "")}) {
    if (piece.empty()) continue;
    if (!pieces.back().empty()) pieces.emplace_back(" ");
    pieces.push_back(piece);
  }
  return El("li", {}, Join(pieces));
}

}  // namespace

Html ResultOf(const v1::Target& target) {
  std::string status;
  bool is_flaky = false;
  for (int i = 0; i < target.execution_list_size(); ++i) {
    const std::string& word = target.execution_list(i).status();
    if (word.empty() || word == kUnknown) continue;
    if (!IsLastAttempt(target, i)) {
      is_flaky = is_flaky || word != kPassed;
    } else if (status.empty() || status == kPassed) {
      status = word;
    }
  }
  if (status.empty()) return Html();
  return ResultBadge(status == kPassed && is_flaky ? "FLAKY" : status);
}

Html ExecutionsOf(const v1::Target& target) {
  if (target.execution_list_size() < 2) return Count(target.executions());
  const Numbers numbers = NumbersOf(target);
  std::vector<Html> items;
  for (const v1::Execution& one : target.execution_list()) items.push_back(ItemOf(one, numbers));
  return El("details", {{"id", PlaceOf("executions", target.label())}, {"class", "executions"}},
            {El("summary", {}, Count(target.executions())), El("ul", {}, Join(items))});
}

Html TestTimeOf(const std::vector<const v1::Target*>& targets) {
  uint64_t milliseconds = 0;
  for (const v1::Target* target : targets) {
    for (const v1::Execution& one : target->execution_list()) milliseconds += one.duration_ms();
  }
  return TimeOf(milliseconds);
}

std::string TestOf(absl::string_view label) {
  return std::string(label.substr(0, label.find('#')));
}

std::string LogPlace(absl::string_view test) { return PlaceOf("log", test); }

}  // namespace gprofhub::page
