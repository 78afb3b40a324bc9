#include "store/postgres/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::store::postgres {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseLocationTest, ShowsEverythingButThePassword) {
  const absl::StatusOr<Location> location =
      ParseLocation("postgresql://hub:p%40ss!@db.example:5433/gprofhub?sslmode=require");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->display, "postgresql://hub@db.example:5433/gprofhub");
  EXPECT_EQ(location->connection_url,
            "postgresql://hub:p%40ss!@db.example:5433/gprofhub?connect_timeout=10&"
            "fallback_application_name=gprofhub&keepalives=1&keepalives_idle=15&"
            "keepalives_interval=5&keepalives_count=4&tcp_user_timeout=30000&sslmode=require&"
            "options=-c%20statement_timeout%3D30000%20-c%20lock_timeout%3D10000%20"
            "-c%20idle_in_transaction_session_timeout%3D60000%20-c%20jit%3Doff&"
            "client_encoding=UTF8");
}

TEST(ParseLocationTest, OptionsOfTheUrlGoBefore) {
  const absl::StatusOr<Location> location =
      ParseLocation("postgresql://db/hub?options=-c%20statement_timeout%3D5000&sslmode=require");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_THAT(location->connection_url,
              HasSubstr("jit%3Doff%20-c%20statement_timeout%3D5000&sslmode"));
  EXPECT_THAT(location->connection_url, Not(HasSubstr("sslmode=require&options")));
}

TEST(ParseLocationTest, TakesEveryFormThatLibpqTakes) {
  for (const char* url :
       {"postgresql://", "postgres://localhost", "postgresql://localhost/mydb",
        "postgresql://user@localhost", "PostgreSQL://localhost/db", "POSTGRES://user@localhost",
        "postgresql://host1:123,host2:456/somedb", "postgresql://[2001:db8::1234]:5432/db",
        "postgresql:///mydb?host=/run/postgresql", "postgresql://%2Frun%2Fpostgresql/mydb",
        "postgresql://user:pw@/db?host=/tmp/x"}) {
    EXPECT_TRUE(ParseLocation(url).ok()) << url;
  }
}

TEST(ParseLocationTest, RefusesAPasswordThatIsNotEncodedWithoutShowingIt) {
  for (const char* url : {"postgresql://hub:sec/ret@host/db", "postgresql://hub:sec@ret@host/db",
                          "postgresql://hub:sec?ret@host/db", "postgresql://hub:sec#ret@host/db",
                          "postgresql://hub:sec ret@host/db", "postgresql://hub:sec%ret@host/db",
                          "postgresql://hub:sec:ret@host/db", "postgresql://sec:ret/db",
                          "postgresql://host/db?password=sec@ret", "postgresql://[sec/ret"}) {
    const absl::Status status = ParseLocation(url).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("sec")));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("ret")));
  }
}

TEST(ParseLocationTest, RefusesAParameterThatLibpqDoesNotKnow) {
  const absl::Status status =
      ParseLocation("postgresql://hub:secret@host/db?sslmod=require").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("postgresql://hub@host/db"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("sslmod"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

TEST(WithoutSecretsTest, HidesThePasswordInEveryForm) {
  const absl::StatusOr<Location> location =
      ParseLocation("postgresql://hub:s%2Fecret@host/db?password=other&sslpassword=key");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(WithoutSecrets(*location, "s/ecret s%2Fecret other key"), "*** *** *** ***");
}

}  // namespace

}  // namespace gprofhub::store::postgres
