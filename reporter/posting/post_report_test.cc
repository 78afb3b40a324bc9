#include "reporter/posting/post_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/http/percent_coding.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using Query = std::map<std::string, std::string>;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
const absl::Time kUntil = kNow + absl::Hours(24);
const std::string kKey(32, 'k');

TrendPicture Picture() {
  return {"acme/db", 17, std::string(40, 'b'), "_ZN2db3fooEv&until=9999999999", "//db:test", false};
}

// As parsed by a server.
Query QueryOf(const std::string& address) {
  Query query;
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(address, absl::MaxSplits('?', 1));
  EXPECT_EQ(parts.first, kPicturePath);
  for (const absl::string_view part : absl::StrSplit(parts.second, '&')) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    query[pair.first] = base::PercentDecoded(pair.second);
  }
  return query;
}

Query Good() { return QueryOf(SignedPictureAddress(Picture(), kUntil, kKey)); }

TEST(PictureLinkTest, ASignedAddressIsItsPicture) {
  const auto picture = SignedPicture(Good(), kNow, kKey);
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(*picture, Picture());
  TrendPicture time = Picture();
  time.is_time = true;
  EXPECT_EQ(SignedPicture(QueryOf(SignedPictureAddress(time, kUntil, kKey)), kNow, kKey), time);
}

TEST(PictureLinkTest, TheSamePictureHasTheSameAddress) {
  EXPECT_EQ(SignedPictureAddress(Picture(), kUntil, kKey),
            SignedPictureAddress(Picture(), kUntil, kKey));
}

TEST(PictureLinkTest, ItExpires) {
  EXPECT_TRUE(SignedPicture(Good(), kUntil - absl::Seconds(1), kKey).has_value());
  EXPECT_FALSE(SignedPicture(Good(), kUntil, kKey).has_value());
  EXPECT_FALSE(SignedPicture(Good(), absl::InfiniteFuture(), kKey).has_value());
}

TEST(PictureLinkTest, NoPartCanBeChangedOrLeftOut) {
  const Query changes = {{"project", "acme/secret"}, {"run", "18"},     {"base", "c"},
                         {"function", "main"},       {"target", "//x"}, {"what", "time"},
                         {"until", "9999999999"}};
  for (const auto& [name, value] : changes) {
    Query changed = Good();
    ASSERT_TRUE(changed.contains(name)) << name;
    changed[name] = value;
    EXPECT_FALSE(SignedPicture(changed, kNow, kKey).has_value()) << name;
    // Removing "what" itself changes nothing.
    if (name == "what") continue;
    changed.erase(name);
    EXPECT_FALSE(SignedPicture(changed, kNow, kKey).has_value()) << "without " << name;
  }
}

TEST(PictureLinkTest, AWrongSignIsNone) {
  const std::string sign = Good().at("sign");
  for (const std::string& bad : {std::string(), std::string(64, '0'), sign.substr(0, 63),
                                 sign + "0", std::string("A") + sign.substr(1)}) {
    Query query = Good();
    query["sign"] = bad;
    EXPECT_FALSE(SignedPicture(query, kNow, kKey).has_value()) << bad;
  }
  EXPECT_FALSE(SignedPicture({}, kNow, kKey).has_value());
}

TEST(PictureLinkTest, AnotherServersSignIsNone) {
  const std::string other(32, 'o');
  EXPECT_FALSE(SignedPicture(QueryOf(SignedPictureAddress(Picture(), kUntil, other)), kNow, kKey)
                   .has_value());
}

TEST(PictureLinkTest, ValuesDoNotRunIntoEachOther) {
  TrendPicture one = Picture(), other = Picture();
  one.function = "f&target=x";
  one.target = "y";
  other.function = "f";
  other.target = "x&target=y";
  Query query = QueryOf(SignedPictureAddress(one, kUntil, kKey));
  query["function"] = other.function;
  query["target"] = other.target;
  EXPECT_FALSE(SignedPicture(query, kNow, kKey).has_value());
}

TEST(PictureLinkTest, WithoutAKeyNothingIsSigned) {
  for (const std::string& key : {std::string(), std::string(31, 'k')}) {
    EXPECT_FALSE(
        SignedPicture(QueryOf(SignedPictureAddress(Picture(), kUntil, key)), kNow, key).has_value())
        << key;
  }
}

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kMarker[] = "<!-- gprofhub:acme/db -->";
constexpr char kOtherHead[] = "3333333333333333333333333333333333333333";

