#include "store/records/run_columns.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"

namespace gprofhub::store {

namespace {

using google::protobuf::FieldDescriptor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A different value in each field.
v1::RunInfo FullRun() {
  v1::RunInfo run;
  const google::protobuf::Descriptor& fields = *v1::RunInfo::descriptor();
  const google::protobuf::Reflection& values = *v1::RunInfo::GetReflection();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor* field = fields.field(i);
    if (field->is_repeated()) {
      values.AddString(&run, field, "x");
      continue;
    }
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        values.SetString(&run, field, field->name());
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        values.SetBool(&run, field, true);
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        values.SetInt64(&run, field, 1'700'000'000'000 + i);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        values.SetEnumValue(&run, field, 1);
        break;
      default:
        ADD_FAILURE() << field->name();
    }
  }
  return run;
}

TEST(RunColumnsTest, EveryFieldOfTheMessageIsKept) {
  v1::RunInfo expected = FullRun();
  const RunRecord run = ToRunRecord(expected);
  EXPECT_THAT(run.ancestors, ElementsAre("x"));
  expected.clear_ancestors();
  const v1::RunInfo kept = ToRunInfo(run);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(kept, expected))
      << kept.DebugString();
}

TEST(RunColumnsTest, EveryValueIsReadAsItWasWritten) {
  const RunRecord run = ToRunRecord(FullRun());
  RunRecord copy;
  for (const RunColumn& column : RunColumns()) column.write(column.read(run), copy);
  EXPECT_EQ(ToRunInfo(copy).SerializeAsString(), ToRunInfo(run).SerializeAsString());
  EXPECT_EQ(copy.profile_kind, ProfileKind::kSampled);
  EXPECT_EQ(copy.rerun, RerunRole::kExpected);
}

TEST(RunColumnsTest, UnknownValueOfAnEnumCountsAsTheFirst) {
  v1::RunInfo message;
  message.set_profile_kind(static_cast<v1::ProfileKind>(7));
  message.set_rerun(static_cast<v1::RerunRole>(-1));
  const RunRecord run = ToRunRecord(message);
  EXPECT_EQ(run.profile_kind, ProfileKind::kCounted);
  EXPECT_EQ(run.rerun, RerunRole::kNone);
}

TEST(RunColumnsTest, DefinitionsAreSql) {
  const std::string definitions = RunColumnDefinitions();
  EXPECT_THAT(definitions, HasSubstr("  commit_hash TEXT NOT NULL,\n"));
  EXPECT_THAT(definitions, HasSubstr("  started_us INTEGER NOT NULL,\n"));
  EXPECT_THAT(definitions, HasSubstr("  rerun TEXT NOT NULL CHECK (rerun IN ('none', 'expected', "
                                     "'is')),\n"));
}

}  // namespace

}  // namespace gprofhub::store
