#include "ci/upload/upload.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "ci/upload/prepare_execution.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"

namespace gprofhub::ci {

BoundedWork::BoundedWork(size_t threads, uint64_t most_bytes)
    : most_pieces_(threads + 1), most_bytes_(most_bytes) {
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

BoundedWork::~BoundedWork() {
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void BoundedWork::Add(uint64_t bytes, std::function<void()> work) {
  const auto has_room = [this, bytes]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return pieces_ == 0 || (pieces_ < most_pieces_ && bytes_ + bytes <= most_bytes_);
  };
  absl::MutexLock lock(&mutex_, absl::Condition(&has_room));
  ++pieces_;
  bytes_ += bytes;
  waiting_.push({bytes, std::move(work)});
}

void BoundedWork::Run() {
  const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ending_ || !waiting_.empty();
  };
  for (;;) {
    Piece piece;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(&has_work));
      if (waiting_.empty()) return;
      piece = std::move(waiting_.front());
      waiting_.pop();
    }
    piece.work();
    piece.work = nullptr;  // frees its captures before the bytes are released
    absl::MutexLock lock(&mutex_);
    --pieces_;
    bytes_ -= piece.bytes;
  }
}

namespace {

namespace fs = std::filesystem;

// Bytes of a file that name it, together with its size. One test's file of any size, or one that
// cannot be read, must not end the upload of all tests.
constexpr uint64_t kNamingBytes = 64 << 20;

// The output itself, or the files in that folder.
std::vector<std::string> FilesOf(const std::string& output) {
  std::error_code error;
  if (!fs::is_directory(output, error)) return {output};
  std::vector<std::string> files;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(output, kSkip, error), end; entry != end;
       entry.increment(error)) {
    std::error_code vanished;
    if (fs::is_regular_file(entry->symlink_status(vanished))) files.push_back(entry->path());
  }
  return files;
}

struct Contents {
  std::vector<std::string> lines;  // executions, each with the hash of its file
  int64_t oldest_unix_ms = 0;      // 0: unknown
  absl::Status error;              // of the last file that could not be read
};

void Add(const TestAttempt& attempt, const std::string& file, Contents& contents) {
  std::error_code error;
  const uint64_t size = fs::file_size(file, error);
  if (error) {
    contents.error = absl::NotFoundError(absl::StrCat(file, ": ", error.message()));
    return;
  }
  const std::string bytes = base::ReadBeginning(file, std::min(size, kNamingBytes));
  contents.lines.push_back(absl::StrCat(Describe(attempt), " ", size, " ", base::Sha256Hex(bytes)));
  const int64_t unix_ms = WrittenUnixMs(file);
  if (unix_ms != 0 && (contents.oldest_unix_ms == 0 || unix_ms < contents.oldest_unix_ms)) {
    contents.oldest_unix_ms = unix_ms;
  }
}

}  // namespace

absl::Status CompleteRun(const std::vector<TestAttempt>& attempts, v1::RunInfo& run) {
  if (!run.run_key().empty() && run.started_unix_ms() != 0) return absl::OkStatus();
  Contents contents;
  for (const TestAttempt& attempt : attempts) {
    for (const std::string& output : attempt.outputs) {
      for (const std::string& file : FilesOf(output)) {
        Add(attempt, file, contents);
      }
    }
    for (const OutputFile& file : attempt.output_files) {
      std::error_code error;
      if (!fs::is_regular_file(fs::symlink_status(file.place, error))) continue;
      Add(attempt, file.place, contents);
    }
  }
  if (contents.lines.empty()) RETURN_IF_ERROR(contents.error);
  if (run.run_key().empty()) {
    std::sort(contents.lines.begin(), contents.lines.end());
    std::string all = absl::StrCat(run.commit(), "\n", run.configuration(), "\n");
    for (const std::string& line : contents.lines) absl::StrAppend(&all, line, "\n");
    const absl::string_view kind = run.profile_kind() == v1::WINDOW ? "window-" : "files-";
    run.set_run_key(absl::StrCat(kind, base::Sha256Hex(all).substr(0, 32)));
  }
  if (run.started_unix_ms() == 0) {
    run.set_started_unix_ms(std::max<int64_t>(contents.oldest_unix_ms, 1));
  }
  return absl::OkStatus();
}

namespace {

// Of executions that are being sent, and of the next one.
constexpr uint64_t kMostBytesAtOnce = 256 << 20;

// Whether the error leaves further executions unaffected.
bool ConcernsThisExecutionOnly(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return true;
    default:
      return false;
  }
}

