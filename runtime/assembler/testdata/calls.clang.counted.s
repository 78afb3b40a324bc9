	.text
	.file	"calls.cc"
	.globl	_Z5takenv                       # -- Begin function _Z5takenv
	.p2align	4, 0x90
	.type	_Z5takenv,@function
_Z5takenv:                              # @_Z5takenv
	.reloc	., R_X86_64_NONE, .LghT1
.LghS1:
# %bb.0:
	incq	%gs:.LghC1(%rip)
	addq	$1, %gs:.LghB0(%rip)
	.reloc	., R_X86_64_NONE, .LghU0
.LghA0:
	leaq	_ZL5Takeni(%rip), %rax
	retq
.Lfunc_end0:
	.size	_Z5takenv, .Lfunc_end0-_Z5takenv
                                        # -- End function
	.p2align	4, 0x90                         # -- Begin function _ZL5Takeni
	.type	_ZL5Takeni,@function
_ZL5Takeni:                             # @_ZL5Takeni
	.reloc	., R_X86_64_NONE, .LghT1
.LghS2:
# %bb.0:
                                        # kill: def $edi killed $edi def $rdi
	incq	%gs:.LghC2(%rip)
	addq	$1, %gs:.LghB1(%rip)
.LghA1:
	leal	(%rdi,%rdi,4), %eax
	retq
.Lfunc_end1:
	.size	_ZL5Takeni, .Lfunc_end1-_ZL5Takeni
                                        # -- End function
	.globl	_Z4taili                        # -- Begin function _Z4taili
	.p2align	4, 0x90
	.type	_Z4taili,@function
_Z4taili:                               # @_Z4taili
	.reloc	., R_X86_64_NONE, .LghT1
.LghS3:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC3(%rip)
	addq	$1, %gs:.LghB2(%rip)
.LghA2:
	pushq	%rax
	.cfi_def_cfa_offset 16
	incq	%gs:.LghC4(%rip)
.LghS4:
	callq	_ZL5Locali
	movl	%eax, %edi
	popq	%rax
	.cfi_def_cfa_offset 8
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC5(%rip)
	jne	.LghI5
	incq	%gs:.LghC5+8(%rip)
.LghS5:
	jmp	_Z8externali@PLT                # TAILCALL
.LghI5:
	cmpq	%r11, %gs:.LghC5+16(%rip)
	je	.LghJ5
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ5:
	incq	%gs:.LghC5+24(%rip)
	jmp	_Z8externali@PLT                # TAILCALL
.Lfunc_end2:
	.size	_Z4taili, .Lfunc_end2-_Z4taili
	.cfi_endproc
                                        # -- End function
	.p2align	4, 0x90                         # -- Begin function _ZL5Locali
	.type	_ZL5Locali,@function
_ZL5Locali:                             # @_ZL5Locali
	.reloc	., R_X86_64_NONE, .LghT1
.LghS6:
# %bb.0:
                                        # kill: def $edi killed $edi def $rdi
	addq	$1, %gs:.LghB3(%rip)
.LghA3:
	leal	(%rdi,%rdi,2), %eax
	retq
.Lfunc_end3:
	.size	_ZL5Locali, .Lfunc_end3-_ZL5Locali
                                        # -- End function
	.globl	_Z12tail_pointeri               # -- Begin function _Z12tail_pointeri
	.p2align	4, 0x90
	.type	_Z12tail_pointeri,@function
_Z12tail_pointeri:                      # @_Z12tail_pointeri
	.reloc	., R_X86_64_NONE, .LghT1
.LghS7:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC7(%rip)
	addq	$1, %gs:.LghB4(%rip)
.LghA4:
	movq	pointer@GOTPCREL(%rip), %rax
	movq	(%rax), %r11
	call	*gprofhub_tail_pointer@GOTPCREL(%rip)
	jmpq	*%r11
.Lfunc_end4:
	.size	_Z12tail_pointeri, .Lfunc_end4-_Z12tail_pointeri
	.cfi_endproc
                                        # -- End function
	.globl	_Z10by_pointeri                 # -- Begin function _Z10by_pointeri
	.p2align	4, 0x90
	.type	_Z10by_pointeri,@function
_Z10by_pointeri:                        # @_Z10by_pointeri
	.reloc	., R_X86_64_NONE, .LghT1
