#include "collector/access/authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

namespace {

std::string Pem(absl::string_view bytes) {
  return absl::StrCat("-----BEGIN CERTIFICATE-----\n", absl::Base64Escape(bytes),
                      "\n-----END CERTIFICATE-----\n");
}

TEST(CertificateTest, TheFirstCertificateOfAChainIsTheClients) {
  EXPECT_EQ(*FingerprintOf(Pem("client") + Pem("authority")), base::Sha256Hex("client"));
  EXPECT_EQ(*FingerprintOf("subject=CN = ci\n" + Pem("client")), base::Sha256Hex("client"));
}

TEST(CertificateTest, WhatIsNoCertificateIsRefused) {
  for (const char* pem :
       {"", "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE----------BEGIN CERTIFICATE-----",
        "-----BEGIN CERTIFICATE----------END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"}) {
    EXPECT_FALSE(FingerprintOf(pem).ok()) << pem;
  }
}

TEST(CertificateTest, FingerprintsAreReadAsPeopleHaveThem) {
  const std::string plain(64, 'a');
  std::string colons = "AA";
  for (int i = 1; i < 32; ++i) colons += ":AA";
  EXPECT_EQ(*ParseFingerprint(plain), plain);
  EXPECT_EQ(*ParseFingerprint(colons), plain);
  for (const std::string& text : {std::string(), plain + "a", std::string(64, 'g')}) {
    EXPECT_FALSE(ParseFingerprint(text).ok()) << text;
  }
}

TEST(CertificateTest, ATokensHashIsNoCertificatesKey) {
  EXPECT_NE(CertificateKey(std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_NE(CertificateKey(std::string(64, 'a')), base::Sha256Hex(std::string(64, 'a')));
}

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RefusalsTest : public testing::Test {
 protected:
  void Note(const std::string& method, const std::string& who = "") {
    refusals_->Note({"", "192.0.2.7:4711", method}, {who, "", 0},
                    absl::PermissionDeniedError("it may not"));
  }
  std::vector<store::AuditRecord> Log() { return *store_.audit.List({}); }

  const store::Store store_ = store::MakeTempStore();
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  std::unique_ptr<Refusals> refusals_ =
      std::make_unique<Refusals>(store_.audit, [this] { return now_; });
};

TEST_F(RefusalsTest, TheFirstIsLoggedAtOnce) {
  Note("Upload", "ci (token 3)");
  ASSERT_THAT(Log(), SizeIs(1));
  EXPECT_EQ(Log()[0].action, "refused");
  EXPECT_EQ(Log()[0].subject, "Upload");
  EXPECT_EQ(Log()[0].actor, "ci (token 3)");
  EXPECT_EQ(Log()[0].origin, "192.0.2.7:4711");
  EXPECT_EQ(Log()[0].detail, "1 call, PERMISSION_DENIED: it may not");
}

TEST_F(RefusalsTest, AFloodIsOneRowAMinute) {
  Note("Upload");
  for (int i = 0; i < 10'000; ++i) Note("Upload");
  EXPECT_THAT(Log(), SizeIs(1));
  now_ += Refusals::kInterval;
  Note("Upload");
  ASSERT_THAT(Log(), SizeIs(2));
  EXPECT_THAT(Log()[1].detail, HasSubstr("10001 calls"));
}

TEST_F(RefusalsTest, AFloodOfDifferentKindsIsBoundedToo) {
  Note("Upload");
  for (int i = 0; i < 1'000; ++i) Note(absl::StrCat("method ", i));
  now_ += Refusals::kInterval;
  Note("Upload");
  ASSERT_THAT(Log(), SizeIs(1 + Refusals::kMostKinds + 1));
  uint64_t others = 0;
  for (const store::AuditRecord& record : Log()) {
    if (record.subject == "others") others += record.detail.starts_with("971 calls") ? 1 : 100;
  }
  EXPECT_EQ(others, 1u) << "970 methods and the last call";
}

TEST_F(RefusalsTest, WhatIsLeftIsLoggedAtTheEnd) {
  Note("Upload");
  Note("ListRuns");
  refusals_.reset();
  ASSERT_THAT(Log(), SizeIs(2));
  EXPECT_EQ(Log()[1].subject, "ListRuns");
}

using ::testing::HasSubstr;
using ::testing::SizeIs;

const store::Actor kAdmin = {"root", "local", 0};

// Authorizes a call: authentication first, permission once its message is known.
absl::StatusOr<Caller> Authorize(Authorizer& authorizer, const CallOrigin& call,
                                 const std::string& project, Scope scope) {
  absl::StatusOr<Caller> caller = authorizer.Authenticate(call);
  if (!caller.ok()) return caller;
  if (absl::Status permitted = Permit(*caller, project, scope); !permitted.ok()) {
    authorizer.NoteRefusal(call, caller->actor, permitted);
    return permitted;
  }
  return caller;
}

class AuthorizerTest : public testing::Test {
 protected:
  NewToken Make(const std::string& project, const char* scopes = "upload,read",
                absl::Time expires = absl::InfiniteFuture()) {
    return *MakeToken(store_.tokens, {project, "ci", *Scopes::Parse(scopes), expires}, kAdmin,
                      now_);
  }
  absl::StatusOr<Caller> Ask(const std::string& authorization, const std::string& project,
                             Scope scope = Scope::kUpload) {
    return Authorize(authorizer_, {authorization, "192.0.2.7:4711", "Upload"}, project, scope);
  }

  const store::Store store_ = store::MakeTempStore();
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  Authorizer authorizer_{store_.tokens, store_.audit, nullptr, [this] { return now_; }};
};

TEST_F(AuthorizerTest, NeedsNoTokenWhileThereIsNone) {
  const absl::StatusOr<Caller> caller = Ask("", "default", Scope::kAdmin);
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_TRUE(caller->anonymous);
  EXPECT_EQ(caller->actor.name, "");
  EXPECT_EQ(caller->actor.origin, "192.0.2.7:4711");
}

TEST_F(AuthorizerTest, RecheckFindsLostRights) {
  Caller anonymous;
  anonymous.anonymous = true;
  EXPECT_TRUE(authorizer_.Recheck(anonymous).ok());
  const NewToken revoked = Make("default", "upload-main,read");
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Recheck(anonymous)));
  const NewToken expired = Make("default", "upload", now_ + absl::Hours(1));
  const NewToken narrowed = Make("default", "upload-main,read");
  std::vector<Caller> callers;
  for (const NewToken* token : {&revoked, &expired, &narrowed}) {
    const auto caller = authorizer_.Authenticate({"Bearer " + token->token, "here", "Upload"});
    ASSERT_TRUE(caller.ok()) << caller.status();
    callers.push_back(*caller);
    EXPECT_TRUE(authorizer_.Recheck(*caller).ok());
  }
  ASSERT_TRUE(store_.tokens.Revoke(revoked.record.id, kAdmin, now_).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Recheck(callers[0])));
  now_ += absl::Hours(1);
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Recheck(callers[1])));
  EXPECT_TRUE(authorizer_.Recheck(callers[2]).ok());
  ASSERT_TRUE(store_.tokens.SetScopes(narrowed.record.id, "upload,read", kAdmin, now_).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(authorizer_.Recheck(callers[2])));
}

