// Points of series, open and sealed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "store/contract/helpers.h"
#include "store/contract/suite.h"
#include "store/testing/engines.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kTarget[] = "//db:query_test";

NewExecution ExecutionOf(int run, const std::string& branch = "main",
                         const std::string& target = kTarget) {
  NewExecution execution = MakeExecution(absl::StrCat("run-", run));
  execution.run.branch = branch;
  execution.execution.target = target;
  return execution;
}

// Joins "run:payload" of all runs.
std::string Text(const std::vector<RunPoints>& points) {
  return absl::StrJoin(points, " ", [](std::string* out, const RunPoints& of_run) {
    absl::StrAppend(out, of_run.run_id, ":", of_run.payload);
  });
}

// The payload of function 1 is the text of all runs, that of function 2 their number.
absl::StatusOr<PackedPoints> Pack(const std::vector<RunPoints>& points) {
  std::string runs = absl::StrJoin(points, " ", [](std::string* out, const RunPoints& of_run) {
    absl::StrAppend(out, of_run.run_id);
  });
  return PackedPoints{std::move(runs), {{1, Text(points)}, {2, absl::StrCat(points.size())}}};
}

// The payload of one function in each seal.
std::vector<std::string> Sealed(const LinePoints& line, size_t function = 0) {
  std::vector<std::string> payloads;
  for (const PackedPoints& points : line.sealed) {
    EXPECT_GT(points.functions.size(), function);
    payloads.push_back(points.functions.at(function).payload);
  }
  return payloads;
}

// Records and completes an analysis with the points `text`.
Job AnalyzePoints(const Store& store, const NewExecution& execution, const std::string& text) {
  Record(store, execution);
  const Job job = Claim(store);
  AnalysisResult result;
  result.computed = MakeBlob(absl::StrCat(execution.run.run_key, text));
  for (uint32_t bucket = 0; bucket < 16; ++bucket) {
    result.segments.push_back({job.run_id, job.target, bucket, absl::StrCat(text, "/", bucket)});
  }
  EXPECT_OK(store.jobs.Complete(job, result, kNow));
  return job;
}

LinePoints OnlyLine(const Store& store, uint32_t bucket = 0, int64_t first = 1,
                    int64_t last = 1000) {
  const auto lines = store.reading.ReadPoints({"sqlite", {"main"}, kTarget, bucket, first, last});
  EXPECT_TRUE(lines.ok()) << lines.status();
  if (!lines.ok()) return {};
  EXPECT_THAT(*lines, SizeIs(1));
  return lines->size() == 1 ? lines->front() : LinePoints{};
}

// Counts the statements that read payloads during its lifetime.
class PayloadReads {
 public:
  PayloadReads(const sql::Engine& engine, bool is_postgres)
      : store_(Explained(engine, is_postgres,
                         [this](absl::string_view statement, const std::vector<std::string>&) {
                           if (absl::StrContains(statement, ", payload FROM")) ++count_;
                         })) {}

  const Store& store() const { return store_; }
  int count() const { return count_; }

 private:
  int count_ = 0;
  const Store store_;
};

std::vector<int64_t> OpenRuns(const Store& store) {
  std::vector<int64_t> runs;
  for (const RunPoints& points : OnlyLine(store).open) runs.push_back(points.run_id);
  return runs;
}