.LghS8:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC8(%rip)
	addq	$1, %gs:.LghB5(%rip)
.LghA5:
	pushq	%rax
	.cfi_def_cfa_offset 16
	movq	pointer@GOTPCREL(%rip), %rax
	movq	(%rax), %r11
	cmpq	%r11, %gs:.LghC9(%rip)
	jne	.LghI9
	incq	%gs:.LghC9+8(%rip)
	jmp	.LghJ9
.LghI9:
	cmpq	%r11, %gs:.LghC9+16(%rip)
	je	.LghS9
	call	*gprofhub_indirect@GOTPCREL(%rip)
.LghS9:
	incq	%gs:.LghC9+24(%rip)
.LghJ9:
	callq	*%r11
	addq	$1, %gs:.LghB6(%rip)
.LghA6:
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
	.reloc	., R_X86_64_NONE, .LghT1
.LghS10:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC10(%rip)
	addq	$1, %gs:.LghB7(%rip)
.LghA7:
	pushq	%rax
	.cfi_def_cfa_offset 16
	movq	(%rdi), %rax
	movl	$3, %esi
	movq	(%rax), %r11
	cmpq	%r11, %gs:.LghC11(%rip)
	jne	.LghI11
	incq	%gs:.LghC11+8(%rip)
	jmp	.LghJ11
.LghI11:
	cmpq	%r11, %gs:.LghC11+16(%rip)
	je	.LghS11
	call	*gprofhub_indirect@GOTPCREL(%rip)
.LghS11:
	incq	%gs:.LghC11+24(%rip)
.LghJ11:
	callq	*%r11
	addq	$1, %gs:.LghB8(%rip)
.LghA8:
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
	.reloc	., R_X86_64_NONE, .LghT1
.LghS12:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC12(%rip)
.LghA9:
	cmpl	$3, %edi
	jne	.LBB7_1
# %bb.2:
	addq	$1, %gs:.LghB21(%rip)
.LghA10:
	movl	$3, %edi
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC13(%rip)
	jne	.LghI13
	incq	%gs:.LghC13+8(%rip)
.LghS13:
	jmp	_Z8externali@PLT                # TAILCALL
.LghI13:
	cmpq	%r11, %gs:.LghC13+16(%rip)
	je	.LghJ13
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ13:
	incq	%gs:.LghC13+24(%rip)
	jmp	_Z8externali@PLT                # TAILCALL
.LBB7_1:
	addq	$1, %gs:.LghB25(%rip)
.LghA11:
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
	.reloc	., R_X86_64_NONE, .LghT1
.LghS14:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC14(%rip)
.LghA12:
	pushq	%rax
	.cfi_def_cfa_offset 16
	cmpl	$4, %edi
	ja	.LBB8_6
# %bb.1:
	addq	$1, %gs:.LghB22(%rip)
.LghA13:
	movl	$77, %eax
	movl	%edi, %ecx
	leaq	.LJTI8_0(%rip), %rdx
	movslq	(%rdx,%rcx,4), %rcx
	addq	%rdx, %rcx
	jmpq	*%rcx
.LBB8_2:
	addq	$1, %gs:.LghB9(%rip)
.LghA14:
	movl	$1, %edi
	popq	%rax
	.cfi_def_cfa_offset 8
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC15(%rip)
	jne	.LghI15
	incq	%gs:.LghC15+8(%rip)
.LghS15:
	jmp	_Z8externali@PLT                # TAILCALL
.LghI15:
	cmpq	%r11, %gs:.LghC15+16(%rip)
	je	.LghJ15
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ15:
	incq	%gs:.LghC15+24(%rip)
	jmp	_Z8externali@PLT                # TAILCALL
.LBB8_6:
	.cfi_def_cfa_offset 16
	addq	$1, %gs:.LghB26(%rip)
.LghA15:
	xorl	%eax, %eax
.LBB8_7:
	addq	$1, %gs:.LghB10(%rip)
.LghA16:
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_3:
	.cfi_def_cfa_offset 16
	addq	$1, %gs:.LghB11(%rip)
.LghA17:
	movl	$5, %edi
	incq	%gs:.LghC16(%rip)
.LghS16:
	callq	_Z8externali@PLT
	addq	$1, %gs:.LghB12(%rip)
.LghA18:
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_4:
	.cfi_def_cfa_offset 16
	addq	$1, %gs:.LghB13(%rip)
