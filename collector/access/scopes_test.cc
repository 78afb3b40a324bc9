#include "collector/access/scopes.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

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
