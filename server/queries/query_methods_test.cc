#include "server/queries/query_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/query.pb.h"
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

}  // namespace

}  // namespace gprofhub::server