.LghA19:
	movl	$9, %edi
	incq	%gs:.LghC17(%rip)
.LghS17:
	callq	_ZL5Locali
	addl	$3, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.LBB8_5:
	.cfi_def_cfa_offset 16
	addq	$1, %gs:.LghB14(%rip)
.LghA20:
	movl	$11, %edi
	incq	%gs:.LghC18(%rip)
.LghS18:
	callq	_Z8externali@PLT
	addq	$1, %gs:.LghB15(%rip)
.LghA21:
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
	.reloc	., R_X86_64_NONE, .LghT1
.LghS19:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC19(%rip)
	addq	$1, %gs:.LghB16(%rip)
.LghA22:
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	#APP
	callq	external
	#NO_APP
	addq	$1, %gs:.LghB17(%rip)
.LghA23:
	incq	%gs:.LghC20(%rip)
.LghS20:
	callq	_Z6comdati@PLT
.LghA24:
	movl	%eax, %ebx
	cmpq	$0, _ZTH8variable@GOTPCREL(%rip)
	je	.LBB9_2
# %bb.1:
	addq	$1, %gs:.LghB23(%rip)
.LghA25:
	incq	%gs:.LghC21(%rip)
.LghS21:
	callq	_ZTH8variable@PLT
	addq	$1, %gs:.LghB24(%rip)
.LBB9_2:
	addq	$1, %gs:.LghB18(%rip)
.LghA26:
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
	.reloc	., R_X86_64_NONE, .LghT22
.LghS22:
	.cfi_startproc
# %bb.0:
	incq	%gs:.LghC22(%rip)
	addq	$1, %gs:.LghB19(%rip)
	.reloc	., R_X86_64_NONE, .LghU1
.LghA27:
	pushq	%rax
	.cfi_def_cfa_offset 16
	incq	%gs:.LghC23(%rip)
.LghS23:
	callq	_Z8externali@PLT
	addq	$1, %gs:.LghB20(%rip)
.LghA28:
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
	.section	gprofhub_counters,"aw",@nobits
	.p2align	3
.LghB0:
	.zero	8
.LghB1:
	.zero	8
.LghB2:
	.zero	8
.LghB3:
	.zero	8
.LghB4:
	.zero	8
.LghB5:
	.zero	8
.LghB6:
	.zero	8
.LghB7:
	.zero	8
.LghB8:
	.zero	8
.LghB21:
	.zero	8
.LghB25:
	.zero	8
.LghB22:
	.zero	8
.LghB9:
	.zero	8
.LghB26:
	.zero	8
.LghB10:
	.zero	8
.LghB11:
	.zero	8
.LghB12:
	.zero	8
.LghB13:
	.zero	8
.LghB14:
	.zero	8
.LghB15:
	.zero	8
.LghB16:
	.zero	8
.LghB17:
	.zero	8
.LghB23:
	.zero	8
.LghB24:
	.zero	8
.LghB18:
	.zero	8
	.section	gprofhub_counters,"awG",@nobits,_Z6comdati,comdat
	.p2align	3
.LghB19:
	.zero	8
.LghB20:
	.zero	8
	.section	gprofhub_sites,"a",@progbits
	.p2align	2
.LghU0:
	.long	.LghB0-., .LghA0-., 5
	.long	.LghB1-., .LghA1-., 5
	.long	.LghB2-., .LghA2-., 5
	.long	.LghB3-., .LghA3-., 5
	.long	.LghB4-., .LghA4-., 5
	.long	.LghB5-., .LghA5-., 5
	.long	.LghB6-., .LghA6-., 5
	.long	.LghB7-., .LghA7-., 5
	.long	.LghB8-., .LghA8-., 5
	.long	.LghB21-., .LghA9-., 5
	.long	.LghB25-., .LghA9-., 6
	.long	.LghB21-., .LghA10-., 5
	.long	.LghB25-., .LghA11-., 5
	.long	.LghB22-., .LghA12-., 5
	.long	.LghB26-., .LghA12-., 6
	.long	.LghB22-., .LghA13-., 5
	.long	.LghB9-., .LghA14-., 5
	.long	.LghB26-., .LghA15-., 5
	.long	.LghB10-., .LghA16-., 5
	.long	.LghB11-., .LghA17-., 5
	.long	.LghB12-., .LghA18-., 5
	.long	.LghB13-., .LghA19-., 5
	.long	.LghB14-., .LghA20-., 5
	.long	.LghB15-., .LghA21-., 5
	.long	.LghB16-., .LghA22-., 5
	.long	.LghB17-., .LghA23-., 5
	.long	.LghB23-., .LghA24-., 5
	.long	.LghB18-., .LghA24-., 6
	.long	.LghB24-., .LghA24-., 7
	.long	.LghB23-., .LghA25-., 5
	.long	.LghB18-., .LghA26-., 5
	.section	gprofhub_sites,"aG",@progbits,_Z6comdati,comdat
	.p2align	2