Posting MakePosting(PostingState state, int64_t run_id = 5, const std::string& text = "") {
  Posting posting;
  posting.marker = kMarker;
  posting.about = {state, run_id, FakeForge::kHead};
  std::string said = text;
  if (said.empty()) said = state == PostingState::kNoChange ? "no change" : "2 changes\n\ntable";
  posting.body = absl::StrCat(kMarker, "\n", ToString(posting.about), "\n", said, "\n");
  posting.check.conclusion =
      state == PostingState::kRegressed ? Check::Conclusion::kFailure : Check::Conclusion::kSuccess;
  posting.check.title = "title";
  posting.check.summary = posting.body;
  posting.check.key = absl::StrCat(run_id, "-", said.size());
  posting.check.annotations = {{"src/json.c", 12, "t", "m"}};
  return posting;
}

struct FakeKind {
  const char* name;
  std::unique_ptr<FakeForge> (*make)();
};

// Properties of every forge.
class PostReportTest : public testing::TestWithParam<FakeKind> {
 protected:
  absl::StatusOr<PostOutcome> Post(const Posting& posting) {
    PullRequest pull_request;
    pull_request.number = "17";
    pull_request.head_commit = posting.about.commit;
    return PostReport(*forge_, pull_request, posting, refusals_);
  }
  // Comments with the marker (or its tag) that the reporter wrote.
  std::vector<FakeComment> Own() const {
    std::vector<FakeComment> own;
    for (const FakeComment& comment : fake_->comments) {
      if (comment.author == FakeForge::kSelf &&
          (absl::StartsWith(comment.body, kMarker) || absl::EndsWith(comment.tag, ":acme/db"))) {
        own.push_back(comment);
      }
    }
    return own;
  }
  bool Edits() const { return forge_->traits().edits_comments; }

  std::unique_ptr<FakeForge> fake_ = GetParam().make();
  std::unique_ptr<Forge> forge_ = fake_->Client();
  Refusals refusals_;
};

TEST_P(PostReportTest, ReadsThePullRequest) {
  fake_->patches["src/json.c"] = "@@ -1 +1,2 @@\n a\n+b";
  fake_->files[".gprofhub.json"] = "{}";
  fake_->writers = {"maintainer"};
  fake_->commits_on_main = {"aaaa"};
  const auto pull_request = forge_->ReadPullRequest("17");
  ASSERT_TRUE(pull_request.ok()) << pull_request.status();
  EXPECT_TRUE(pull_request->open);
  EXPECT_FALSE(pull_request->from_fork);
  EXPECT_EQ(pull_request->head_commit, FakeForge::kHead);
  EXPECT_EQ(pull_request->target_branch, "main");
  EXPECT_TRUE(IsChanged(*forge_->ReadChangedLines(*pull_request), "src/json.c", 2));
  EXPECT_EQ(*forge_->ReadFile("main", ".gprofhub.json"), "{}");
  EXPECT_TRUE(absl::IsNotFound(forge_->ReadFile("main", "other").status()));
  EXPECT_TRUE(*forge_->CommitIsOnBranch("aaaa", "main"));
  EXPECT_FALSE(*forge_->CommitIsOnBranch("bbbb", "main"));
  fake_->AddComment("maintainer", "hello");
  fake_->AddComment("passer-by", "hello");
  const auto comments = CommentsAt(*forge_, *pull_request);
  ASSERT_TRUE(comments.ok()) << comments.status();
  ASSERT_THAT(*comments, SizeIs(2));
  EXPECT_EQ((*comments)[0].author, "maintainer");
  EXPECT_TRUE(*forge_->MayWrite((*comments)[0].author_id, *pull_request));
  EXPECT_FALSE(*forge_->MayWrite((*comments)[1].author_id, *pull_request));
  fake_->open = false;
  EXPECT_FALSE(forge_->ReadPullRequest("17")->open);
}

TEST_P(PostReportTest, ACommentIsWrittenOnce) {
  for (int i = 0; i < 3; ++i) {
    const auto outcome = Post(MakePosting(PostingState::kChanged));
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(*outcome, PostOutcome::kPosted);
  }
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_THAT(Own()[0].body, HasSubstr("2 changes"));
  EXPECT_FALSE(fake_->checks.empty());
}

TEST_P(PostReportTest, NothingIsSaidWhereNothingChanged) {
  EXPECT_EQ(*Post(MakePosting(PostingState::kNoChange)), PostOutcome::kSilent);
  EXPECT_THAT(Own(), SizeIs(0));
  EXPECT_FALSE(fake_->checks.empty()) << "the check says that all is well";
}

