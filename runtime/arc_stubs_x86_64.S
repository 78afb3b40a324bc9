/* What compilers call at the start of every function (-pg: mcount, and with
 * -mfentry __fentry__) and of every basic block (-fsanitize-coverage=trace-pc).
 *
 * The way of a call that was counted before, which is nearly every call:
 *
 *   table = this thread's table            one load through initial-exec TLS
 *   h     = (self * C + from) * table->multiplier
 *   slot  = table->slots + (h >> 27 & table->mask)
 *   slot->key == self && slot->context == from  ->  slot->count += 1
 *
 * The counter is bumped by a single instruction on memory that only this
 * thread writes: no lock, and a signal handler in between loses nothing.
 * The next slots are tried until one matches; an empty slot (one always ends
 * the array), no table yet, or counting switched off goes the slow way into C,
 * which is compiled without vector registers.
 *
 * Compilers place these calls where argument registers are live and do not
 * save anything: all registers are kept but r11 and the flags, %rax (number of
 * vector arguments), %r10 (static chain) and the vector registers included.
 * Scratch values live in the red zone below the stack pointer.
 *
 * The addresses: `self` is the return address of the call to the stub, in the
 * callee; `from` is the return address of the callee, in the caller. With
 * mcount the frame pointer is set up (8(%rbp)); with __fentry__ nothing has
 * been pushed yet (8(%rsp)). */

#define TABLE_MASK 16
#define TABLE_MULTIPLIER 24
#define TABLE_SLOTS 64
#define SLOT_BYTES 32
#define SLOT_KEY 0
#define SLOT_CONTEXT 8
#define SLOT_COUNT 16
#define HASH_FACTOR 0x5bd1e995 /* table.h has the same */

	.text

	.macro COUNT_ARC from_base, slow
	endbr64
	movq	%rax, -8(%rsp)
	movq	%rdx, -16(%rsp)
	movq	%rcx, -24(%rsp)
	movq	gh_tls@gottpoff(%rip), %rax
	movq	8(\from_base), %r11
	movq	(%rsp), %rcx
	movq	%fs:(%rax), %rax
	testq	%rax, %rax
	jz	\slow
	imulq	$HASH_FACTOR, %rcx, %rdx
	addq	%r11, %rdx
	imulq	TABLE_MULTIPLIER(%rax), %rdx
	shrq	$27, %rdx
	andq	TABLE_MASK(%rax), %rdx
	leaq	TABLE_SLOTS(%rax,%rdx), %rdx
	cmpq	%rcx, SLOT_KEY(%rdx)
	jne	2f
1:	cmpq	%r11, SLOT_CONTEXT(%rdx)
	jne	3f
	cmpb	$0, gh_counting_off(%rip)
	jne	4f
	addq	$1, SLOT_COUNT(%rdx)
4:	movq	-8(%rsp), %rax
	movq	-16(%rsp), %rdx
	movq	-24(%rsp), %rcx
	ret
	.p2align 4
2:	cmpq	$0, SLOT_KEY(%rdx)
	je	\slow
3:	addq	$SLOT_BYTES, %rdx
	cmpq	%rcx, SLOT_KEY(%rdx)
	je	1b
	jmp	2b
	.endm

	/* rcx: self, r11: from; the three saved registers are in the red zone. */
	.macro CALL_C function
	movq	-8(%rsp), %rax
	movq	-16(%rsp), %rdx
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	-16(%rbp)	/* rcx: its place, seen from the new frame */
	pushq	%rax
	pushq	%rdx
	pushq	%rdi
	pushq	%rsi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	andq	$-16, %rsp
	movq	%rcx, %rdi
	movq	%r11, %rsi
	call	\function
	leaq	-64(%rbp), %rsp
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rsi
	popq	%rdi
	popq	%rdx
	popq	%rax
	popq	%rcx
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.endm

	.globl	mcount, _mcount, __fentry__, __sanitizer_cov_trace_pc
	.type	mcount, @function
	.type	_mcount, @function
	.type	__fentry__, @function
	.type	__sanitizer_cov_trace_pc, @function
	.hidden	gh_tls, gh_counting_off, gh_arc_slow, gh_block_slow

	.p2align 6
mcount:
_mcount:
	.cfi_startproc
	COUNT_ARC %rbp, .Larc_slow
	.cfi_endproc
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	.p2align 6
__fentry__:
	.cfi_startproc
	COUNT_ARC %rsp, .Larc_slow
	.cfi_endproc
	.size	__fentry__, . - __fentry__

	.p2align 4
	.type	gh_arc_slow_entry, @function
gh_arc_slow_entry:
	.cfi_startproc
.Larc_slow:
	CALL_C gh_arc_slow
	.cfi_endproc
	.size	gh_arc_slow_entry, . - gh_arc_slow_entry

	/* A basic block: the same, keyed by the return address alone. */
	.p2align 6
__sanitizer_cov_trace_pc:
	.cfi_startproc
	endbr64
	movq	%rax, -8(%rsp)
	movq	%rdx, -16(%rsp)
	movq	%rcx, -24(%rsp)
	movq	gh_tls@gottpoff(%rip), %rax
	movq	(%rsp), %rcx
	movq	%fs:8(%rax), %rax
	testq	%rax, %rax
	jz	.Lblock_slow
	imulq	$HASH_FACTOR, %rcx, %rdx
	imulq	TABLE_MULTIPLIER(%rax), %rdx
	shrq	$27, %rdx
	andq	TABLE_MASK(%rax), %rdx
	leaq	TABLE_SLOTS(%rax,%rdx), %rdx
1:	cmpq	%rcx, SLOT_KEY(%rdx)
	jne	2f
	cmpb	$0, gh_counting_off(%rip)
	jne	4f
	addq	$1, SLOT_COUNT(%rdx)
4:	movq	-8(%rsp), %rax
	movq	-16(%rsp), %rdx
	movq	-24(%rsp), %rcx
	ret
2:	cmpq	$0, SLOT_KEY(%rdx)
	je	.Lblock_slow
	addq	$SLOT_BYTES, %rdx
	jmp	1b
	.cfi_endproc
	.size	__sanitizer_cov_trace_pc, . - __sanitizer_cov_trace_pc

	.p2align 4
	.type	gh_block_slow_entry, @function
gh_block_slow_entry:
	.cfi_startproc
.Lblock_slow:
	CALL_C gh_block_slow
	.cfi_endproc
	.size	gh_block_slow_entry, . - gh_block_slow_entry

	/* Where a signal handler returns to; unwinders know this byte pattern. */
	.globl	gh_signal_return
	.hidden	gh_signal_return
	.type	gh_signal_return, @function
	.p2align 4
gh_signal_return:
	movq	$15, %rax
	syscall
	.size	gh_signal_return, . - gh_signal_return

	.section .note.GNU-stack,"",@progbits