TEST_F(AuthorizerTest, RecheckFindsExpiredIdTokens) {
  Caller job;
  job.actor.name = "acme/db";
  job.expires = now_ + absl::Minutes(5);
  EXPECT_TRUE(authorizer_.Recheck(job).ok());
  now_ += absl::Minutes(5);
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Recheck(job)));
}

TEST_F(AuthorizerTest, ACertificateStandsForATokenWhereNoneIsSent) {
  const std::string fingerprint(64, 'a');
  const auto ask = [&](const std::string& certificate, const std::string& authorization = "") {
    return Authorize(authorizer_, {authorization, "192.0.2.7:4711", "Upload", certificate},
                     "default", Scope::kUpload);
  };
  TokenOptions options = {"default", "build farm", *Scopes::Parse("upload"), now_ + absl::Hours(1),
                          fingerprint};
  const absl::StatusOr<NewToken> made = MakeToken(store_.tokens, options, kAdmin, now_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->token, "");
  const absl::StatusOr<Caller> caller = ask(fingerprint);
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->project, "default");
  EXPECT_EQ(caller->actor.name, "build farm (token 1)");
  EXPECT_TRUE(absl::IsPermissionDenied(
      Authorize(authorizer_, {"", "", "Upload", fingerprint}, "other", Scope::kUpload).status()));
  EXPECT_TRUE(absl::IsUnauthenticated(ask(std::string(64, 'b')).status()));
  // The certificate does not help a wrong token, and its key does not work as a token.
  EXPECT_TRUE(absl::IsUnauthenticated(ask(fingerprint, "Bearer gph_wrong").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(ask("", "Bearer certificate " + fingerprint).status()));
  EXPECT_TRUE(absl::IsAlreadyExists(MakeToken(store_.tokens, options, kAdmin, now_).status()));

  now_ += absl::Hours(1);
  EXPECT_TRUE(absl::IsUnauthenticated(ask(fingerprint).status())) << "it has expired";
  now_ -= absl::Minutes(1);
  EXPECT_TRUE(ask(fingerprint).ok());
  ASSERT_TRUE(store_.tokens.Revoke(made->record.id, kAdmin, now_).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(ask(fingerprint).status())) << "it was revoked";
}