TEST_P(StoreContractTest, PointsAreReadByBranchTargetBucketAndRuns) {
  for (const int run : {1, 2, 3}) {
    AnalyzePoints(*store_, ExecutionOf(run), absl::StrCat("a", run));
    AnalyzePoints(*store_, ExecutionOf(run, "main", "//z:test"), absl::StrCat("z", run));
  }
  AnalyzePoints(*store_, ExecutionOf(4, "feature"), "f4");
  const auto read = [this](const PointQuery& query) {
    const auto lines = store_->reading.ReadPoints(query);
    EXPECT_TRUE(lines.ok()) << lines.status();
    std::vector<std::string> texts;
    for (const LinePoints& line : *lines) {
      EXPECT_THAT(line.sealed, IsEmpty());
      texts.push_back(absl::StrCat(line.branch, " ", line.target, " ", Text(line.open)));
    }
    return texts;
  };
  EXPECT_THAT(read({"sqlite", {"main"}, "", 0, 1, 1000}),
              ElementsAre("main //db:query_test 1:a1/0 2:a2/0 3:a3/0",
                          "main //z:test 1:z1/0 2:z2/0 3:z3/0"));
  EXPECT_THAT(
      read({"sqlite", {"main", "feature"}, kTarget, 15, 2, 1000}),
      ElementsAre("main //db:query_test 2:a2/15 3:a3/15", "feature //db:query_test 4:f4/15"));
  EXPECT_THAT(read({"sqlite", {"main"}, "//z:test", 7, 2, 2}), ElementsAre("main //z:test 2:z2/7"));
  EXPECT_THAT(read({"sqlite", {"main"}, "//z:test", 7, 2, 3, {}, 2}),
              ElementsAre("main //z:test 2:z2/7 2:z2/8 2:z2/9 3:z3/7 3:z3/8 3:z3/9"));
  EXPECT_THAT(read({"sqlite", {"main"}, "//none:test", 7, 2, 2}), IsEmpty());
  EXPECT_THAT(read({"sqlite", {}, "", 7, 1, 9}), IsEmpty());
  EXPECT_THAT(read({"leveldb", {"main"}, "", 7, 1, 9}), IsEmpty());
}

TEST_P(StoreContractTest, PointsAreReplacedByReanalysis) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job first = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first, "old"), kNow));
  execution.execution.shard = 2;
  Record(*store_, execution);
  const Job second = Claim(*store_);
  AnalysisResult result = MakeResult(second, "new");
  result.segments.pop_back();
  EXPECT_OK(store_->jobs.Complete(second, result, kNow));

  EXPECT_THAT(OpenPoints(*store_, run_id, "", 7), IsEmpty());
  EXPECT_THAT(OpenPoints(*store_, run_id), ElementsAre("new zero"));
  EXPECT_EQ(OnlyTarget(*store_, run_id).computed, NameBlob("new"));
}

TEST_P(StoreContractTest, PointsOfTheOlderHalfAreSealedWhenEnoughRunsLieOpen) {
  for (const int run : {1, 2, 3}) {
    EXPECT_FALSE(*store_->jobs.SealPoints(
        AnalyzePoints(*store_, ExecutionOf(run), absl::StrCat("p", run)), 4, Pack));
  }
  const Job job = AnalyzePoints(*store_, ExecutionOf(4), "p4");
  EXPECT_TRUE(*store_->jobs.SealPoints(job, 4, Pack));
  EXPECT_FALSE(*store_->jobs.SealPoints(job, 4, Pack));
  for (const uint32_t bucket : {0, 9, 15}) {
    const LinePoints line = OnlyLine(*store_, bucket);
    EXPECT_EQ(Text(line.open), absl::StrCat("3:p3/", bucket, " 4:p4/", bucket));
    EXPECT_THAT(Sealed(line), ElementsAre(absl::StrCat("1:p1/", bucket, " 2:p2/", bucket)));
  }
  // Only segments that may contain requested runs; the newest first.
  for (const int run : {5, 6}) {
    (void)*store_->jobs.SealPoints(AnalyzePoints(*store_, ExecutionOf(run), absl::StrCat("p", run)),
                                   4, Pack);
  }
  EXPECT_THAT(Sealed(OnlyLine(*store_, 0)), ElementsAre("3:p3/0 4:p4/0", "1:p1/0 2:p2/0"));
  EXPECT_THAT(Sealed(OnlyLine(*store_, 0, 2, 2)), ElementsAre("1:p1/0 2:p2/0"));
  EXPECT_THAT(Sealed(OnlyLine(*store_, 0, 3, 1000)), ElementsAre("3:p3/0 4:p4/0"));
  EXPECT_THAT(OnlyLine(*store_, 0, 5, 1000).sealed, IsEmpty());
}

