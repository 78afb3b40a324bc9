// ObjectStore over another project's S3 server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/objects/s3_objects.h"
#include "store/testing/object_store_contract.h"
#include "tests/s3/s3_server.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::S3Server;

S3CredentialSource::Environment Keys(const std::string& access, const std::string& secret,
                                     const std::string& token = "") {
  return [access, secret, token](const char* name) -> std::string {
    if (std::string(name) == "AWS_SESSION_TOKEN") return token;
    if (std::string(name) == "AWS_ACCESS_KEY_ID") return access;
    if (std::string(name) == "AWS_SECRET_ACCESS_KEY") return secret;
    return "";
  };
}

S3Options Options() {
  S3Options options;
  options.environment = Keys(S3Server::kAccessKey, S3Server::kSecretKey);
  // Nothing waits in a test: neither between attempts, nor for an answer on a busy machine.
  options.clock.sleep = [](absl::Duration) {};
  options.timeout = absl::Minutes(10);
  options.retries.total = absl::Minutes(30);
  return options;
}

std::string Location(const S3Server& server, const std::string& place) {
  return absl::StrCat("s3://", place, "?endpoint=http://127.0.0.1:", server.port());
}

std::unique_ptr<ObjectStore> Open(const std::string& location, S3Options options) {
  auto objects = OpenS3Objects(location, std::move(options));
  EXPECT_TRUE(objects.ok()) << objects.status();
  return objects.ok() ? *std::move(objects) : nullptr;
}

// One server for the contract: each test has a prefix of its own.
class ContractServer : public testing::Environment {
 public:
  void SetUp() override {
    auto started = S3Server::Start();
    ASSERT_TRUE(started.ok()) << started.status();
    server = *std::move(started);
  }
  void TearDown() override { server.reset(); }

  std::unique_ptr<S3Server> server;
  int prefixes = 0;
};

ContractServer* const contract_server = static_cast<ContractServer*>(
    testing::AddGlobalTestEnvironment(new ContractServer));  // googletest deletes it

std::unique_ptr<ObjectStore> OpenNew() {
  if (contract_server->server == nullptr) return nullptr;
  const std::string place =
      absl::StrCat(S3Server::kBucket, "/of/test-", ++contract_server->prefixes);
  return Open(Location(*contract_server->server, place), Options());
}

// Deviations of s3rver from S3: it lists by its files' names, which continue after the key, takes
// "bytes=0-0" for all, and cannot remove from a folder that does not exist.
INSTANTIATE_TEST_SUITE_P(S3rver, ObjectStoreContract,
                         testing::Values(TriedObjects{
                             OpenNew,
                             {"ListsAreInTheOrderOfTheKeysBytes", "AnEmptyObjectHasNoFirstByte",
                              "TheFirstByteIsReadAlone", "WhatWasNeverThereIsDeleted"}}));

TEST(S3ObjectsOverS3rverTest, PrefixesOfABucketDoNotMeet) {
  const S3Server& server = *contract_server->server;
  const auto one = Open(Location(server, "profiles/team"), Options());
  const auto other = Open(Location(server, "profiles/teams"), Options());
  const auto whole = Open(Location(server, "profiles"), Options());
  ASSERT_TRUE(one->Put("a", "1").ok());
  ASSERT_TRUE(other->Put("a", "22").ok());
  EXPECT_EQ(*whole->Read("team/a", 0, 1), "1");
  EXPECT_EQ(one->List("", "")->objects.size(), 1u);
  EXPECT_EQ(other->List("", "")->objects.at(0).key, "a");
  EXPECT_EQ(whole->List("team", "team/a")->objects.at(0).key, "teams/a");
}

void ExpectEverywhere(ObjectStore& objects, absl::StatusCode code) {
  const std::vector<absl::Status> statuses = {
      objects.Put("a", "bytes"), objects.Read("a", 0, 1).status(), objects.Read("a", 0, 0).status(),
      objects.Delete("a"), objects.List("", "").status()};
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(status.code(), code) << status;
    const std::string message(status.message());
    EXPECT_THAT(message, Not(HasSubstr("127.0.0.1")));
    EXPECT_THAT(message, Not(HasSubstr("AKIA")));
    EXPECT_THAT(message, Not(HasSubstr(S3Server::kSecretKey)));
  }
}

TEST(S3ObjectsOverS3rverTest, AWrongSecretIsNotPermitted) {
  S3Options options = Options();
  options.environment = Keys(S3Server::kAccessKey, "anothersecret");
  const auto objects = Open(Location(*contract_server->server, "profiles"), std::move(options));
  ExpectEverywhere(*objects, absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(objects->Read("a", 0, 1).status().message()),
              HasSubstr("SignatureDoesNotMatch"));
}

TEST(S3ObjectsOverS3rverTest, KeysOfASessionAreSignedWithItsToken) {
  S3Options options = Options();
  options.environment = Keys(S3Server::kAccessKey, S3Server::kSecretKey, "FwoGZXIvYXdzE+/=");
  const auto objects =
      Open(Location(*contract_server->server, "profiles/session"), std::move(options));
  EXPECT_TRUE(objects->Put("a", "bytes").ok());
  EXPECT_EQ(objects->Read("a", 1, 3).value_or(""), "yte");
}

TEST(S3ObjectsOverS3rverTest, AnUnknownKeyIsNotPermitted) {
  S3Options options = Options();
  options.environment = Keys("AKIASOMEBODY", S3Server::kSecretKey);
  const auto objects = Open(Location(*contract_server->server, "profiles"), std::move(options));
  ExpectEverywhere(*objects, absl::StatusCode::kPermissionDenied);
}

// Else its objects would be reported as lost.
TEST(S3ObjectsOverS3rverTest, AMissingBucketIsNotOneWithoutObjects) {
  const auto objects = Open(Location(*contract_server->server, "another"), Options());
  ExpectEverywhere(*objects, absl::StatusCode::kFailedPrecondition);
}

TEST(S3ObjectsOverS3rverTest, AServerThatHasGoneIsUnavailableAfterSoManyAttempts) {
  auto server = S3Server::Start();
  ASSERT_TRUE(server.ok()) << server.status();
  int sleeps = 0;
  S3Options options = Options();
  options.clock.sleep = [&sleeps](absl::Duration) { ++sleeps; };
  options.retries.attempts = 3;
  const auto objects = Open(Location(**server, "profiles"), std::move(options));
  ASSERT_TRUE(objects->Put("a", "bytes").ok());
  (*server)->Stop();
  EXPECT_EQ(sleeps, 0);
  ExpectEverywhere(*objects, absl::StatusCode::kUnavailable);
  EXPECT_EQ(sleeps, 5 * 2);
}

}  // namespace
}  // namespace gprofhub::store