TEST_F(AuthorizerTest, TakesTheProjectsTokenAndSaysWhoseItIs) {
  const NewToken made = Make("default");
  const absl::StatusOr<Caller> caller = Ask("Bearer " + made.token, "default");
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_FALSE(caller->anonymous);
  EXPECT_EQ(caller->project, "default");
  EXPECT_EQ(caller->scopes.Names(), "upload,read");
  EXPECT_EQ(caller->actor.name, "ci (token 1)");
  EXPECT_EQ(caller->actor.origin, "192.0.2.7:4711");
  EXPECT_EQ(caller->actor.token_id, 1);
}

TEST_F(AuthorizerTest, NeedsATokenFromTheFirstOneOn) {
  ASSERT_TRUE(Ask("", "default").ok());
  Make("another");
  EXPECT_TRUE(absl::IsUnauthenticated(Ask("", "default").status()));
}

TEST_F(AuthorizerTest, NeedsATokenWhereIdTokensAreTaken) {
  Authorizer authorizer(
      store_.tokens, store_.audit,
      [](absl::string_view token, absl::Time) -> absl::StatusOr<Caller> {
        if (token != "e30.e30.e30") return absl::UnauthenticatedError("nobody's");
        Caller caller;
        caller.project = "default";
        caller.scopes = *Scopes::Parse("read");
        caller.actor.name = "github acme/db";
        return caller;
      },
      [this] { return now_; });
  const auto ask = [&](const std::string& authorization) {
    return Authorize(authorizer, {authorization, "192.0.2.7:4711", "ListRuns"}, "default",
                     Scope::kRead);
  };
  EXPECT_TRUE(absl::IsUnauthenticated(ask("").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(ask("Bearer x.y.z").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(ask("Bearer gph_short").status()));
  const absl::StatusOr<Caller> caller = ask("Bearer e30.e30.e30");
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->actor.name, "github acme/db");
  EXPECT_EQ(caller->actor.origin, "192.0.2.7:4711");
}

TEST_F(AuthorizerTest, RefusesTheTokenOfAnotherProject) {
  const NewToken made = Make("another");
  const absl::Status status = Ask("Bearer " + made.token, "default").status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
}

TEST_F(AuthorizerTest, RefusesWhatTheTokenMayNotDo) {
  const NewToken reader = Make("default", "read");
  EXPECT_TRUE(Ask("Bearer " + reader.token, "default", Scope::kRead).ok());
  for (const Scope scope :
       {Scope::kUpload, Scope::kUploadMain, Scope::kAcknowledge, Scope::kAdmin}) {
    const absl::Status status = Ask("Bearer " + reader.token, "default", scope).status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("this requires"));
  }
}

TEST_F(AuthorizerTest, RefusesARevokedTokenAndStaysClosed) {
  const NewToken made = Make("default");
  ASSERT_TRUE(store_.tokens.Revoke(made.record.id, kAdmin, now_).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(Ask("Bearer " + made.token, "default").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(Ask("", "default").status()));
}

TEST_F(AuthorizerTest, RefusesATokenThatExpired) {
  const NewToken made = Make("default", "read", now_ + absl::Hours(1));
  now_ += absl::Hours(1) - absl::Seconds(1);
  EXPECT_TRUE(Ask("Bearer " + made.token, "default", Scope::kRead).ok());
  now_ += absl::Seconds(1);
  const absl::Status status = Ask("Bearer " + made.token, "default", Scope::kRead).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("expired at 2023-11-14T23:13:20"));
}

TEST_F(AuthorizerTest, ARotatedTokenIsTakenUntilTheOverlapEnds) {
  const NewToken old = Make("default", "read", now_ + absl::Hours(24 * 90));
  now_ += absl::Hours(24 * 30);
  const absl::StatusOr<NewToken> made =
      RotateToken(store_.tokens, old.record.id, absl::Hours(24 * 7), kAdmin, now_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->record.scopes, "read");
  EXPECT_EQ(made->record.label, "ci");
  EXPECT_EQ(made->record.expires, now_ + absl::Hours(24 * 90));
  EXPECT_TRUE(Ask("Bearer " + old.token, "default", Scope::kRead).ok());
  EXPECT_TRUE(Ask("Bearer " + made->token, "default", Scope::kRead).ok());
  now_ += absl::Hours(24 * 7);
  const absl::Status status = Ask("Bearer " + old.token, "default", Scope::kRead).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("it was rotated"));
  EXPECT_TRUE(Ask("Bearer " + made->token, "default", Scope::kRead).ok());
}

