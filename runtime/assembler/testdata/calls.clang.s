	.text
	.file	"calls.cc"
	.globl	_Z5takenv                       # -- Begin function _Z5takenv
	.p2align	4, 0x90
	.type	_Z5takenv,@function
_Z5takenv:                              # @_Z5takenv
# %bb.0:
	leaq	_ZL5Takeni(%rip), %rax
	retq
.Lfunc_end0:
	.size	_Z5takenv, .Lfunc_end0-_Z5takenv
                                        # -- End function
	.p2align	4, 0x90                         # -- Begin function _ZL5Takeni
	.type	_ZL5Takeni,@function
_ZL5Takeni:                             # @_ZL5Takeni
# %bb.0:
                                        # kill: def $edi killed $edi def $rdi
	leal	(%rdi,%rdi,4), %eax
	retq
.Lfunc_end1:
	.size	_ZL5Takeni, .Lfunc_end1-_ZL5Takeni
                                        # -- End function
	.globl	_Z4taili                        # -- Begin function _Z4taili
	.p2align	4, 0x90
	.type	_Z4taili,@function
_Z4taili:                               # @_Z4taili
	.cfi_startproc
# %bb.0:
	pushq	%rax
	.cfi_def_cfa_offset 16
	callq	_ZL5Locali
	movl	%eax, %edi
	popq	%rax
	.cfi_def_cfa_offset 8
	jmp	_Z8externali@PLT                # TAILCALL
.Lfunc_end2:
	.size	_Z4taili, .Lfunc_end2-_Z4taili
	.cfi_endproc
                                        # -- End function
	.p2align	4, 0x90                         # -- Begin function _ZL5Locali
	.type	_ZL5Locali,@function
_ZL5Locali:                             # @_ZL5Locali
# %bb.0:
                                        # kill: def $edi killed $edi def $rdi
	leal	(%rdi,%rdi,2), %eax
	retq
.Lfunc_end3:
	.size	_ZL5Locali, .Lfunc_end3-_ZL5Locali
                                        # -- End function
	.globl	_Z12tail_pointeri               # -- Begin function _Z12tail_pointeri
	.p2align	4, 0x90
	.type	_Z12tail_pointeri,@function
_Z12tail_pointeri:                      # @_Z12tail_pointeri
	.cfi_startproc
# %bb.0:
	movq	pointer@GOTPCREL(%rip), %rax
	jmpq	*(%rax)                         # TAILCALL
.Lfunc_end4:
	.size	_Z12tail_pointeri, .Lfunc_end4-_Z12tail_pointeri
	.cfi_endproc
                                        # -- End function
	.globl	_Z10by_pointeri                 # -- Begin function _Z10by_pointeri
	.p2align	4, 0x90
	.type	_Z10by_pointeri,@function
_Z10by_pointeri:                        # @_Z10by_pointeri
	.cfi_startproc
# %bb.0:
	pushq	%rax
	.cfi_def_cfa_offset 16
	movq	pointer@GOTPCREL(%rip), %rax
	callq	*(%rax)
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end5:
	.size	_Z10by_pointeri, .Lfunc_end5-_Z10by_pointeri
	.cfi_endproc
                                        # -- End function
	.globl	_Z8by_tableP4Base               # -- Begin function _Z8by_tableP4Base
	.p2align	4, 0x90
	.type	_Z8by_tableP4Base,@function
_Z8by_tableP4Base:                      # @_Z8by_tableP4Base
	.cfi_startproc
# %bb.0:
	pushq	%rax
	.cfi_def_cfa_offset 16
	movq	(%rdi), %rax
	movl	$3, %esi
	callq	*(%rax)
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end6:
	.size	_Z8by_tableP4Base, .Lfunc_end6-_Z8by_tableP4Base
	.cfi_endproc
                                        # -- End function
	.globl	_Z11conditionali                # -- Begin function _Z11conditionali
	.p2align	4, 0x90
	.type	_Z11conditionali,@function
