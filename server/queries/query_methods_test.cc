#include "server/queries/query_methods.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/query.pb.h"
#include "reporter/testing/stored_runs.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

using collector::Scope;
using collector::Scopes;
using ::testing::HasSubstr;

// The table with its first row of this name changed.
template <typename Change>
std::string ErrorAfter(const std::string& name, Change change) {
  std::vector<QueryMethod> table = QueryTable();
  for (QueryMethod& row : table) {
    if (row.name == name) change(row);
  }
  const absl::Status status = CheckQueryTable(table);
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  return std::string(status.message());
}

class QueryMethodsTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<collector::Method>> Methods(const std::vector<QueryMethod>& table) {
    return QueryMethods(store_.reading, store_.blobs, decoding_, store_.gate, nullptr, "", table);
  }

  // Sends a request for project acme, by a caller of `project` who has `scopes`.
  absl::Status Send(const QueryMethod& row, const collector::Method& method, std::string project,
                    Scopes scopes) {
    const std::unique_ptr<google::protobuf::Message> request(row.request->New());
    request->GetReflection()->SetString(
        request.get(), request->GetDescriptor()->FindFieldByName("project"), "acme");
    collector::CallContext context;
    context.caller.project = std::move(project);
    context.caller.scopes = scopes;
    return method.start(std::move(context))->Receive(request->SerializeAsString());
  }

 private:
  const store::Store store_ = store::MakeTempStore();
  base::MemoryBudget decoding_{uint64_t{64} << 20};
};

TEST_F(QueryMethodsTest, MethodWithoutARowIsRefused) {
  EXPECT_TRUE(Methods(QueryTable()).ok());
  for (size_t i = 0; i < QueryTable().size(); ++i) {
    std::vector<QueryMethod> table = QueryTable();
    table.erase(table.begin() + static_cast<std::ptrdiff_t>(i));
    const auto methods = Methods(table);
    EXPECT_THAT(methods.status().message(), HasSubstr(QueryTable()[i].name + ": no row"));
  }
}

TEST_F(QueryMethodsTest, RowThatDoesNotFitItsMethodIsRefused) {
  EXPECT_THAT(ErrorAfter("GetRun", [](QueryMethod& row) { row.name = "GetTuna"; }),
              HasSubstr("GetTuna: not a method"));
  EXPECT_THAT(ErrorAfter("GetRun", [](QueryMethod& row) { row = QueryTable().front(); }),
              HasSubstr("several rows"));
  EXPECT_THAT(
      ErrorAfter("GetRun",
                 [](QueryMethod& row) { row.request = &v1::ListRunsRequest::default_instance(); }),
      HasSubstr("messages of another method"));
}

TEST_F(QueryMethodsTest, RouteThatWritesOrDoesNotFitItsRequestIsRefused) {
  EXPECT_THAT(ErrorAfter("Acknowledge",
                         [](QueryMethod& row) { row.http.path = "/projects/{project}/accept"; }),
              HasSubstr("needs the scope read"));
  EXPECT_THAT(ErrorAfter("GetRun", [](QueryMethod& row) { row.http.path = "/runs/{run}"; }),
              HasSubstr("no {project}"));
  EXPECT_THAT(ErrorAfter("GetRun", [](QueryMethod& row) { row.http.path = "/{project}/{tuna}"; }),
              HasSubstr("no text field {tuna}"));
  EXPECT_THAT(ErrorAfter("GetRun",
                         [](QueryMethod& row) {
                           row.http.parameters = {{"project", ""}};
                         }),
              HasSubstr("no parameter project"));
  EXPECT_THAT(ErrorAfter("GetOrdering",
                         [](QueryMethod& row) {
                           row.http = {"/projects/{project}/ordering", "", {{"more_runs", ""}}};
                         }),
              HasSubstr("no parameter more_runs"));
}

TEST_F(QueryMethodsTest, EachMethodNeedsItsScopeForTheProject) {
  const auto methods = Methods(QueryTable());
  ASSERT_TRUE(methods.ok()) << methods.status();
  for (size_t i = 0; i < methods->size(); ++i) {
    const QueryMethod& row = QueryTable()[i];
    SCOPED_TRACE(row.name);
    const Scopes own = Scopes().With(row.scope);
    EXPECT_TRUE(Send(row, (*methods)[i], "acme", own).ok());
    EXPECT_TRUE(absl::IsPermissionDenied(Send(row, (*methods)[i], "other", Scopes::All())));
    for (const Scope scope : {Scope::kUpload, Scope::kRead, Scope::kAcknowledge, Scope::kAdmin}) {
      if (scope == row.scope) continue;
      EXPECT_TRUE(absl::IsPermissionDenied(Send(row, (*methods)[i], "acme", Scopes().With(scope))));
    }
  }
}

