// Finds callers on stacks built by the test, of functions whose code and unwind information are
// written out: counted functions, functions with frame pointers, and stray words.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

extern "C" {
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/waiting/callers.h"
#include "runtime/waiting/unwind_rules.h"

struct Registers {
  uint64_t pc, sp, frame;
};

void CountedCalls(void (*next)(void*), void* argument);
void CountedCallsLibrary(void (*next)(void*), void* argument);
void LibraryWithFrame(void (*next)(void*), void* argument);
void LibraryWithoutFrame(void (*next)(void*), void* argument);
void Capture(Registers* registers);
extern const char after_counted_call[], after_library_call[], after_indirect_call[],
    inside_counted[];
}

// Stand-ins for the stubs, which are not linked here; a counted function is one that begins with a
// call of them.
__asm__(R"(
  .text
  .globl gh_stubs_begin, gh_stubs_end
gh_stubs_begin:
stub:
  ret
gh_stubs_end:

  .globl CountedCalls, after_counted_call, inside_counted
CountedCalls:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset 6, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register 6
  call stub
inside_counted:
  movq %rdi, %rax
  movq %rsi, %rdi
  call *%rax
after_counted_call:
  popq %rbp
  .cfi_def_cfa 7, 8
  ret
  .cfi_endproc

  .globl CountedCallsLibrary, after_library_call
CountedCallsLibrary:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset 6, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register 6
  call stub
  call LibraryWithFrame
after_library_call:
  popq %rbp
  .cfi_def_cfa 7, 8
  ret
  .cfi_endproc

  # Between its locals lies what another call has left there: a frame pointer and a return address
  # into a counted function.
  .globl LibraryWithFrame, after_indirect_call
LibraryWithFrame:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset 6, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register 6
  leaq inside_counted(%rip), %rax
  pushq %rax
  pushq %rbp
  subq $32, %rsp
  movq %rdi, %rax
  movq %rsi, %rdi
  call *%rax
after_indirect_call:
  leave
  .cfi_def_cfa 7, 8
  ret
  .cfi_endproc

  .globl LibraryWithoutFrame
LibraryWithoutFrame:
  .cfi_startproc
  leaq after_counted_call(%rip), %rax
  pushq %rax
  .cfi_def_cfa_offset 16
  subq $48, %rsp
  .cfi_def_cfa_offset 64
  movq %rdi, %rax
  movq %rsi, %rdi
  call *%rax
  addq $56, %rsp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc

  .globl Capture
Capture:
  .cfi_startproc
  movq (%rsp), %rax
  movq %rax, (%rdi)
  leaq 8(%rsp), %rax
  movq %rax, 8(%rdi)
  movq %rbp, 16(%rdi)
  ret
  .cfi_endproc
)");

namespace {

uint64_t AddressOf(const void* at) { return reinterpret_cast<uint64_t>(at); }

// Returns the caller found from here.
void Look(void* argument) {
  Registers registers = {};
  Capture(&registers);
  *static_cast<uint64_t*>(argument) =
      gh_find_caller({registers.pc, registers.sp, registers.frame, 0, 1, 0});
}

void ThroughLibraryWithoutFrame(void* argument) { LibraryWithoutFrame(Look, argument); }

class Callers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    gh_modules_refresh(0);
  }
};

TEST_F(Callers, AreTheInnermostCountedFunctions) {
  uint64_t found = 0;
  CountedCalls(Look, &found);
  EXPECT_EQ(found, AddressOf(after_counted_call));
}

TEST_F(Callers, StandBehindLibrariesWithoutFramePointers) {
  uint64_t found = 0;
  CountedCalls(ThroughLibraryWithoutFrame, &found);
  EXPECT_EQ(found, AddressOf(after_counted_call));
}

TEST_F(Callers, AreNoWordsThatLieAbout) {
  uint64_t found = 0;
  LibraryWithoutFrame(Look, &found);
  EXPECT_EQ(found, 0u) << "nothing of it is counted";
}

TEST_F(Callers, StandBehindLibrariesWithFramePointers) {
  uint64_t found = 0;
  CountedCallsLibrary(Look, &found);
  EXPECT_EQ(found, AddressOf(after_library_call));
}

// The kernel does not report the frame pointer of a blocked thread. This is the stack of one in
// LibraryWithFrame, which CountedCallsLibrary has called.
TEST_F(Callers, AreFoundWithoutTheFramePointer) {
  alignas(16) uint64_t stack[1024] = {};
  uint64_t* const frame = stack + 32;
  frame[0] = AddressOf(frame + 8);  // its caller's
  frame[1] = AddressOf(after_library_call);
  frame[-1] = AddressOf(inside_counted);  // after a call, but of another function
  frame[-2] = AddressOf(frame);
  frame[-6] = AddressOf(after_counted_call);  // not preceded by a frame pointer
  const gh_place place = {AddressOf(after_indirect_call), AddressOf(frame - 6), 0, 0, 0, 0};
  EXPECT_EQ(gh_find_caller(place), AddressOf(after_library_call));
}

TEST_F(Callers, MayBeTheFunctionThatIsExecuted) {
  uint64_t word = 0;
  const gh_place next = {AddressOf(inside_counted), AddressOf(&word), 0, 0, 0, 1};
  EXPECT_EQ(gh_find_caller(next), AddressOf(inside_counted) + 1);
}

TEST_F(Callers, AreNotFoundWhereNothingIsKnown) {
  uint64_t words[16] = {};
  EXPECT_EQ(gh_find_caller({0, AddressOf(words), 0, 0, 0, 0}), 0u);
  EXPECT_EQ(gh_find_caller({0x10, AddressOf(words), 0, 0, 0, 0}), 0u);
  EXPECT_EQ(gh_find_caller({AddressOf(words), AddressOf(words), 0, 0, 0, 0}), 0u);
  // The stack is unmapped.
  EXPECT_EQ(gh_find_caller({AddressOf(after_indirect_call), 0x10, 0, 0, 0, 0}), 0u);
  EXPECT_EQ(gh_find_caller({AddressOf(after_indirect_call), 0x10, 0x10, 0, 1, 0}), 0u);
}

TEST(UnwindRules, AreThoseOfTheInstruction) {
  gh_unwind_rule rule;
  ASSERT_EQ(gh_find_unwind_rule(AddressOf(reinterpret_cast<void*>(LibraryWithoutFrame)), &rule), 1);
  EXPECT_EQ(rule.begin, AddressOf(reinterpret_cast<void*>(LibraryWithoutFrame)));
  EXPECT_EQ(rule.offset, 8);
  EXPECT_EQ(rule.from_frame, 0);
  EXPECT_EQ(rule.return_at, -8);
  EXPECT_EQ(rule.frame_pointer, GH_FRAME_KEPT);
  ASSERT_EQ(gh_find_unwind_rule(AddressOf(after_indirect_call), &rule), 1);
  EXPECT_EQ(rule.from_frame, 1);
  EXPECT_EQ(rule.offset, 16);
  EXPECT_EQ(rule.frame_pointer, GH_FRAME_SAVED);
  EXPECT_EQ(rule.frame_pointer_at, -16);
  EXPECT_EQ(gh_find_unwind_rule(rule.end, &rule) && rule.begin < rule.end, 1) << "the next one";
  EXPECT_EQ(gh_find_unwind_rule(0x10, &rule), 0);
}

}  // namespace
