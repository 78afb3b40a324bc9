// Contract tests: health of the store, for operators.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/condition.h"
#include "store/contract/helpers.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The queue of this kind; fails the test if it is missing.
QueueCondition QueueOf(const Store& store, absl::string_view kind, absl::Time now = kNow) {
  const absl::StatusOr<std::vector<QueueCondition>> queues = store.condition.ReadQueues(now);
  EXPECT_TRUE(queues.ok()) << queues.status();
  if (!queues.ok()) return {};
  for (const QueueCondition& queue : *queues) {
    if (queue.kind == kind) return queue;
  }
  ADD_FAILURE() << "no queue " << kind;
  return {};
}

NewExecution OfProject(const std::string& project, const std::string& target) {
  NewExecution execution = MakeExecution();
  execution.run.project = project;
  execution.run.pull_request = "17";
  execution.execution.target = target;
  return execution;
}

TEST_P(StoreContractTest, AnEmptyStoreHasEmptyQueues) {
  EXPECT_OK(store_->condition.Check());
  for (const char* kind : {"analysis", "report", "notification"}) {
    const QueueCondition queue = QueueOf(*store_, kind);
    EXPECT_EQ(queue.waiting + queue.running + queue.later + queue.failed, 0u) << kind;
    EXPECT_EQ(queue.oldest_id, 0) << kind;
    EXPECT_EQ(queue.oldest, absl::InfiniteFuture()) << kind;
    EXPECT_THAT(queue.projects, IsEmpty()) << kind;
  }
}

TEST_P(StoreContractTest, AnalysesAreCountedByStateAndProject) {
  Record(*store_, OfProject("a", "//1"), kNow - absl::Minutes(3));
  Record(*store_, OfProject("b", "//1"), kNow - absl::Minutes(2));
  Record(*store_, OfProject("b", "//2"), kNow - absl::Minutes(1));
  Record(*store_, OfProject("c", "//1"), kNow);
  Record(*store_, OfProject("c", "//2"), kNow);
  const Job failing = Claim(*store_);
  EXPECT_OK(store_->jobs.Fail(failing, "broken", JobQueue::Ending::kFailed, kNow));
  const Job running = Claim(*store_);
  const QueueCondition queue = QueueOf(*store_, "analysis");
  EXPECT_EQ(queue.waiting, 3u);
  EXPECT_EQ(queue.running, 1u);
  EXPECT_EQ(queue.failed, 1u);
  uint64_t by_projects = 0;
  absl::Time oldest = absl::InfiniteFuture();
  for (const ProjectQueue& project : queue.projects) {
    by_projects += project.waiting;
    oldest = std::min(oldest, project.oldest);
  }
  EXPECT_EQ(by_projects, 3u);
  EXPECT_EQ(oldest, queue.oldest);
  EXPECT_GT(queue.oldest_id, 0);
  // A job whose lease has expired counts as waiting again.
  EXPECT_EQ(QueueOf(*store_, "analysis", kNow + 2 * kLease).waiting, 4u);
}

TEST_P(StoreContractTest, ProjectsThatWaitForMuchComeFirst) {
  Record(*store_, OfProject("a", "//1"), kNow);
  Record(*store_, OfProject("b", "//1"), kNow - absl::Minutes(2));
  Record(*store_, OfProject("b", "//2"), kNow - absl::Minutes(1));
  EXPECT_THAT(QueueOf(*store_, "analysis").projects,
              ElementsAre(testing::AllOf(Field(&ProjectQueue::project, "b"),
                                         Field(&ProjectQueue::waiting, 2u),
                                         Field(&ProjectQueue::oldest, kNow - absl::Minutes(2))),
                          Field(&ProjectQueue::project, "a")));
}

TEST_P(StoreContractTest, AsManyProjectsAreToldAsFitAScreen) {
  for (int i = 0; i < QueueCondition::kProjects + 3; ++i) {
    Record(*store_, OfProject(absl::StrCat("p", i), "//1"), kNow);
  }
  const QueueCondition queue = QueueOf(*store_, "analysis");
  EXPECT_THAT(queue.projects, SizeIs(QueueCondition::kProjects));
  EXPECT_EQ(queue.waiting, uint64_t{QueueCondition::kProjects + 3});
}

TEST_P(StoreContractTest, AReportThatIsNotDueWaitsForLater) {
  Record(*store_, OfProject("a", "//1"));
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
  EXPECT_EQ(QueueOf(*store_, "report").later, 1u);
  const QueueCondition due = QueueOf(*store_, "report", kNow + kReportDelay);
  EXPECT_EQ(due.later, 0u);
  EXPECT_EQ(due.waiting, 1u);
  EXPECT_EQ(due.oldest, kNow + kReportDelay);
  EXPECT_THAT(due.projects, ElementsAre(Field(&ProjectQueue::project, "a")));
}

TEST_P(StoreContractTest, NotificationsAreCountedToo) {
  NotificationRecord record;
  record.key = "event";
  record.channel = "chat";
  record.project = "a";
  record.content = "{}";
  EXPECT_OK(store_->notifications.Put({record}, /*deliver=*/true, kNow));
  const QueueCondition queue = QueueOf(*store_, "notification");
  EXPECT_EQ(queue.waiting, 1u);
  EXPECT_THAT(queue.projects, ElementsAre(Field(&ProjectQueue::project, "a")));
}

TEST_P(StoreContractTest, AConnectionIsUsedWhileSomebodyReads) {
  absl::StatusOr<sql::Engine> engine = home_->Open();
  ASSERT_TRUE(engine.ok()) << engine.status();
  const Condition condition(engine->database);
  const uint32_t before = condition.connections().used;
  EXPECT_OK(engine->database->Read([&](sql::Session&) {
    EXPECT_EQ(condition.connections().used, before + 1);
    return absl::OkStatus();
  }));
  EXPECT_EQ(condition.connections().used, before);
  EXPECT_EQ(condition.connections().waiting, 0u);
}

TEST_P(StoreContractTest, EachUseOfAPartIsTold) {
  absl::StatusOr<sql::Engine> engine = home_->Open();
  ASSERT_TRUE(engine.ok()) << engine.status();
  std::set<std::pair<std::string, std::string>> uses;
  absl::StatusCode last = absl::StatusCode::kOk;
  const Store observed(*engine, [&](const StoreCall& call) {
    EXPECT_GE(call.took, absl::ZeroDuration());
    uses.emplace(std::string(call.part), std::string(call.operation));
    last = call.code;
  });
  const NewExecution execution = MakeExecution();
  Record(observed, execution);
  EXPECT_OK(observed.ingest.SentBytes("sqlite"));
  EXPECT_OK(observed.blobs.Read(execution.profiles[0].data));
  EXPECT_EQ(last, absl::StatusCode::kOk);
  EXPECT_EQ(Code(observed.reading.ReadRun(4711)), absl::StatusCode::kNotFound);
  EXPECT_EQ(last, absl::StatusCode::kNotFound);
  using Use = std::pair<std::string, std::string>;
  EXPECT_EQ(
      uses,
      (std::set<Use>{
          {"ingest", "read"}, {"ingest", "write"}, {"blobs", "read_blob"}, {"reading", "read"}}));
}

}  // namespace

}  // namespace gprofhub::store