TEST_F(QueryMethodsTest, WritesNeedMoreThanReading) {
  std::map<std::string, Scope> writes;
  for (const QueryMethod& row : QueryTable()) {
    if (row.scope != Scope::kRead) writes.emplace(row.name, row.scope);
  }
  EXPECT_EQ(writes, (std::map<std::string, Scope>{{"Acknowledge", Scope::kAcknowledge},
                                                  {"TakeBackAcknowledgement", Scope::kAcknowledge},
                                                  {"RecordGated", Scope::kUpload},
                                                  {"RecordCulprit", Scope::kUploadMain}}));
}

// Two releases and a pull request, and a server whose calls are counted: those of the store, and
// the checks whether the client still waits.
class CancelledQueriesTest : public reporter::StoredRunsTest {
 protected:
  // Accesses to the store between two checks: a query, and the two of a blob.
  static constexpr int kMostAtOnce = 3;

  void SetUp() override {
    Upload('a');
    Analyze(reporter::Profile(10));
    Upload('b', {reporter::Commit('a')});
    Analyze(reporter::Profile(20));
    Upload('c', {reporter::Commit('b')}, reporter::Commit('b'));
    Analyze(reporter::Profile(40));
  }

  // A request that makes the method work. A new method needs one, too.
  static std::unique_ptr<google::protobuf::Message> RequestOf(const QueryMethod& row) {
    static const std::map<std::string, std::string> kFields = {
        {"ListRuns", "with_targets: true"},
        {"GetRun", "run: 'latest' with_executions: true"},
        {"GetProfile", "run: 'latest'"},
        {"GetListing", "run: 'latest' kind: FLAT"},
        {"Compare", "head: '#12'"},
        {"Explain", "head: '#12' finding: '0123456789abcdef'"},
        {"GetTrend", "function: '_Z5parsei'"},
        {"GetChanges", ""},
        {"GetOrdering", "history: 3"},
        {"Acknowledge",
         "acknowledgement { pull_request: '12' function: 'parse' author: 'ann' reason: 'known' }"},
        {"ListAcknowledgements", ""},
        {"TakeBackAcknowledgement", "id: 1"},
        {"RecordGated",
         "run: '3' gated { rule: 'counts' target: '//db:query_test' function: 'parse' }"},
        {"GetGateStats", ""},
        {"GetAskedRerun", "run: '3'"},
        {"RecordCulprit",
         "target: '//db:query_test' function: '_Z5parsei' "
         "base_commit: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' "
         "head_commit: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' "
         "culprit { commit: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' }"},
    };
    const auto fields = kFields.find(row.name);
    EXPECT_NE(fields, kFields.end()) << row.name;
    if (fields == kFields.end()) return nullptr;
    std::unique_ptr<google::protobuf::Message> request(row.request->New());
    const std::string text = absl::StrCat("project: 'acme' ", fields->second);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, request.get())) << row.name;
    return request;
  }

  struct Work {
    absl::Status status;
    int checks = 0;
    int accesses = 0;
    int most_at_once = 0;
    int after = 0;  // accesses once the client had gone
  };

  // The client has gone at check number `gone_at`.
  Work Call(const QueryMethod& row, int gone_at) {
    Work work;
    int at_once = 0;
    const auto store = store::OpenStore(
        "sqlite:" + folder_, store::OpenMode::kExisting, nullptr, [&](const store::StoreCall&) {
          ++work.accesses;
          work.most_at_once = std::max(work.most_at_once, ++at_once);
        });
    EXPECT_TRUE(store.ok()) << store.status();
    base::MemoryBudget decoding(uint64_t{64} << 20);
    const auto methods = QueryMethods(store->reading, store->blobs, decoding, store->gate);
    EXPECT_TRUE(methods.ok()) << methods.status();
    work.accesses = at_once = work.most_at_once = 0;
    collector::CallContext context;
    context.caller.project = reporter::kProject;
    context.caller.scopes = Scopes::All();
    context.charge = [](const std::string&, uint64_t) { return absl::OkStatus(); };
    context.cancelled = [&] {
      at_once = 0;
      return work.checks++ >= gone_at;
    };
    const auto request = RequestOf(row);
    if (request == nullptr) return work;
    const auto& method = (*methods)[static_cast<size_t>(&row - QueryTable().data())];
    const auto handler = method.start(std::move(context));
    EXPECT_TRUE(handler->Receive(request->SerializeAsString()).ok()) << row.name;
    work.status = handler->Answer().status();
    return work;
  }
};

TEST_F(CancelledQueriesTest, NoMethodWorksOnAfterItsClientHasGone) {
  for (const QueryMethod& row : QueryTable()) {
    SCOPED_TRACE(row.name);
    const Work whole = Call(row, std::numeric_limits<int>::max());
    EXPECT_FALSE(absl::IsCancelled(whole.status));
    EXPECT_GT(whole.accesses, 0) << whole.status;
    EXPECT_LE(whole.most_at_once, kMostAtOnce);
    for (int gone_at = 0; gone_at < whole.checks; ++gone_at) {
      const Work work = Call(row, gone_at);
      EXPECT_TRUE(absl::IsCancelled(work.status)) << gone_at << ": " << work.status;
      EXPECT_EQ(work.after, 0) << gone_at;
    }
  }
}

}  // namespace

}  // namespace gprofhub::server