TEST_F(AuthorizerTest, KeepsWhenATokenWasUsedByTheHour) {
  const NewToken made = Make("default");
  const auto last_used = [&] { return store_.tokens.Read(made.record.id)->last_used; };
  EXPECT_EQ(last_used(), absl::UnixEpoch());
  const absl::Time first = now_;
  ASSERT_TRUE(Ask("Bearer " + made.token, "default").ok());
  EXPECT_EQ(last_used(), first);
  now_ += absl::Minutes(59);
  ASSERT_TRUE(Ask("Bearer " + made.token, "default").ok());
  EXPECT_EQ(last_used(), first);
  now_ += absl::Minutes(1);
  ASSERT_TRUE(Ask("Bearer " + made.token, "default").ok());
  EXPECT_EQ(last_used(), now_);
}

TEST_F(AuthorizerTest, RefusesWhatIsNoToken) {
  const NewToken made = Make("default");
  std::string other = made.token;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& authorization :
       {std::string("Bearer"), std::string("Bearer "), made.token, "Basic " + made.token,
        "Bearer " + made.token + " ", "Bearer " + made.token.substr(4), "Bearer " + other,
        "Bearer " + base::Sha256Hex(made.token), std::string(100'000, 'x')}) {
    const absl::Status status = Ask(authorization, "default").status();
    EXPECT_TRUE(absl::IsUnauthenticated(status)) << authorization.substr(0, 100) << ": " << status;
  }
}

TEST_F(AuthorizerTest, CountsWhatItRefuses) {
  const NewToken made = Make("default", "read");
  Ask("Bearer " + made.token, "default", Scope::kUpload).IgnoreError();
  const std::vector<store::AuditRecord> log = *store_.audit.List({});
  ASSERT_THAT(log, SizeIs(2));
  EXPECT_EQ(log[1].action, "refused");
  EXPECT_EQ(log[1].actor, "ci (token 1)");
}

TEST_F(AuthorizerTest, KeepsOnlyTheHash) {
  const NewToken made = Make("default");
  EXPECT_EQ(made.token.size(), 68u);
  EXPECT_EQ(made.token.substr(0, 4), "gph_");
  EXPECT_EQ(made.record.token_sha256, base::Sha256Hex(made.token));
}

TEST_F(AuthorizerTest, MakesADifferentTokenEachTime) {
  EXPECT_NE(Make("default").token, Make("default").token);
}

TEST_F(AuthorizerTest, RefusesToMakeATokenWithoutAScopeOrAnEndToCome) {
  const auto make = [this](const std::string& project, const Scopes& scopes, absl::Time expires) {
    return MakeToken(store_.tokens, {project, "", scopes, expires}, kAdmin, now_).status();
  };
  EXPECT_TRUE(absl::IsInvalidArgument(make("", Scopes::All(), absl::InfiniteFuture())));
  EXPECT_TRUE(absl::IsInvalidArgument(make("default", Scopes(), absl::InfiniteFuture())));
  EXPECT_TRUE(absl::IsInvalidArgument(make("default", Scopes::All(), now_)));
}

Caller With(const char* scopes) {
  Caller caller;
  caller.project = "default";
  caller.scopes = *Scopes::Parse(scopes);
  return caller;
}

v1::RunInfo Claimed(const std::string& pull_request, bool from_fork) {
  v1::RunInfo run;
  run.set_branch("claimed");
  run.set_pull_request(pull_request);
  run.set_from_fork(from_fork);
  return run;
}

TEST(SettleRunTest, OnlyWhoMaySendTheMainLineSaysMainLine) {
  v1::RunInfo mainline = Claimed("", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(With("upload,read"), mainline)));
  EXPECT_TRUE(SettleRun(With("upload-main"), mainline).ok());
  v1::RunInfo others[] = {Claimed("17", false), Claimed("17", true), Claimed("", true)};
  for (v1::RunInfo& run : others) EXPECT_TRUE(SettleRun(With("upload"), run).ok());
}

