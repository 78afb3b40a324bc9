/* Functions that compilers call at the start of every function (-pg: mcount, and with -mfentry
 * __fentry__) and of every basic block (-fsanitize-coverage=trace-pc).
 *
 * The fast path, for an arc that is in the table already, which is nearly every call:
 *
 *   table = this thread's table            one load through initial-exec TLS
 *   mix   = self * FACTOR + from * 8
 *   slot  = table->slots + (mix & table->mask)
 *   slot->mix == mix  ->  slot->count += 1
 *
 * The counter is incremented by a single instruction on memory that only this thread writes: no
 * lock, and exact with signal handlers in between. The following slots are tried until one
 * matches. An empty slot (one always ends the array) or a missing table takes the slow path into
 * C, which is compiled without vector registers. The mask of an abandoned table is 0: slot 0,
 * where all calls then look, is always empty (table.h).
 *
 * The first instruction compares a word of memory. While counting is switched off, a call costs
 * that and the return. While it is on, the branch is predicted, and takes no measurable time
 * (docs/benchmarks/runtime.md).
 *
 * One comparison identifies the arc: among call sites and callees within 2 GB of each other, as
 * in one module, every pair has a different mix (table.h). The number of instructions limits the
 * speed; these fit two cache lines, which are aligned as a pair: a stub that continues in
 * another page costs 0.3 ns more per call. The hash's multiplier is an immediate operand.
 *
 * Compilers place these calls where argument registers are live and save nothing: all registers
 * except r11 and the flags are preserved, including %rax (number of vector arguments), %r10
 * (static chain) and the vector registers. The code uses %r11 and %rax only; %rax, and the mix
 * during the search, are saved in the red zone below the stack pointer.
 *
 * The addresses: `self` is the return address of the call to the stub, in the
 * callee; `from` is the return address of the callee, in the caller. With
 * mcount the frame pointer is set up (8(%rbp)); with __fentry__ nothing has
 * been pushed yet (8(%rsp)). */

#if defined(__x86_64__)

#include "runtime/processor/instrumented_runtime.inc"
#include "runtime/processor/library_thunks.h"

#define TABLE_MASK 16
#define SLOT_KEY 64 /* of the slot at offset 0 of the table's array */
#define SLOT_COUNT 80
#define SLOT_MIX 88
#define SLOT_BYTES 32
#define TLS_ARCS 0
#define TLS_BLOCKS 8
/* Same value in table.h. */
#define HASH_FACTOR 0x7feb352d

	.hidden	gh_tls, gh_arc_slow, gh_block_slow, gh_indirect_slow, gh_counting_off
	.hidden	gh_tail_slow, gh_tail_pointer_slow
	.text

	/* %rax: a mix, of the table in %r11 -> its home. */
	.macro GO_HOME
	andq	TABLE_MASK(%r11), %rax
	addq	%rax, %r11
	.endm

	/* First of all: returns if counting is off. */
	.macro RETURN_IF_OFF
	cmpl	$0, gh_counting_off(%rip)
	jne	6f
	.endm

	.macro BUMP
	addq	$1, SLOT_COUNT(%r11)
	movq	-8(%rsp), %rax
