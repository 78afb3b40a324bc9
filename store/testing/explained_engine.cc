#include "store/testing/explained_engine.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"

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
      absl::Status status = Explain(sql, parameters);
      if (!status.ok()) return status;
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
      absl::Status status = real_.Execute(
          "SELECT set_config('enable_seqscan', 'off', true), "
          "set_config('enable_bitmapscan', 'off', true), "
          "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)",
          {});
      if (!status.ok()) return status;
    }
    const absl::StatusOr<Rows> rows = real_.Query(
        absl::StrCat(is_postgres_ ? "EXPLAIN (COSTS OFF) " : "EXPLAIN QUERY PLAN ", sql),
        parameters);
    if (!rows.ok()) return rows.status();
    std::vector<std::string> plan;
    for (const sql::Row& row : *rows) plan.push_back(row.Text(is_postgres_ ? 0 : 3));
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

}  // namespace gprofhub::store
