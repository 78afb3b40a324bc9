#include "store/postgres/pipeline.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "store/postgres/server_errors.h"

namespace gprofhub::store::postgres {
namespace {

constexpr Oid kBytea = 17;
constexpr int kText = 0;
constexpr int kBinary = 1;

// The text of some statements depends on the query's parameters.
constexpr size_t kMostKept = 100;

// The parameters in libpq's form. PostgreSQL infers the types of texts. Bytes are passed in binary.
class Values {
 public:
  explicit Values(absl::Span<const sql::Parameter> parameters) : texts_(parameters.size()) {
    for (size_t i = 0; i < parameters.size(); ++i) Add(parameters[i], texts_[i]);
  }

  int count() const { return static_cast<int>(values_.size()); }
  const Oid* types() const { return types_.data(); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void Add(const sql::Parameter& parameter, std::string& text) {
    if (const auto* bytes = std::get_if<sql::Bytes>(&parameter)) {
      // An empty view may have no address, which would be NULL.
      values_.push_back(bytes->value.empty() ? "" : bytes->value.data());
      types_.push_back(kBytea);
      lengths_.push_back(static_cast<int>(bytes->value.size()));
      formats_.push_back(kBinary);
      return;
    }
    const int64_t* number = std::get_if<int64_t>(&parameter);
    text = number != nullptr ? absl::StrCat(*number)
                             : std::string(std::get<absl::string_view>(parameter));
    values_.push_back(text.c_str());
    types_.push_back(0);
    lengths_.push_back(0);
    formats_.push_back(kText);
  }

  std::vector<std::string> texts_;
  std::vector<const char*> values_;
  std::vector<Oid> types_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace

Pipeline::Pipeline(const Location& location, PGconn* connection, bool keeps)
    : location_(location), connection_(connection), keeps_(keeps) {
  PQenterPipelineMode(connection_);
}

absl::Status Pipeline::Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters,
                            Keep keep) {
  const Values values(parameters);
  const std::string text(sql);
  const bool is_kept =
      keeps_ && keep == Keep::kYes && (names_.size() < kMostKept || names_.contains(text));
  int sent = 1;
  if (!is_kept) {
    sent = PQsendQueryParams(connection_, text.c_str(), values.count(), values.types(),
                             values.values(), values.lengths(), values.formats(), kText);
  } else {
    const auto [kept, is_new] = names_.try_emplace(text);
    if (is_new) {
      kept->second = absl::StrCat("gprofhub_", ++named_);
      sent = PQsendPrepare(connection_, kept->second.c_str(), text.c_str(), values.count(),
                           values.types());
      sent_.push_back(text);
    }
    if (sent == 1) {
      sent = PQsendQueryPrepared(connection_, kept->second.c_str(), values.count(), values.values(),
                                 values.lengths(), values.formats(), kText);
    }
  }
  sent_.emplace_back();
  return sent == 1 ? absl::OkStatus() : ConnectionError(location_, connection_);
}

absl::StatusOr<std::vector<ResultHandle>> Pipeline::ReadAnswers(
    const std::vector<std::string>& sent) {
  std::vector<ResultHandle> answers;
  absl::Status failed;
  size_t answered = 0;
  for (int nothing = 0; nothing < 2;) {  // once is the end of a statement's answer
    ResultHandle result(PQgetResult(connection_));
    nothing = result == nullptr ? nothing + 1 : 0;
    if (result == nullptr) continue;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) {
      if (!failed.ok()) return failed;
      return answers;
    }
    const bool ok = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    // PGRES_PIPELINE_ABORTED: one before has failed.
    if (!ok && status != PGRES_PIPELINE_ABORTED && failed.ok()) {
      failed = StatementError(location_, result.get());
    }
    const bool was_to_keep = answered < sent.size() && !sent[answered].empty();
    if (was_to_keep && !ok) names_.erase(sent[answered]);
    if (!was_to_keep && ok) answers.push_back(std::move(result));
    ++answered;
  }
  return failed.ok() ? ConnectionError(location_, connection_) : failed;
}

absl::StatusOr<std::vector<ResultHandle>> Pipeline::Wait() {
  if (PQpipelineSync(connection_) != 1) return ConnectionError(location_, connection_);
  for (; left_ > 0; --left_) {
    const auto unwanted = ReadAnswers({});
    if (Broken()) return ConnectionError(location_, connection_);
  }
  return ReadAnswers(std::exchange(sent_, {}));
}

void Pipeline::Leave() {
  if (PQpipelineSync(connection_) == 1) ++left_;
  // Unread answers include whether they were prepared.
  for (const std::string& statement : std::exchange(sent_, {})) names_.erase(statement);
}

absl::Status Pipeline::Script(absl::string_view sql) {
  // Not before: it ends the mode only when nothing is on its way.
  PQexitPipelineMode(connection_);
  const ResultHandle result(PQexec(connection_, std::string(sql).c_str()));
  PQenterPipelineMode(connection_);
  if (result == nullptr) return ConnectionError(location_, connection_);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
    return absl::OkStatus();
  }
  return StatementError(location_, result.get());
}

}  // namespace gprofhub::store::postgres