6:	ret
	.endm

	/* Registers that C may use and the program needs, saved below %rbp, where the frame begins. */
	.macro SAVE_REGISTERS
	.irp	register, rcx, rax, rdx, rdi, rsi, r8, r9, r10, r11
	pushq	%\register
	.endr
	.endm

	.macro RESTORE_REGISTERS
	leaq	-9 * 8(%rbp), %rsp
	.irp	register, r11, r10, r9, r8, rsi, rdi, rdx, rax, rcx
	popq	%\register
	.endr
	.endm

	/* The slow path: saves every register that C may use. `load_context` sets %rsi from the frame
	 * that %rbp points to here: the stub's return address is at 8(%rbp), the program's %rbp at
	 * 0(%rbp). */
	.macro CALL_C function, load_context
	movq	-8(%rsp), %rax
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	SAVE_REGISTERS
	andq	$-16, %rsp
	movq	8(%rbp), %rdi
	\load_context
	call	\function
	RESTORE_REGISTERS
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.endm

	/* Ends the process if the function that is about to be called is the one that called. */
	.macro END_IF_INSTRUMENTED
	leaq	gh_arc_slow(%rip), %rax
	subq	%rdi, %rax
	addq	$PROLOGUE_BYTES, %rax
	cmpq	$PROLOGUE_BYTES, %rax
	jb	gh_end_instrumented
	.endm

	.macro CALLER_BY_FRAME_POINTER
	END_IF_INSTRUMENTED
	movq	(%rbp), %rsi
	movq	8(%rsi), %rsi
	.endm

	.macro CALLER_BY_STACK_POINTER
	END_IF_INSTRUMENTED
	movq	16(%rbp), %rsi
	.endm

	.macro NO_CALLER
	.endm

	.macro CALLEE_IN_R11
	movq	%rdi, %rsi
	movq	%r11, %rdi
	.endm

	.macro CALLEE_AND_CALLER
	CALLEE_IN_R11
	movq	16(%rbp), %rdx
	.endm

	.macro COUNT_ARC frame, load_context
	.cfi_startproc
	RETURN_IF_OFF
	movq	%rax, -8(%rsp)
	imulq	$HASH_FACTOR, (%rsp), %rax
	movq	8(\frame), %r11
	leaq	(%rax,%r11,8), %rax
	movq	%rax, -16(%rsp)
	movq	gh_tls@gottpoff(%rip), %r11
	movq	%fs:TLS_ARCS(%r11), %r11
	testq	%r11, %r11
	jz	9f
	GO_HOME
	movq	-16(%rsp), %rax
	cmpq	%rax, SLOT_MIX(%r11)
	jne	2f
1:	BUMP
	.p2align 4
2:	cmpq	$0, SLOT_KEY(%r11)
	je	9f
	addq	$SLOT_BYTES, %r11
	cmpq	%rax, SLOT_MIX(%r11)
	jne	2b
	jmp	1b
9:	CALL_C	gh_arc_slow, \load_context
	.cfi_endproc
	.endm

	.globl	mcount, _mcount, __fentry__, __sanitizer_cov_trace_pc
	.type	mcount, @function
	.type	_mcount, @function
	.type	__fentry__, @function
	.type	__sanitizer_cov_trace_pc, @function

	/* Samples from here to gh_stubs_end are the runtime's own cost. */
	.globl	gh_stubs_begin, gh_stubs_end
	.hidden	gh_stubs_begin, gh_stubs_end
	.p2align 7
gh_stubs_begin:
mcount:
_mcount:
	COUNT_ARC %rbp, CALLER_BY_FRAME_POINTER
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	.p2align 7
__fentry__:
	COUNT_ARC %rsp, CALLER_BY_STACK_POINTER
	.size	__fentry__, . - __fentry__

	/* A basic block: the same, with the return address alone as the key. */
	.p2align 7
__sanitizer_cov_trace_pc:
	.cfi_startproc
	RETURN_IF_OFF
	movq	%rax, -8(%rsp)
	movq	gh_tls@gottpoff(%rip), %rax
	movq	%fs:TLS_BLOCKS(%rax), %r11
	testq	%r11, %r11
	jz	9f
	imulq	$HASH_FACTOR, (%rsp), %rax
	GO_HOME
	movq	(%rsp), %rax
1:	cmpq	%rax, SLOT_KEY(%r11)
	jne	2f
	BUMP
2:	cmpq	$0, SLOT_KEY(%r11)
	je	9f
	addq	$SLOT_BYTES, %r11
	jmp	1b