.LghU1:
	.long	.LghB19-., .LghA27-., 5
	.long	.LghB20-., .LghA28-., 5
	.section	gprofhub_counters,"aw",@nobits
	.p2align	3
.LghC1:
	.zero	8
.LghC2:
	.zero	8
.LghC3:
	.zero	8
.LghC4:
	.zero	8
.LghC5:
	.zero	32
.LghC7:
	.zero	8
.LghC8:
	.zero	8
.LghC9:
	.zero	32
.LghC10:
	.zero	8
.LghC11:
	.zero	32
.LghC12:
	.zero	8
.LghC13:
	.zero	32
.LghC14:
	.zero	8
.LghC15:
	.zero	32
.LghC16:
	.zero	8
.LghC17:
	.zero	8
.LghC18:
	.zero	8
.LghC19:
	.zero	8
.LghC20:
	.zero	8
.LghC21:
	.zero	8
	.section	gprofhub_sites,"a",@progbits
	.p2align	2
.LghT1:
	.long	.LghC1-., .LghS1-., 3
	.long	.LghC2-., .LghS2-., 3
	.long	.LghC3-., .LghS3-., 3
	.long	.LghC4-., .LghS4-., 1
	.long	.LghC5-., .LghS5-., 9
	.long	0, .LghS6-., 4
	.long	.LghC7-., .LghS7-., 3
	.long	.LghC8-., .LghS8-., 3
	.long	.LghC9-., .LghS9-., 2
	.long	.LghC10-., .LghS10-., 3
	.long	.LghC11-., .LghS11-., 2
	.long	.LghC12-., .LghS12-., 3
	.long	.LghC13-., .LghS13-., 9
	.long	.LghC14-., .LghS14-., 3
	.long	.LghC15-., .LghS15-., 9
	.long	.LghC16-., .LghS16-., 1
	.long	.LghC17-., .LghS17-., 1
	.long	.LghC18-., .LghS18-., 1
	.long	.LghC19-., .LghS19-., 3
	.long	.LghC20-., .LghS20-., 1
	.long	.LghC21-., .LghS21-., 1
	.section	gprofhub_counters,"awG",@nobits,_Z6comdati,comdat
	.p2align	3
.LghC22:
	.zero	8
.LghC23:
	.zero	8
	.section	gprofhub_sites,"aG",@progbits,_Z6comdati,comdat
	.p2align	2
.LghT22:
	.long	.LghC22-., .LghS22-., 3
	.long	.LghC23-., .LghS23-., 1
	.section	.text.unlikely.gprofhub_begin,"axG",@progbits,gprofhub_begin,comdat
	.weak	gprofhub_begin
	.hidden	gprofhub_begin
	.hidden	__start_gprofhub_counters, __stop_gprofhub_counters
	.hidden	__start_gprofhub_sites, __stop_gprofhub_sites
	.type	gprofhub_begin, @function
gprofhub_begin:
	leaq	__start_gprofhub_counters(%rip), %rdi
	leaq	__stop_gprofhub_counters(%rip), %rsi
	leaq	__start_gprofhub_sites(%rip), %rdx
	leaq	__stop_gprofhub_sites(%rip), %rcx
	jmp	*gprofhub_register_counters@GOTPCREL(%rip)
	.size	gprofhub_begin, .-gprofhub_begin
	.section	.init_array.00000,"awG",@init_array,gprofhub_begin,comdat
	.p2align	3
	.quad	gprofhub_begin
	.section	gprofhub_counters,"awG",@nobits,gprofhub_begin,comdat
	.p2align	3
	.zero	8
	.section	gprofhub_sites,"aG",@progbits,gprofhub_begin,comdat
	.p2align	2
	.long	0, 0, 0
