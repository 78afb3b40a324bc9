#include "reporter/notify/channels/issue_channel.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "reporter/forge/testing/fake_forge.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class IssueChannelTest : public testing::TestWithParam<std::unique_ptr<FakeForge> (*)()> {
 protected:
  static Message Example(Message::Kind kind, const std::string& reference = "") {
    Message message;
    message.kind = kind;
    message.key = std::string(64, 'a');
    message.reference = reference;
    message.notification.project = "db";
    message.notification.event.mutable_cause()->set_function("parse");
    message.digest.project = "db";
    return message;
  }

  const std::unique_ptr<FakeForge> fake_ = GetParam()();
  const std::unique_ptr<Channel> channel_ =
      MakeIssueChannel({{"db", std::shared_ptr<Forge>(fake_->Client())}});
};

TEST_P(IssueChannelTest, OpensEditsClosesAndOpensAgainOneIssue) {
  const auto number = channel_->Send(Example(Message::Kind::kOpened));
  ASSERT_TRUE(number.ok()) << number.status();
  ASSERT_THAT(fake_->issues, SizeIs(1));
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kUpdated, *number)), *number);
  EXPECT_TRUE(fake_->issues[0].open);
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kClosed, *number)), *number);
  EXPECT_FALSE(fake_->issues[0].open);
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kOpened, *number)), *number);
  EXPECT_TRUE(fake_->issues[0].open);
  EXPECT_THAT(fake_->issues, SizeIs(1));
}

TEST_P(IssueChannelTest, AnIssueThatIsThereIsFoundByItsMarker) {
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kOpened)).ok());
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kOpened)).ok());
  EXPECT_THAT(fake_->issues, SizeIs(1));
  Message other = Example(Message::Kind::kOpened);
  other.key[0] = 'b';
  ASSERT_TRUE(channel_->Send(other).ok());
  EXPECT_THAT(fake_->issues, SizeIs(2));
}

TEST_P(IssueChannelTest, AnIssueThatSomebodyDeletedIsNotMadeAgain) {
  EXPECT_TRUE(channel_->Send(Example(Message::Kind::kClosed, "99")).ok());
  EXPECT_TRUE(channel_->Send(Example(Message::Kind::kUpdated, "99")).ok());
  EXPECT_THAT(fake_->issues, IsEmpty());
}

TEST_P(IssueChannelTest, ADigestIsAClosedIssue) {
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kDigest)).ok());
  ASSERT_THAT(fake_->issues, SizeIs(1));
  EXPECT_FALSE(fake_->issues[0].open);
}

TEST_P(IssueChannelTest, AProjectWithoutARepositoryIsAnInvalidArgument) {
  Message message = Example(Message::Kind::kOpened);
  message.notification.project = "other";
  const absl::Status status = channel_->Send(message).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("other"));
}

INSTANTIATE_TEST_SUITE_P(GitHub, IssueChannelTest,
                         testing::Values(+[] { return MakeFakeGitHub(/*app=*/true); }));
INSTANTIATE_TEST_SUITE_P(GitLab, IssueChannelTest, testing::Values(&MakeFakeGitLab));

}  // namespace
}  // namespace gprofhub::reporter