9:	CALL_C	gh_block_slow, NO_CALLER
	.cfi_endproc
	.size	__sanitizer_cov_trace_pc, . - __sanitizer_cov_trace_pc

	/* Calls and tail jumps in code with counters in its text (counters.h) that the site's own words
	 * do not count. The callee is in %r11, which is preserved, too. `caller` is the offset, from
	 * the top of the stack, of the return address that identifies the caller: for a call the stub's
	 * own; for a tail jump that of the function that jumps.
	 *
	 * If the site has words, the instruction at the stub's return address is incq %gs:COUNT(%rip),
	 * which counts the last of them; this stub undoes it. */
	.macro	COUNT_SITE caller, is_tail, has_words, function, load_context
	.cfi_startproc
	.if \has_words
	cmpl	$0, gh_counting_off(%rip)
	jne	7f
	.else
	RETURN_IF_OFF
	.endif
	movq	%rax, -8(%rsp)
	movq	%r11, -24(%rsp)
	imulq	$HASH_FACTOR, %r11, %rax
	movq	\caller(%rsp), %r11
	leaq	(%rax,%r11,8), %rax
	.if \is_tail
	btcq	$63, %rax /* GPROFHUB_TAIL_CONTEXT, eightfold */
	.endif
	movq	%rax, -16(%rsp)
	movq	gh_tls@gottpoff(%rip), %r11
	movq	%fs:TLS_ARCS(%r11), %r11
	testq	%r11, %r11
	jz	9f
	GO_HOME
	movq	-16(%rsp), %rax
	cmpq	%rax, SLOT_MIX(%r11)
	jne	2f
1:	addq	$1, SLOT_COUNT(%r11)
	.if \has_words
	movq	(%rsp), %rax
	movslq	4(%rax), %r11
	decq	%gs:8(%rax,%r11)
	.endif
	movq	-8(%rsp), %rax
	movq	-24(%rsp), %r11
6:	ret
2:	cmpq	$0, SLOT_KEY(%r11)
	je	9f
	addq	$SLOT_BYTES, %r11
	cmpq	%rax, SLOT_MIX(%r11)
	jne	2b
	jmp	1b
	.if \has_words
	/* Counting is off. While the site has free words it nevertheless stores new addresses, so that
	 * they do not come here again. The counts of its words in this period are excluded as all
	 * others. */
7:	movq	%rax, -8(%rsp)
	movq	%r11, -24(%rsp)
	movq	(%rsp), %rax
	movslq	4(%rax), %r11
	cmpq	$0, %gs:(%rax,%r11) /* the second address */
	je	9f
	movq	-8(%rsp), %rax
	movq	-24(%rsp), %r11
	ret
	.endif
9:	movq	-24(%rsp), %r11
	CALL_C	\function, \load_context
	.cfi_endproc
	.endm

	.globl	gprofhub_indirect, gprofhub_tail_call, gprofhub_tail_pointer
	.type	gprofhub_indirect, @function
	.type	gprofhub_tail_call, @function
	.type	gprofhub_tail_pointer, @function

	/* A call through a pointer. */
	.p2align 7
gprofhub_indirect:
	COUNT_SITE 0, 0, 1, gh_indirect_slow, CALLEE_IN_R11
	.size	gprofhub_indirect, . - gprofhub_indirect

	/* A tail jump to a function. */
	.p2align 7
gprofhub_tail_call:
	COUNT_SITE 8, 1, 1, gh_tail_slow, CALLEE_AND_CALLER
	.size	gprofhub_tail_call, . - gprofhub_tail_call

	/* A tail jump through a pointer: it has no words. */
	.p2align 7
gprofhub_tail_pointer:
	COUNT_SITE 8, 1, 0, gh_tail_pointer_slow, CALLEE_AND_CALLER
	.size	gprofhub_tail_pointer, . - gprofhub_tail_pointer

#include "runtime/processor/library_call_stubs_x86_64.inc"

	/* Where the kernel begins the sampler's signal handler: samples of that moment are the runtime's
	 * cost. */
	.globl	gh_signal_entry
	.hidden	gh_signal_entry, gh_on_signal
	.type	gh_signal_entry, @function
gh_signal_entry:
	jmp	gh_on_signal
	.size	gh_signal_entry, . - gh_signal_entry

	/* Return address of signal handlers; unwinders know this byte pattern. */
	.globl	gh_signal_return
	.hidden	gh_signal_return
	.type	gh_signal_return, @function
	.p2align 4
gh_signal_return:
	movq	$15, %rax
	syscall
	.size	gh_signal_return, . - gh_signal_return
gh_stubs_end:

gh_end_instrumented:
	movl	$2, %edi
	leaq	instrumented_runtime(%rip), %rsi
	movl	$instrumented_runtime_bytes, %edx
	movl	$1, %eax /* write */
	syscall
	movl	$1, %edi
	movl	$231, %eax /* exit_group */
	syscall

#endif

	.section .note.GNU-stack,"",@progbits