TEST(PermitRunTest, NeedsTheRightsOfTheRunsUpload) {
  store::RunRecord run;
  run.branch = "main";
  EXPECT_TRUE(absl::IsPermissionDenied(PermitRun(With("upload,read"), run)));
  EXPECT_TRUE(PermitRun(With("upload-main"), run).ok());
  Caller job = With("upload-main");
  job.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "17", false};
  EXPECT_TRUE(absl::IsPermissionDenied(PermitRun(job, run)));
  run.branch = "feature";
  run.pull_request = "18";
  EXPECT_TRUE(absl::IsPermissionDenied(PermitRun(job, run)));
  run.pull_request = "17";
  EXPECT_TRUE(PermitRun(job, run).ok());
  EXPECT_TRUE(PermitRun(With("upload"), run).ok());
  job.run->untrusted = true;
  EXPECT_TRUE(absl::IsPermissionDenied(PermitRun(job, run)));
}

TEST(SettleRunTest, ABranchsJobSendsThatBranch) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kBranch, "main", "", false};
  v1::RunInfo run = Claimed("", false);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_EQ(run.branch(), "main");
  v1::RunInfo of_pull_request = Claimed("17", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(caller, of_pull_request)));
}

TEST(SettleRunTest, APullRequestsJobCannotSendTheMainLine) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "17", false};
  for (const char* claimed : {"", "18", "17"}) {
    v1::RunInfo run = Claimed(claimed, false);
    ASSERT_TRUE(SettleRun(caller, run).ok());
    EXPECT_EQ(run.pull_request(), "17");
    EXPECT_EQ(run.branch(), "feature");
  }
  caller.run->pull_request = "";  // the CI system has no claim with its number
  v1::RunInfo named = Claimed("18", false);
  ASSERT_TRUE(SettleRun(caller, named).ok());
  EXPECT_EQ(named.pull_request(), "18");
  v1::RunInfo unnamed = Claimed("", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(caller, unnamed)));
}

TEST(SettleRunTest, AMergeTrainKeepsItsBranchWhereTheClaimsDoNotKnowIt) {
  const std::string train = "refs/merge-requests/17/train";
  Caller caller = With("upload");
  caller.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "", false};
  v1::RunInfo run = Claimed("17", false);
  run.set_branch(train);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_EQ(run.branch(), train);
  caller.run->pull_request = "17";
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_EQ(run.branch(), "feature");
  caller.run = RunFacts{RunFacts::Kind::kBranch, "main", "", false};
  v1::RunInfo of_branch = Claimed("", false);
  of_branch.set_branch(train);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(caller, of_branch)));
}

TEST(SettleRunTest, AJobThatMayRunAStrangersCodeIsAForks) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kUnknown, "", "", true};
  v1::RunInfo run = Claimed("", false);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_TRUE(run.from_fork());
  EXPECT_EQ(run.branch(), "claimed");
}

TEST(SettleRunTest, WhatAnUploadSaysAgainstItselfIsBelieved) {
  Caller caller = With("upload");
  caller.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "17", false};
  v1::RunInfo run = Claimed("17", true);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_TRUE(run.from_fork());
}

TEST(ScopesTest, AreReadAsTheyAreWritten) {
  for (const std::string names : {"upload", "upload-main", "read", "acknowledge", "admin",
                                  "upload,read", "upload,upload-main,read,acknowledge,admin"}) {
    const absl::StatusOr<Scopes> scopes = Scopes::Parse(names);
    ASSERT_TRUE(scopes.ok()) << scopes.status();
    EXPECT_EQ(scopes->Names(), names);
  }
  EXPECT_EQ(Scopes::Parse("read,upload,read")->Names(), "upload,read");
  EXPECT_EQ(Scopes::All(), *Scopes::Parse("upload,upload-main,read,acknowledge,admin"));
}

TEST(ScopesTest, WhatIsNoScopeIsRefused) {
  for (const char* names : {"", "uploads", "upload,", ",read", "Read", "upload read", "*"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Scopes::Parse(names).status())) << names;
  }
}

TEST(ScopesTest, WhoMaySendTheMainLineMaySendOthers) {
  EXPECT_TRUE(Scopes::Parse("upload-main")->Has(Scope::kUpload));
  EXPECT_FALSE(Scopes::Parse("upload")->Has(Scope::kUploadMain));
  EXPECT_FALSE(Scopes::Parse("admin")->Has(Scope::kRead)) << "each is its own";
  EXPECT_FALSE(Scopes().Has(Scope::kRead));
}

}  // namespace

}  // namespace gprofhub::collector