_Z11conditionali:                       # @_Z11conditionali
	.cfi_startproc
# %bb.0:
	cmpl	$3, %edi
	jne	.LBB7_1
# %bb.2:
	movl	$3, %edi
	jmp	_Z8externali@PLT                # TAILCALL
.LBB7_1:
	xorl	%eax, %eax
	retq
.Lfunc_end7:
	.size	_Z11conditionali, .Lfunc_end7-_Z11conditionali
	.cfi_endproc
                                        # -- End function
	.globl	_Z6choicei                      # -- Begin function _Z6choicei
	.p2align	4, 0x90
	.type	_Z6choicei,@function
_Z6choicei:                             # @_Z6choicei
	.cfi_startproc
# %bb.0:
	pushq	%rax
	.cfi_def_cfa_offset 16
	cmpl	$4, %edi
	ja	.LBB8_6
# %bb.1:
	movl	$77, %eax
	movl	%edi, %ecx
	leaq	.LJTI8_0(%rip), %rdx
	movslq	(%rdx,%rcx,4), %rcx
	addq	%rdx, %rcx
	jmpq	*%rcx
.LBB8_2:
	movl	$1, %edi
	popq	%rax
	.cfi_def_cfa_offset 8
	jmp	_Z8externali@PLT                # TAILCALL
.LBB8_6:
	.cfi_def_cfa_offset 16
	xorl	%eax, %eax
.LBB8_7:
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_3:
	.cfi_def_cfa_offset 16
	movl	$5, %edi
	callq	_Z8externali@PLT
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_4:
	.cfi_def_cfa_offset 16
	movl	$9, %edi
	callq	_ZL5Locali
	addl	$3, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_5:
	.cfi_def_cfa_offset 16
	movl	$11, %edi
	callq	_Z8externali@PLT
	addl	$-2, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end8:
	.size	_Z6choicei, .Lfunc_end8-_Z6choicei
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI8_0:
	.long	.LBB8_2-.LJTI8_0
	.long	.LBB8_3-.LJTI8_0
	.long	.LBB8_7-.LJTI8_0
	.long	.LBB8_4-.LJTI8_0
	.long	.LBB8_5-.LJTI8_0
                                        # -- End function
	.text
	.globl	_Z9of_comdati                   # -- Begin function _Z9of_comdati
	.p2align	4, 0x90
	.type	_Z9of_comdati,@function
_Z9of_comdati:                          # @_Z9of_comdati
	.cfi_startproc
# %bb.0:
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	#APP
	callq	external
	#NO_APP
	callq	_Z6comdati@PLT
	movl	%eax, %ebx
	cmpq	$0, _ZTH8variable@GOTPCREL(%rip)
	je	.LBB9_2
# %bb.1:
	callq	_ZTH8variable@PLT
.LBB9_2:
	data16
	leaq	variable@TLSGD(%rip), %rdi
	data16
	data16
	rex64
	callq	__tls_get_addr@PLT
	addl	(%rax), %ebx
	movl	%ebx, %eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end9:
	.size	_Z9of_comdati, .Lfunc_end9-_Z9of_comdati
	.cfi_endproc
                                        # -- End function
	.section	.text._Z6comdati,"axG",@progbits,_Z6comdati,comdat
	.weak	_Z6comdati                      # -- Begin function _Z6comdati
	.p2align	4, 0x90
	.type	_Z6comdati,@function
_Z6comdati:                             # @_Z6comdati
	.cfi_startproc
# %bb.0:
	pushq	%rax
	.cfi_def_cfa_offset 16
	callq	_Z8externali@PLT
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end10:
	.size	_Z6comdati, .Lfunc_end10-_Z6comdati
	.cfi_endproc
                                        # -- End function
	.weak	_ZTH8variable
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym _ZL5Takeni
	.addrsig_sym _ZTH8variable