TEST_P(PostReportTest, WhatNoLongerHoldsIsTakenBackInOneLine) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed)).ok());
  EXPECT_EQ(*Post(MakePosting(PostingState::kNoChange, 6)), PostOutcome::kPosted);
  EXPECT_THAT(Own().back().body, HasSubstr("no change"));
  EXPECT_THAT(Own().back().body, Not(HasSubstr("table")));
  EXPECT_THAT(Own(), SizeIs(Edits() ? 1 : 2));
  const size_t before = fake_->comments.size();
  EXPECT_TRUE(Post(MakePosting(PostingState::kNoChange, 7, "no change, really")).ok());
  if (!Edits()) {
    EXPECT_THAT(Own(), SizeIs(2)) << "one line is not repeated";
  }
  EXPECT_LE(fake_->comments.size(), before + 1);
}

TEST_P(PostReportTest, AnothersCommentWithTheMarkerIsNotTouched) {
  fake_->AddComment("impostor", absl::StrCat(kMarker, "\nall is well"));
  ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed)).ok());
  EXPECT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(fake_->comments[0].body, absl::StrCat(kMarker, "\nall is well"));
}

TEST_P(PostReportTest, TheCommentIsFoundBehindManyPages) {
  for (int i = 0; i < 7; ++i) fake_->AddComment("somebody", "talk");
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged)).ok());
  for (int i = 0; i < 7; ++i) fake_->AddComment("somebody", "more talk");
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged)).ok());
  EXPECT_THAT(Own(), SizeIs(1));
}

TEST_P(PostReportTest, AResultForAnOlderHeadIsNotPosted) {
  fake_->head = kOtherHead;
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed)), PostOutcome::kSuperseded);
  EXPECT_TRUE(fake_->comments.empty());
  EXPECT_TRUE(fake_->checks.empty());
}

TEST_P(PostReportTest, AForgeThatIsDownForAnHourGetsTheCommentOnceAfterwards) {
  fake_->hook = [](const std::string&) { return Trouble{503, {}, false}; };
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(absl::IsUnavailable(Post(MakePosting(PostingState::kRegressed)).status()));
  }
  fake_->hook = nullptr;
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed)), PostOutcome::kPosted);
  EXPECT_THAT(Own(), SizeIs(1));
}

TEST_P(PostReportTest, ACreationWhoseAnswerWasLostIsNotRepeated) {
  fake_->hook = [](const std::string& request) {
    const bool writes = absl::StartsWith(request, "POST") && !absl::StrContains(request, "access_");
    return Trouble{writes ? 502 : 0, {}, /*after=*/true};
  };
  EXPECT_TRUE(absl::IsUnavailable(Post(MakePosting(PostingState::kRegressed)).status()));
  fake_->hook = nullptr;
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed)), PostOutcome::kPosted);
  EXPECT_THAT(Own(), SizeIs(1));
}

TEST_P(PostReportTest, AShortRateLimitIsWaitedFor) {
  bool limited = false;
  fake_->hook = [&limited](const std::string& request) {
    if (limited || !absl::StartsWith(request, "POST")) return Trouble();
    limited = true;
    return Trouble{429, {{"Retry-After", "5"}}, false};
  };
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed)), PostOutcome::kPosted);
  EXPECT_THAT(Own(), SizeIs(1));
  EXPECT_THAT(fake_->slept, testing::ElementsAre(absl::Seconds(5)));
}

// Requests that a token without a right is refused.
bool PublishesCheck(const std::string& request) {
  return absl::StrContains(request, "/check-runs") || absl::StrContains(request, "/statuses/");
}
bool WritesComment(const std::string& request) {
  return !absl::StartsWith(request, "GET") &&
         (absl::StrContains(request, "/comments") || absl::StrContains(request, "/notes"));
}
bool ListsComments(const std::string& request) {
  return absl::StartsWith(request, "GET") &&
         (absl::StrContains(request, "/comments") || absl::StrContains(request, "/notes"));
}

constexpr int kRefusals[] = {400, 401, 403, 404, 405, 410, 422, 451};

