#include "store/testing/engines.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sqlite/open_sqlite.h"

namespace gprofhub::store {

namespace {

using sql::Rows;
using sql::Session;

class ExplainedSession final : public Session {
 public:
  ExplainedSession(Session& real, bool is_postgres, const OnPlan& on_plan)
      : real_(real), is_postgres_(is_postgres), on_plan_(on_plan) {}

  absl::StatusOr<Rows> Query(absl::string_view sql,
                             absl::Span<const sql::Parameter> parameters) override {
    if (IsExplained(sql)) {
      RETURN_IF_ERROR(Explain(sql, parameters));
    }
    return real_.Query(sql, parameters);
  }
  absl::Status AddBlob(const Blob& blob) override { return real_.AddBlob(blob); }
  absl::Status RemoveBlobBytes(const BlobName& name) override {
    return real_.RemoveBlobBytes(name);
  }

 private:
  static bool IsExplained(absl::string_view sql) {
    for (const absl::string_view verb : {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}) {
      if (absl::StartsWith(sql, verb)) return true;
    }
    return false;
  }

  absl::Status Explain(absl::string_view sql, absl::Span<const sql::Parameter> parameters) {
    if (is_postgres_) {
      RETURN_IF_ERROR(real_.Execute(
          "SELECT set_config('enable_seqscan', 'off', true), "
          "set_config('enable_bitmapscan', 'off', true), "
          "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)",
          {}));
    }
    ASSIGN_OR_RETURN(
        const Rows rows,
        real_.Query(
            absl::StrCat(is_postgres_ ? "EXPLAIN (COSTS OFF) " : "EXPLAIN QUERY PLAN ", sql),
            parameters));
    std::vector<std::string> plan;
    for (const sql::Row& row : rows) plan.push_back(row.Text(is_postgres_ ? 0 : 3));
    on_plan_(sql, std::move(plan));
    return absl::OkStatus();
  }

  Session& real_;
  const bool is_postgres_;
  const OnPlan& on_plan_;
};

class ExplainedDatabase final : public sql::Database {
 public:
  ExplainedDatabase(std::shared_ptr<Database> real, bool is_postgres, OnPlan on_plan)
      : real_(std::move(real)), is_postgres_(is_postgres), on_plan_(std::move(on_plan)) {}

  const sql::Dialect& dialect() const override { return real_->dialect(); }
  absl::Status Read(const Work& work) override { return real_->Read(In(work)); }
  absl::Status Write(const Work& work) override { return real_->Write(In(work)); }
  absl::Duration ClockSkew() override { return real_->ClockSkew(); }
  absl::Status Check() override { return real_->Check(); }
  sql::Connections connections() const override { return real_->connections(); }
  std::string folder() const override { return real_->folder(); }
  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    return real_->CheckIntegrity();
  }

 private:
  Work In(const Work& work) const {
    return [this, &work](Session& session) {
      ExplainedSession explained(session, is_postgres_, on_plan_);
      return work(explained);
    };
  }

  const std::shared_ptr<Database> real_;
  const bool is_postgres_;
  const OnPlan on_plan_;
};

}  // namespace

sql::Engine Explained(const sql::Engine& engine, bool is_postgres, OnPlan on_plan) {
  return {std::make_shared<ExplainedDatabase>(engine.database, is_postgres, std::move(on_plan)),
          engine.blob_bytes, engine.archive};
}

namespace {

class HookedBytes final : public sql::BlobBytes {
 public:
  HookedBytes(std::shared_ptr<sql::BlobBytes> real, std::function<absl::Status()> before_read)
      : real_(std::move(real)), before_read_(std::move(before_read)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override { return real_->Stage(blobs); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    RETURN_IF_ERROR(before_read_());
    return real_->Read(name);
  }

  int parts() const override { return real_->parts(); }
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) override { return real_->List(part); }
  absl::StatusOr<sql::RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                  absl::Time changed_before) override {
    return real_->RemoveUnnamed(names, changed_before);
  }
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return real_->RemoveIncoming(changed_before);
  }

 private:
  const std::shared_ptr<sql::BlobBytes> real_;
  const std::function<absl::Status()> before_read_;
};

}  // namespace

absl::StatusOr<Blobs> OpenHookedBlobs(const std::string& directory,
                                      std::function<absl::Status()> before_read) {
  ASSIGN_OR_RETURN(sql::Engine engine, sqlite::OpenSqlite(directory));
  auto bytes = std::make_shared<HookedBytes>(engine.blob_bytes, std::move(before_read));
  return Blobs(engine.database, std::move(bytes));
}

namespace {

// Few, so that lists of a test have several pages.
constexpr size_t kMostListed = 3;

}  // namespace

absl::Status MemoryObjects::Put(absl::string_view key, absl::string_view bytes) {
  RETURN_IF_ERROR(before("put", key));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, is_new] = objects_.emplace(key, Object{std::string(bytes), now});
    if (!is_new && at->second.bytes != bytes) {
      return absl::AlreadyExistsError(absl::StrCat("object ", key, " differs"));
    }
  }
  return after("put", key);
}

absl::StatusOr<std::string> MemoryObjects::Read(absl::string_view key, uint64_t offset,
                                                uint64_t length) {
  RETURN_IF_ERROR(before("read", key));
  std::string bytes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = objects_.find(std::string(key));
    if (at == objects_.end()) return absl::NotFoundError("there is none");
    const std::string& all = at->second.bytes;
    if (offset > all.size() || length > all.size() - offset) return absl::OutOfRangeError("short");
    bytes = all.substr(offset, length);
  }
  RETURN_IF_ERROR(after("read", key));
  return bytes;
}

absl::Status MemoryObjects::Delete(absl::string_view key) {
  RETURN_IF_ERROR(before("delete", key));
  Lose(std::string(key));
  return after("delete", key);
}

absl::StatusOr<ObjectPage> MemoryObjects::List(absl::string_view prefix, absl::string_view last) {
  RETURN_IF_ERROR(before("list", prefix));
  const std::lock_guard<std::mutex> lock(mutex_);
  ObjectPage page;
  for (const auto& [key, object] : objects_) {
    if (key <= last || !absl::StartsWith(key, prefix)) continue;
    if (page.objects.size() == kMostListed) {
      page.is_last = false;
      break;
    }
    page.objects.push_back({key, object.bytes.size(), object.changed});
  }
  return page;
}

std::vector<std::string> MemoryObjects::Keys(absl::string_view prefix) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    if (absl::StartsWith(key, prefix)) keys.push_back(key);
  }
  return keys;
}

std::string MemoryObjects::BytesOf(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return objects_.at(key).bytes;
}

void MemoryObjects::Change(const std::string& key, const std::string& bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_.at(key).bytes = bytes;
}

void MemoryObjects::Lose(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_.erase(key);
}

}  // namespace gprofhub::store
