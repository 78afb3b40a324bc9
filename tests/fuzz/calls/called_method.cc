#include "tests/fuzz/calls/called_method.h"

#include <google/protobuf/stubs/logging.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/worker/target_images.h"
#include "analyzer/worker/worker.h"
#include "collector/testing/sample_upload.h"
#include "collector/upload_session.h"

namespace gprofhub::tests {
namespace {

std::string Folder() {
  std::string folder = "/dev/shm/gprofhub-fuzz-XXXXXX";
  return mkdtemp(folder.data()) == nullptr ? store::MakeTempDir() : folder;
}

// Removes the folder with the process.
class FilledStore {
 public:
  FilledStore() : folder_(Folder()), store_(store::MakeTempStore(folder_)) {
    spdlog::set_level(spdlog::level::off);
    google::protobuf::SetLogHandler(nullptr);
    collector::CollectorService service(store_.blobs, store_.ingest, store_.reading, {});
    std::vector<std::string> messages;
    for (const v1::UploadRequest& message : collector::MakeSampleUpload(1).Messages()) {
      messages.push_back(message.SerializeAsString());
    }
    const std::vector<collector::Method> methods = service.Methods();
    const absl::Status sent = Call(MethodNamed(methods, "/Upload"), messages);
    if (!sent.ok()) {
      std::fprintf(stderr, "the sample upload is refused: %s\n", sent.ToString().c_str());
      std::abort();
    }
    analyzer::WorkerOptions options;
    options.name = "fuzz";
    analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                            options);
    while (*worker.RunOnce()) {
    }
  }
  ~FilledStore() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  const store::Store& store() const { return store_; }

 private:
  const std::string folder_;
  const store::Store store_;
};

void CheckIsAboutTheClient(const absl::Status& status) {
  const bool is_ours = absl::IsInternal(status) || absl::IsUnknown(status) ||
                       absl::IsUnavailable(status) || status.message().empty();
  if (status.ok() || !is_ours) return;
  std::fprintf(stderr, "the server is to blame: %s\n", status.ToString().c_str());
  std::abort();
}

}  // namespace

const collector::Method& MethodNamed(const std::vector<collector::Method>& methods,
                                     absl::string_view name) {
  for (const collector::Method& method : methods) {
    if (absl::EndsWith(method.name, name)) return method;
  }
  std::abort();
}

absl::Status Call(const collector::Method& method, const std::vector<std::string>& messages) {
  collector::CallContext context;
  context.caller.anonymous = true;
  context.caller.scopes = collector::Scopes::All();
  context.caller.actor.name = "fuzz";
  context.cancelled = [] { return false; };
  const std::unique_ptr<collector::CallHandler> handler = method.start(std::move(context));
  absl::Status status;
  for (const std::string& message : messages) {
    status = handler->Receive(message);
    if (!status.ok()) break;
    if (method.one_message) break;
  }
  if (status.ok()) {
    absl::StatusOr<collector::NextMessage> next = handler->Answer();
    status = next.status();
    while (next.ok() && (*next)().has_value()) {
    }
  }
  CheckIsAboutTheClient(status);
  return status;
}

const store::Store& FuzzedStore() {
  static const FilledStore filled;
  return filled.store();
}

}  // namespace gprofhub::tests