TEST_P(PostReportTest, ARefusedCheckIsNamedInTheComment) {
  for (const int status : kRefusals) {
    fake_->comments.clear();
    fake_->labels.clear();  // Gerrit's refusal
    fake_->hook = [status](const std::string& request) {
      return Trouble{PublishesCheck(request) ? status : 0, {}, false, "no `right` here"};
    };
    for (int i = 0; i < 3; ++i) {
      refusals_ = Refusals();
      const auto outcome = Post(MakePosting(PostingState::kRegressed));
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_EQ(*outcome, PostOutcome::kPosted);
      EXPECT_THAT(refusals_.list(), SizeIs(1)) << status;
    }
    ASSERT_THAT(Own(), SizeIs(1)) << "an unchanged comment is not written again";
    EXPECT_THAT(Own()[0].body, HasSubstr("Refused by the forge: "));
    EXPECT_THAT(Own()[0].body, HasSubstr(refusals_.list()[0].part));
  }
}

TEST_P(PostReportTest, ATemporaryErrorOfTheCheckIsNoRefusal) {
  if (!Edits()) GTEST_SKIP() << "comment and check are requests of one kind";
  for (const Trouble& trouble :
       {Trouble{500, {}, false}, Trouble{503, {}, false},
        Trouble{429, {{"Retry-After", "900"}}, false},
        Trouble{403, {{"Retry-After", "900"}}, false},
        Trouble{403, {}, false, "You have exceeded a secondary rate limit"}}) {
    fake_->comments.clear();
    fake_->hook = [&trouble](const std::string& request) {
      return PublishesCheck(request) ? trouble : Trouble();
    };
    EXPECT_TRUE(absl::IsUnavailable(Post(MakePosting(PostingState::kRegressed)).status()));
    EXPECT_TRUE(refusals_.empty());
    ASSERT_THAT(Own(), SizeIs(1)) << "the other parts do not wait for it";
    EXPECT_THAT(Own()[0].body, Not(HasSubstr("Refused")));
  }
}

TEST_P(PostReportTest, ARefusedCommentDoesNotStopTheCheck) {
  if (!Edits()) GTEST_SKIP() << "comment and check are requests of one kind";
  for (const auto& refused : {&WritesComment, &ListsComments}) {
    for (const int status : kRefusals) {
      fake_->checks.clear();
      fake_->hook = [=](const std::string& request) {
        return Trouble{refused(request) ? status : 0, {}, false};
      };
      refusals_ = Refusals();
      const auto outcome = Post(MakePosting(PostingState::kRegressed));
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      ASSERT_THAT(refusals_.list(), SizeIs(1));
      EXPECT_EQ(refusals_.list()[0].part, "comment");
      EXPECT_THAT(fake_->checks, SizeIs(1));
    }
  }
}

TEST_P(PostReportTest, WhereEverythingIsRefusedNothingIsPosted) {
  fake_->hook = [](const std::string& request) {
    const bool refused =
        WritesComment(request) || PublishesCheck(request) || absl::StrContains(request, "/review");
    return Trouble{refused ? 403 : 0, {}, false};
  };
  EXPECT_TRUE(absl::IsPermissionDenied(Post(MakePosting(PostingState::kRegressed)).status()));
}

TEST_P(PostReportTest, AMovedRepositoryIsFollowed) {
  for (const int status : {301, 302, 307, 308}) {
    fake_->comments.clear();
    fake_->checks.clear();
    std::string moved;
    fake_->hook = [&](const std::string& request) {
      if (std::exchange(moved, "") == request) return Trouble();
      moved = request;
      return Trouble{status, {{"Location", request.substr(request.find('/'))}}, false};
    };
    const auto outcome = Post(MakePosting(PostingState::kRegressed));
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_THAT(Own(), SizeIs(1));
    EXPECT_FALSE(fake_->checks.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forges, PostReportTest,
    testing::Values(FakeKind{"GitHubApp", [] { return MakeFakeGitHub(true); }},
                    FakeKind{"GitHubToken", [] { return MakeFakeGitHub(false); }},
                    FakeKind{"GitLab", [] { return MakeFakeGitLab(); }},
                    FakeKind{"Gerrit", [] { return MakeFakeGerrit(); }}),
    [](const testing::TestParamInfo<FakeKind>& info) { return std::string(info.param.name); });

// Properties of forges with editable comments.
class EditingForgeTest : public PostReportTest {};

TEST_P(EditingForgeTest, TheCommentIsEditedInPlace) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed)).ok());
  const int64_t id = Own()[0].id;
  ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed, 6, "worse\n\ntable")).ok());
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(Own()[0].id, id);
  EXPECT_THAT(Own()[0].body, HasSubstr("worse"));
}

