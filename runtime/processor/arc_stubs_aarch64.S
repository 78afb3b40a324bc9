/* Functions that compilers call at the start of every function (-pg: _mcount) and of every basic
 * block (-fsanitize-coverage=trace-pc). arc_stubs_x86_64.S explains how a call is counted:
 *
 *   table = this thread's table            one load through initial-exec TLS
 *   mix   = self * FACTOR + from * 8
 *   slot  = table->slots + (mix & table->mask)
 *   slot->mix == mix  ->  slot->count += 1
 *
 * Differences:
 *
 * - The compilers make an ordinary call, so the procedure call standard holds: x0 to x17
 *   and the vector registers are free.
 * - Not all processors of the architecture have an instruction that adds to memory. The counter
 *   is incremented by an exclusive load and store: a signal handler in between clears the
 *   monitor, the store fails, and the addition is repeated. So counts are exact.
 * - `self` is in x30. `from` is read from the frame that x29 points to, which -pg always sets up
 *   before the call (gcc rejects -fomit-frame-pointer with it). gcc also passes it in x0, but
 *   clang 14 does not. It may be signed (pointer authentication); xpaclri, a hint that other
 *   processors ignore, strips the signature. It works on x30 only. */
#if defined(__aarch64__)

#include "runtime/processor/instrumented_runtime.inc"
#include "runtime/processor/library_thunks.h"

#define TABLE_MASK 16
#define SLOT_KEY 64 /* of the slot at offset 0 of the table's array */
#define SLOT_COUNT 80
#define SLOT_MIX 88
#define SLOT_BYTES 32
#define TLS_ARCS 0
#define TLS_BLOCKS 8
/* Same value in table.h: 0x7feb352d. */
#define HASH_FACTOR_LOW 0x352d
#define HASH_FACTOR_HIGH 0x7feb

	.hidden	gh_tls, gh_arc_slow, gh_block_slow, gh_counting_off
	.text

	/* Landing pad of branch target identification, for functions called through a table. */
	.macro ENTRY_POINT
	.cfi_startproc
	hint	#34 /* bti c */
	.endm

	/* x13: the thread's table of the kind at `offset`; jumps to 9 if there is none. */
	.macro LOAD_TABLE offset
	adrp	x13, :gottprel:gh_tls
	mrs	x12, tpidr_el0
	ldr	x13, [x13, #:gottprel_lo12:gh_tls]
	add	x12, x12, x13
	ldr	x13, [x12, #\offset]
	cbz	x13, 9f
	.endm

	/* x11: a mix -> x13: its home in the table in x13. */
	.macro GO_HOME
	ldr	x14, [x13, #TABLE_MASK]
	and	x14, x11, x14
	add	x13, x13, x14
	.endm

	/* x11: x30 * FACTOR. */
	.macro MULTIPLY_SELF
	mov	w11, #HASH_FACTOR_LOW
	movk	w11, #HASH_FACTOR_HIGH, lsl #16
	mul	x11, x30, x11
	.endm

	.macro BUMP
	add	x13, x13, #SLOT_COUNT
8:	ldxr	x14, [x13]
	add	x14, x14, #1
	stxr	w15, x14, [x13]
	cbnz	w15, 8b
6:	ret
	.endm

	/* First of all: returns if counting is off. */
	.macro RETURN_IF_OFF
	adrp	x9, gh_counting_off
	ldr	w9, [x9, #:lo12:gh_counting_off]
	cbnz	w9, 6f
	.endm

	.macro CALL_C function
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	bl	\function
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
	.endm

	.globl	mcount, _mcount, __sanitizer_cov_trace_pc
	.type	mcount, %function
	.type	_mcount, %function
	.type	__sanitizer_cov_trace_pc, %function

	/* Samples from here to gh_stubs_end are the runtime's own cost. */
	.globl	gh_stubs_begin, gh_stubs_end
	.hidden	gh_stubs_begin, gh_stubs_end
	.p2align 6
gh_stubs_begin:
mcount:
_mcount:
	ENTRY_POINT
	RETURN_IF_OFF
	mov	x9, x30
	ldr	x30, [x29, #8]
	hint	#7 /* xpaclri */
	mov	x1, x30
	mov	x30, x9
	MULTIPLY_SELF
	add	x11, x11, x1, lsl #3
	LOAD_TABLE TLS_ARCS
	GO_HOME
2:	ldr	x15, [x13, #SLOT_MIX]
	cmp	x15, x11
	b.ne	3f
	BUMP
3:	ldr	x15, [x13, #SLOT_KEY]
	cbz	x15, 9f
	add	x13, x13, #SLOT_BYTES
	b	2b
	/* Ends the process if the function that is about to be called is the one that called. */
9:	adrp	x9, gh_arc_slow
	add	x9, x9, #:lo12:gh_arc_slow
	sub	x9, x30, x9
	cmp	x9, #PROLOGUE_BYTES
	b.lo	gh_end_instrumented
	mov	x0, x30
	CALL_C	gh_arc_slow
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	/* A basic block: the same, with the return address alone as the key. */
	.p2align 6
__sanitizer_cov_trace_pc:
	ENTRY_POINT
	RETURN_IF_OFF
	MULTIPLY_SELF
	LOAD_TABLE TLS_BLOCKS
	GO_HOME
2:	ldr	x15, [x13, #SLOT_KEY]
	cmp	x15, x30
	b.ne	3f
	BUMP
3:	cbz	x15, 9f
	add	x13, x13, #SLOT_BYTES
	b	2b
9:	mov	x0, x30
	CALL_C	gh_block_slow
	.size	__sanitizer_cov_trace_pc, . - __sanitizer_cov_trace_pc

#include "runtime/processor/library_call_stubs_aarch64.inc"

	/* Where the kernel begins the sampler's signal handler: samples of that moment are the runtime's
	 * cost. */
	.globl	gh_signal_entry
	.hidden	gh_signal_entry, gh_on_signal
	.type	gh_signal_entry, %function
gh_signal_entry:
	ENTRY_POINT
	b	gh_on_signal
	.cfi_endproc
	.size	gh_signal_entry, . - gh_signal_entry
gh_stubs_end:

gh_end_instrumented:
	mov	x0, #2
	adrp	x1, instrumented_runtime
	add	x1, x1, #:lo12:instrumented_runtime
	mov	x2, #instrumented_runtime_bytes
	mov	x8, #64 /* write */
	svc	#0
	mov	x0, #1
	mov	x8, #94 /* exit_group */
	svc	#0

#endif

	.section .note.GNU-stack,"",%progbits