// Joins the texts of function 1, the oldest first, with the number of seals.
absl::StatusOr<PackedPoints> Merge(const std::vector<PackedPoints>& points) {
  std::vector<std::string> runs, texts;
  for (const PackedPoints& one : points) {
    runs.push_back(one.runs);
    if (!one.functions.empty()) texts.push_back(one.functions.front().payload);
  }
  return PackedPoints{absl::StrJoin(runs, " "),
                      {{1, absl::StrJoin(texts, " | ")}, {3, absl::StrCat(points.size())}}};
}

// Analyses these runs, one after the other, with at most two open. Returns the last job.
Job AnalyzeAndSeal(const Store& store, int first, int last) {
  Job job;
  for (int run = first; run <= last; ++run) {
    job = AnalyzePoints(store, ExecutionOf(run), absl::StrCat("p", run));
    EXPECT_OK(store.jobs.SealPoints(job, 2, Pack));
  }
  return job;
}

TEST_P(StoreContractTest, TheOlderHalfOfSmallSealsIsMerged) {
  EXPECT_FALSE(*store_->jobs.MergeSeals(AnalyzeAndSeal(*store_, 1, 4), 4, Merge));
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("3:p3/0", "2:p2/0", "1:p1/0"));
  const Job job = AnalyzeAndSeal(*store_, 5, 5);
  EXPECT_TRUE(*store_->jobs.MergeSeals(job, 4, Merge));
  EXPECT_FALSE(*store_->jobs.MergeSeals(job, 4, Merge));
  for (const uint32_t bucket : {0, 15}) {
    const LinePoints line = OnlyLine(*store_, bucket);
    EXPECT_THAT(Sealed(line),
                ElementsAre(absl::StrCat("4:p4/", bucket), absl::StrCat("3:p3/", bucket),
                            absl::StrCat("1:p1/", bucket, " | 2:p2/", bucket)));
    EXPECT_EQ(line.sealed.back().runs, "1 2");
    EXPECT_THAT(line.sealed.back().functions, SizeIs(2)) << "functions 1 and 3, and no other";
  }
  EXPECT_THAT(Sealed(OnlyLine(*store_, 0, 1, 2)), ElementsAre("1:p1/0 | 2:p2/0"));
  EXPECT_THAT(OnlyLine(*store_, 0, 5, 1000).sealed, IsEmpty());

  // A merged seal is not merged again.
  EXPECT_TRUE(*store_->jobs.MergeSeals(AnalyzeAndSeal(*store_, 6, 7), 4, Merge));
  EXPECT_THAT(Sealed(OnlyLine(*store_)),
              ElementsAre("6:p6/0", "5:p5/0", "3:p3/0 | 4:p4/0", "1:p1/0 | 2:p2/0"));
}

TEST_P(StoreContractTest, ANewerSealOfARunStaysBeforeAMergedOne) {
  AnalyzeAndSeal(*store_, 1, 3);
  NewExecution again = ExecutionOf(1);
  again.execution.shard = 2;
  const Job job = AnalyzePoints(*store_, again, "new");
  EXPECT_TRUE(*store_->jobs.SealPoints(job, 2, Pack));
  EXPECT_TRUE(*store_->jobs.MergeSeals(job, 3, Merge)) << "of three the oldest";
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("1:new/0", "2:p2/0", "1:p1/0"));
  EXPECT_TRUE(*store_->jobs.MergeSeals(job, 2, Merge));
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("1:new/0", "2:p2/0", "1:p1/0"));
}