TEST_P(EditingForgeTest, ANewCommentComesWhenWhatWasWellNoLongerIs) {
  for (const PostingState clean : {PostingState::kChanged, PostingState::kNoChange}) {
    ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed, 1)).ok());
    ASSERT_TRUE(Post(MakePosting(clean, 2)).ok());
    const int64_t id = Own()[0].id;
    ASSERT_TRUE(Post(MakePosting(PostingState::kRegressed, 3)).ok());
    ASSERT_THAT(Own(), SizeIs(1));
    EXPECT_GT(Own()[0].id, id) << "people are notified";
    fake_->comments.clear();
  }
}

TEST_P(EditingForgeTest, ACommentDeletedMeanwhileIsWrittenAnew) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged)).ok());
  fake_->hook = [this](const std::string& request) {
    if (absl::StartsWith(request, "PATCH") || absl::StartsWith(request, "PUT")) {
      fake_->comments.clear();
    }
    return Trouble();
  };
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged, 6, "other\n\ntable")).ok());
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_THAT(Own()[0].body, HasSubstr("other"));
}

TEST_P(EditingForgeTest, AForcePushWhileTheCommentIsWrittenTakesItBack) {
  fake_->hook = [this](const std::string& request) {
    if (absl::StartsWith(request, "POST") && !absl::StrContains(request, "access_")) {
      fake_->head = kOtherHead;
    }
    return Trouble();
  };
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed)), PostOutcome::kSuperseded);
  EXPECT_THAT(Own(), SizeIs(0));
}

TEST_P(EditingForgeTest, AForcePushWhileTheCommentIsEditedPutsTheOldOneBack) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged)).ok());
  const std::string before = Own()[0].body;
  fake_->hook = [this](const std::string& request) {
    if (absl::StartsWith(request, "PATCH") || absl::StartsWith(request, "PUT")) {
      fake_->head = kOtherHead;
    }
    return Trouble();
  };
  EXPECT_EQ(*Post(MakePosting(PostingState::kChanged, 6, "stale\n\ntable")),
            PostOutcome::kSuperseded);
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(Own()[0].body, before);
}

TEST_P(EditingForgeTest, ACommentThatMayNotBeDeletedIsEdited) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged, 1)).ok());
  fake_->hook = [](const std::string& request) {
    return Trouble{absl::StartsWith(request, "DELETE") ? 403 : 0, {}, false};
  };
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed, 2)), PostOutcome::kPosted);
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(ReadStateLine(Own()[0].body).run_id, 2);
  EXPECT_FALSE(refusals_.empty());
}

TEST_P(EditingForgeTest, OfTwoReportersAtOnceOneCommentStays) {
  // The other reporter's comment is created between our listing and our creation.
  const Posting theirs = MakePosting(PostingState::kRegressed, 4, "theirs\n\ntable");
  fake_->hook = [this, &theirs](const std::string& request) {
    if (absl::StartsWith(request, "POST") && !absl::StrContains(request, "access_") &&
        fake_->comments.empty()) {
      fake_->AddComment(FakeForge::kSelf, theirs.body);
    }
    return Trouble();
  };
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed, 5)), PostOutcome::kPosted);
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(Own()[0].id, 1) << "the oldest";
  EXPECT_EQ(ReadStateLine(Own()[0].body).run_id, 5) << "the newer run has the last word";
}

TEST_P(EditingForgeTest, DuplicatesThatAreThereAreCleanedUp) {
  const Posting posting = MakePosting(PostingState::kRegressed);
  for (int i = 0; i < 3; ++i) fake_->AddComment(FakeForge::kSelf, posting.body);
  fake_->AddComment("somebody", posting.body);
  EXPECT_EQ(*Post(posting), PostOutcome::kPosted);
  ASSERT_THAT(Own(), SizeIs(1));
  EXPECT_EQ(Own()[0].id, 1);
  EXPECT_THAT(fake_->comments, SizeIs(2));
}

TEST_P(EditingForgeTest, AnOlderRunDoesNotOverwriteANewerOneOfTheSameCommit) {
  ASSERT_TRUE(Post(MakePosting(PostingState::kChanged, 6)).ok());
  EXPECT_EQ(*Post(MakePosting(PostingState::kRegressed, 5)), PostOutcome::kSuperseded);
  EXPECT_EQ(ReadStateLine(Own()[0].body).run_id, 6);
}

INSTANTIATE_TEST_SUITE_P(Forges, EditingForgeTest,
                         testing::Values(FakeKind{"GitHubApp", [] { return MakeFakeGitHub(true); }},
                                         FakeKind{"GitLab", [] { return MakeFakeGitLab(); }}),
                         [](const testing::TestParamInfo<FakeKind>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace

}  // namespace gprofhub::reporter