bool InOrder(const TestAttempt& a, const TestAttempt& b) {
  return std::tie(a.label, a.configuration, a.run, a.shard, a.attempt) <
         std::tie(b.label, b.configuration, b.run, b.shard, b.attempt);
}

// Sets the execution's run. Its kind is the planned one, unless its profiles are stacks.
void NameRun(const v1::RunInfo& planned, const TestAttempt& attempt, bool several_configurations,
             v1::RunInfo& run) {
  const bool is_sampled = run.profile_kind() == v1::SAMPLED;
  run = planned;
  if (is_sampled) run.set_profile_kind(v1::SAMPLED);
  if (!run.configuration().empty()) return;
  run.set_configuration(attempt.configuration);
  if (several_configurations) {
    run.set_run_key(absl::StrCat(run.run_key(), "/", attempt.configuration));
  }
}

// Sends the execution and adds the result to the summary. Returns the message to print, or the
// error.
absl::StatusOr<std::string> Send(const PreparedExecution& prepared, const UploadSteps& steps,
                                 UploadSummary& summary) {
  std::string said = absl::StrCat(prepared.profiles.size(),
                                  prepared.profiles.size() == 1 ? " profile" : " profiles");
  if (!steps.send) return said;
  ASSIGN_OR_RETURN(const UploadOutcome outcome, steps.send(prepared.header, prepared.blobs));
  summary.run_ids.insert(outcome.response.run_id());
  summary.bytes_sent += outcome.bytes_sent;
  if (outcome.response.already_present()) ++summary.already_present;
  if (prepared.profiles.empty()) {
    if (outcome.response.profiles() == 0) return "no local profile, and none on the server";
    ++summary.found;
    return "the server has its profile";
  }
  if (outcome.response.already_present()) return absl::StrCat(said, ", already on the server");
  return absl::StrCat(said, ", ", outcome.bytes_sent, " bytes sent");
}

std::string Describe(const v1::ExecutionInfo& execution) {
  TestAttempt attempt;
  attempt.label = execution.target();
  attempt.run = execution.run_number();
  attempt.shard = execution.shard();
  attempt.attempt = execution.attempt();
  return Describe(attempt);
}

// Sends the prepared execution. Returns the message to print, or an error that would affect every
// further execution.
absl::StatusOr<std::string> SendPrepared(const PreparedExecution& prepared,
                                         const UploadSteps& steps, UploadSummary& summary) {
  for (const auto& [sha256, bytes] : prepared.blobs) summary.bytes_total += bytes.size();
  absl::StatusOr<std::string> said = Send(prepared, steps, summary);
  if (!said.ok()) {
    if (!ConcernsThisExecutionOnly(said.status())) return said.status();
    summary.skipped.push_back(
        absl::StrCat(Describe(prepared.header.execution()), ": ", said.status().message()));
    return std::string(said.status().message());
  }
  ++summary.executions;
  summary.cached += prepared.header.execution().cached() ? 1 : 0;
  summary.profiles += prepared.profiles.size();
  for (const auto& [build_id, image] : prepared.images) summary.images.insert(build_id);
  return said;
}

// One test execution, ready to be sent.
struct PreparedAttempt {
  std::string name;
  std::vector<PreparedExecution> units;  // to send
  std::vector<std::string> left_out;
};

// Result of sending it.
struct SentAttempt {
  UploadSummary summary;  // of this execution alone
  std::string said;       // message for the user
};

PreparedAttempt Prepare(const UploadPlan& plan, const TestAttempt& attempt,
                        bool several_configurations, const UploadSteps& steps) {
  PreparedAttempt prepared;
  prepared.name = Describe(attempt);
  for (PreparedExecution& unit :
       PrepareExecutions(attempt, steps.search, steps.bundles, prepared.left_out)) {
    if (unit.profiles.empty()) {
      const bool asks = AsksForProfile(attempt, unit.header, !prepared.left_out.empty());
      if (!asks || steps.send == nullptr) continue;
      if (prepared.left_out.empty()) prepared.left_out.emplace_back(kNoOutputsNamed);
    }
    NameRun(plan.run, attempt, several_configurations, *unit.header.mutable_run());
    prepared.units.push_back(std::move(unit));
  }
  return prepared;
}

uint64_t BytesOf(const PreparedAttempt& attempt) {
  uint64_t bytes = 0;
  for (const PreparedExecution& unit : attempt.units) {
    for (const auto& [sha256, blob] : unit.blobs) bytes += blob.size();
  }
  return bytes;
}