TEST_P(StoreContractTest, SealsStayAsTheyAreAfterAnErrorOfTheMerger) {
  const Job job = AnalyzeAndSeal(*store_, 1, 5);
  int merged = 0;
  const auto result = store_->jobs.MergeSeals(job, 4, [&](const std::vector<PackedPoints>& points) {
    return ++merged == 3 ? absl::StatusOr<PackedPoints>(absl::DataLossError("damaged"))
                         : Merge(points);
  });
  EXPECT_EQ(Code(result), absl::StatusCode::kDataLoss);
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("4:p4/0", "3:p3/0", "2:p2/0", "1:p1/0"));
}

TEST_P(StoreContractTest, MergedPointsGoWithTheLastOfTheirRuns) {
  EXPECT_TRUE(*store_->jobs.MergeSeals(AnalyzeAndSeal(*store_, 1, 5), 4, Merge));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 1, kSomebody, kNow));
  EXPECT_THAT(OnlyLine(*store_).sealed, SizeIs(3)) << "run 2 is in it";
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 2, kSomebody, kNow));
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("4:p4/0", "3:p3/0"));
}

TEST_P(StoreContractTest, SealedPointsAreReadOfTheFunctionsAskedFor) {
  for (const int run : {1, 2, 3, 4}) {
    (void)*store_->jobs.SealPoints(AnalyzePoints(*store_, ExecutionOf(run), "p"), 4, Pack);
  }
  const auto read = [this](std::vector<int64_t> functions, int64_t last = 1000,
                           uint32_t more_buckets = 0) {
    PointQuery query = {"sqlite", {"main"}, kTarget, 3, 1, last};
    query.functions = std::move(functions);
    query.more_buckets = more_buckets;
    const auto lines = store_->reading.ReadPoints(query);
    EXPECT_TRUE(lines.ok() && lines->size() == 1) << lines.status();
    std::vector<std::string> rows;
    for (const PackedPoints& points : lines->front().sealed) {
      rows.push_back(absl::StrCat("runs ", points.runs));
      for (const FunctionPoints& function : points.functions) {
        rows.push_back(absl::StrCat(function.function_hash, "=", function.payload));
      }
    }
    return rows;
  };
  EXPECT_THAT(read({}), ElementsAre("runs 1 2", "1=1:p/3 2:p/3", "2=2"));
  EXPECT_THAT(read({2}), ElementsAre("runs 1 2", "2=2"));
  EXPECT_THAT(read({}, 1000, 1),
              UnorderedElementsAre("runs 1 2", "1=1:p/3 2:p/3", "2=2", "1=1:p/4 2:p/4", "2=2"))
      << "of two buckets";
  EXPECT_THAT(read({2, 1}), ElementsAre("runs 1 2", "1=1:p/3 2:p/3", "2=2"));
  EXPECT_THAT(read({77}), ElementsAre("runs 1 2")) << "they were analysed";
  EXPECT_THAT(read({}, 0), IsEmpty());
}

TEST_P(StoreContractTest, PointsAreNotSealedWhileABucketLacksARun) {
  AnalyzePoints(*store_, ExecutionOf(1), "p");
  NewExecution execution = ExecutionOf(2);
  Record(*store_, execution);
  const Job job = Claim(*store_);
  AnalysisResult result;
  result.computed = MakeBlob("computed");
  result.segments.push_back({job.run_id, job.target, 0, "only bucket 0"});
  EXPECT_OK(store_->jobs.Complete(job, result, kNow));
  AnalyzePoints(*store_, ExecutionOf(3), "p");
  const auto sealed = store_->jobs.SealPoints(AnalyzePoints(*store_, ExecutionOf(4), "p"), 4, Pack);
  EXPECT_EQ(Code(sealed), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(sealed.status().message()), HasSubstr("bucket 1"));
  EXPECT_THAT(OpenRuns(*store_), ElementsAre(1, 2, 3, 4));
}