// Blobs whose first upload is in progress. Another execution that needs one of them waits until the
// server has it, so that it is sent once. The shards of a test share its program's symbols.
class FirstSendings {
 public:
  // During its lifetime, the uploads of `blobs` are in progress.
  class Sending {
   public:
    Sending(FirstSendings& all, const BlobBytes& blobs) : all_(all) {
      const auto is_free = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(all.mutex_) {
        for (const auto& [sha256, bytes] : blobs) {
          if (all.under_way_.contains(sha256)) return false;
        }
        return true;
      };
      absl::MutexLock lock(&all.mutex_, absl::Condition(&is_free));
      for (const auto& [sha256, bytes] : blobs) {
        if (!all.known_.insert(sha256).second) continue;
        all.under_way_.insert(sha256);
        own_.push_back(sha256);
      }
    }
    ~Sending() {
      absl::MutexLock lock(&all_.mutex_);
      for (const std::string& sha256 : own_) all_.under_way_.erase(sha256);
    }
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;

   private:
    FirstSendings& all_;
    std::vector<std::string> own_;
  };

 private:
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> known_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> under_way_ ABSL_GUARDED_BY(mutex_);
};

SentAttempt SendAttempt(const PreparedAttempt& attempt, FirstSendings& sendings,
                        const UploadSteps& steps) {
  SentAttempt sent;
  UploadSummary& summary = sent.summary;
  std::vector<std::string> said;
  for (const PreparedExecution& prepared : attempt.units) {
    const FirstSendings::Sending sending(sendings, prepared.blobs);
    absl::StatusOr<std::string> one = SendPrepared(prepared, steps, summary);
    if (!one.ok()) {
      summary.status = one.status();
      return sent;
    }
    said.push_back(*std::move(one));
  }
  // A local profile that is missing does not matter if the server has it.
  if (summary.found == 0) {
    summary.skipped.insert(summary.skipped.end(), attempt.left_out.begin(), attempt.left_out.end());
  }
  if (said.size() == 1) {
    sent.said = said.front();
  } else if (!said.empty()) {
    sent.said = absl::StrCat(said.size(), " cases");
  } else if (!attempt.left_out.empty()) {
    sent.said = "skipped";
  } else {
    ++summary.without_profiles;
    sent.said = "no profiles";
  }
  return sent;
}

void Add(UploadSummary&& part, UploadSummary& sum) {
  sum.run_ids.merge(part.run_ids);
  sum.executions += part.executions;
  sum.already_present += part.already_present;
  sum.cached += part.cached;
  sum.found += part.found;
  sum.without_profiles += part.without_profiles;
  sum.profiles += part.profiles;
  sum.bytes_sent += part.bytes_sent;
  sum.bytes_total += part.bytes_total;
  sum.images.merge(part.images);
  for (std::string& skipped : part.skipped) sum.skipped.push_back(std::move(skipped));
  sum.status.Update(part.status);
}

// Shared by the sending threads.
class Progress {
 public:
  Progress(const UploadSteps& steps, size_t total) : steps_(steps), total_(total) {}

  bool Failed() {
    absl::MutexLock lock(&mutex_);
    return failed_;
  }
  void Note(const std::string& name, const SentAttempt& sent) {
    absl::MutexLock lock(&mutex_);
    if (!sent.summary.status.ok()) {
      failed_ = true;
      return;
    }
    steps_.progress(++done_, total_, absl::StrCat(name, ": ", sent.said));
  }

 private:
  const UploadSteps& steps_;
  const size_t total_;
  absl::Mutex mutex_;
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  bool failed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

UploadSummary UploadAttempts(UploadPlan plan, const UploadSteps& steps) {
  // Executions of one test share its image.
  std::sort(plan.attempts.begin(), plan.attempts.end(), InOrder);
  std::set<std::string> configurations;
  for (const TestAttempt& attempt : plan.attempts) configurations.insert(attempt.configuration);

  // Results are indexed, so that they are printed in order.
  std::vector<SentAttempt> sent(plan.attempts.size());
  Progress progress(steps, plan.attempts.size());
  FirstSendings sendings;
  {
    BoundedWork work(steps.at_once, kMostBytesAtOnce);
    for (size_t i = 0; i < plan.attempts.size() && !progress.Failed(); ++i) {
      auto prepared = std::make_shared<PreparedAttempt>(
          Prepare(plan, plan.attempts[i], configurations.size() > 1, steps));
      const uint64_t bytes = BytesOf(*prepared);
      work.Add(bytes, [prepared, &steps, &progress, &sendings, &place = sent[i]] {
        if (progress.Failed()) return;
        place = SendAttempt(*prepared, sendings, steps);
        progress.Note(prepared->name, place);
      });
    }
  }
  UploadSummary summary;
  for (SentAttempt& one : sent) Add(std::move(one.summary), summary);
  return summary;
}

}  // namespace gprofhub::ci