TEST_P(StoreContractTest, PointsStayAsTheyAreAfterAnErrorOfThePacker) {
  Job job;
  for (const int run : {1, 2}) job = AnalyzePoints(*store_, ExecutionOf(run), "p");
  int packed = 0;
  const auto sealed = store_->jobs.SealPoints(job, 2, [&](const std::vector<RunPoints>& points) {
    return ++packed == 3 ? absl::StatusOr<PackedPoints>(absl::DataLossError("no points"))
                         : Pack(points);
  });
  EXPECT_EQ(Code(sealed), absl::StatusCode::kDataLoss);
  EXPECT_THAT(OpenRuns(*store_), ElementsAre(1, 2));
  EXPECT_THAT(OnlyLine(*store_).sealed, IsEmpty());
}

TEST_P(StoreContractTest, PointsAnalysedAgainAfterTheyWereSealedAreOpenOnceMore) {
  for (const int run : {1, 2, 3, 4}) {
    (void)*store_->jobs.SealPoints(AnalyzePoints(*store_, ExecutionOf(run), "old"), 4, Pack);
  }
  NewExecution again = ExecutionOf(1);
  again.execution.shard = 2;
  AnalyzePoints(*store_, again, "new");
  EXPECT_THAT(OpenRuns(*store_), ElementsAre(1, 3, 4));
  EXPECT_EQ(OnlyLine(*store_).open.front().payload, "new/0");
  // It is sealed again, and the newer seal takes precedence.
  const Job job = AnalyzePoints(*store_, ExecutionOf(5), "old");
  EXPECT_TRUE(*store_->jobs.SealPoints(job, 4, Pack));
  EXPECT_THAT(Sealed(OnlyLine(*store_)), ElementsAre("1:new/0 3:old/0", "1:old/0 2:old/0"));
}

TEST_P(StoreContractTest, PointsGoWithTheirRun) {
  for (const int run : {1, 2, 3, 4}) {
    (void)*store_->jobs.SealPoints(AnalyzePoints(*store_, ExecutionOf(run), "p"), 4, Pack);
  }
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 3, kSomebody, kNow));
  EXPECT_THAT(OpenRuns(*store_), ElementsAre(4));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 1, kSomebody, kNow));
  EXPECT_THAT(OnlyLine(*store_).sealed, SizeIs(1)) << "run 2 is in it";
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 2, kSomebody, kNow));
  EXPECT_THAT(OnlyLine(*store_).sealed, IsEmpty());
  EXPECT_THAT(OpenRuns(*store_), ElementsAre(4));
}

TEST_P(StoreContractTest, PointsAreReadOnlyAfterTheirMemoryWasTaken) {
  uint64_t payloads = 0;
  for (int run = 1; run <= 6; ++run) {
    const Job job =
        AnalyzePoints(*store_, ExecutionOf(run), absl::StrCat(std::string(5000, 'x'), run));
    EXPECT_OK(store_->jobs.SealPoints(job, 4, Pack));
  }
  const LinePoints line = OnlyLine(*store_);
  ASSERT_THAT(line.sealed, Not(IsEmpty()));
  ASSERT_THAT(line.open, Not(IsEmpty()));
  for (const RunPoints& points : line.open) payloads += points.payload.size();
  for (const PackedPoints& points : line.sealed) {
    payloads += points.runs.size();
    for (const FunctionPoints& function : points.functions) payloads += function.payload.size();
  }

  const PayloadReads reads(*engine_, absl::StartsWith(home_->location(), "postgres"));
  const PointQuery query = {"sqlite", {"main"}, kTarget, 0, 1, 1000};
  uint64_t taken = 0;
  const auto read = reads.store().reading.ReadPoints(query, [&](uint64_t bytes) {
    EXPECT_EQ(reads.count(), 0);
    taken = bytes;
    return absl::OkStatus();
  });
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(reads.count(), 3) << "open and sealed ones, and whose these are";
  EXPECT_GE(taken, payloads);
  EXPECT_LE(taken, payloads + 2000);

  const auto refused = reads.store().reading.ReadPoints(
      query, [](uint64_t) { return absl::ResourceExhaustedError("too much"); });
  EXPECT_EQ(Code(refused), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(reads.count(), 3) << "nothing was read";
}

}  // namespace

}  // namespace gprofhub::store
