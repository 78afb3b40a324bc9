	.file	"calls.cc"
	.text
	.p2align 4
	.type	_ZL5Locali, @function
_ZL5Locali:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS1:
.LFB0:
	.cfi_startproc
	addq	$1, %gs:.LghB0(%rip)
	.reloc	., R_X86_64_NONE, .LghU0
.LghA0:
	leal	(%rdi,%rdi,2), %eax	# 8	[c=8 l=3]  *leasi
	ret		# 20	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE0:
	.size	_ZL5Locali, .-_ZL5Locali
	.p2align 4
	.type	_ZL5Takeni, @function
_ZL5Takeni:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS2:
.LFB1:
	.cfi_startproc
	incq	%gs:.LghC2(%rip)
	addq	$1, %gs:.LghB1(%rip)
.LghA1:
	leal	(%rdi,%rdi,4), %eax	# 8	[c=8 l=3]  *leasi
	ret		# 20	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE1:
	.size	_ZL5Takeni, .-_ZL5Takeni
	.p2align 4
	.globl	_Z5takenv
	.type	_Z5takenv, @function
_Z5takenv:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS3:
.LFB2:
	.cfi_startproc
	incq	%gs:.LghC3(%rip)
	addq	$1, %gs:.LghB2(%rip)
.LghA2:
	leaq	_ZL5Takeni(%rip), %rax	# 5	[c=1 l=7]  *movdi_internal/4
	ret		# 15	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE2:
	.size	_Z5takenv, .-_Z5takenv
	.p2align 4
	.globl	_Z4taili
	.type	_Z4taili, @function
_Z4taili:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS4:
.LFB3:
	.cfi_startproc
	incq	%gs:.LghC4(%rip)
	addq	$1, %gs:.LghB3(%rip)
.LghA3:
	subq	$8, %rsp	# 20	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	incq	%gs:.LghC5(%rip)
.LghS5:
	call	_ZL5Locali	# 7	[c=10 l=5]  *call_value
	addq	$8, %rsp	# 27	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	movl	%eax, %edi	# 8	[c=4 l=2]  *movsi_internal/0
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC6(%rip)
	jne	.LghI6
	incq	%gs:.LghC6+8(%rip)
.LghS6:
	jmp	_Z8externali@PLT	# 10	[c=10 l=5]  *sibcall_value
.LghI6:
	cmpq	%r11, %gs:.LghC6+16(%rip)
	je	.LghJ6
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ6:
	incq	%gs:.LghC6+24(%rip)
	jmp	_Z8externali@PLT	# 10	[c=10 l=5]  *sibcall_value
	.cfi_endproc
.LFE3:
	.size	_Z4taili, .-_Z4taili
	.p2align 4
	.globl	_Z12tail_pointeri
	.type	_Z12tail_pointeri, @function
_Z12tail_pointeri:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS7:
.LFB4:
	.cfi_startproc
	incq	%gs:.LghC7(%rip)
	addq	$1, %gs:.LghB4(%rip)
.LghA4:
	movq	pointer@GOTPCREL(%rip), %rax	# 6	[c=5 l=7]  *movdi_internal/3
	movq	(%rax), %r11
	call	*gprofhub_tail_pointer@GOTPCREL(%rip)
	jmp	*%r11
	.cfi_endproc
.LFE4:
	.size	_Z12tail_pointeri, .-_Z12tail_pointeri
	.p2align 4
	.globl	_Z10by_pointeri
	.type	_Z10by_pointeri, @function
_Z10by_pointeri:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS8:
.LFB5:
	.cfi_startproc
	incq	%gs:.LghC8(%rip)
	addq	$1, %gs:.LghB5(%rip)
.LghA5:
	subq	$8, %rsp	# 23	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	movq	pointer@GOTPCREL(%rip), %rax	# 21	[c=5 l=7]  *movdi_internal/3
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
	call	*%r11
	addq	$1, %gs:.LghB6(%rip)
.LghA6:
	addq	$8, %rsp	# 26	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	addl	$1, %eax	# 11	[c=4 l=3]  *addsi_1/0
	ret		# 27	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE5:
	.size	_Z10by_pointeri, .-_Z10by_pointeri
	.p2align 4
	.globl	_Z8by_tableP4Base
	.type	_Z8by_tableP4Base, @function
_Z8by_tableP4Base:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS10:
.LFB6:
	.cfi_startproc
	incq	%gs:.LghC10(%rip)
	addq	$1, %gs:.LghB7(%rip)
.LghA7:
	subq	$8, %rsp	# 23	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	movq	(%rdi), %rax	# 6	[c=5 l=3]  *movdi_internal/3
	movl	$3, %esi	# 8	[c=4 l=5]  *movsi_internal/0
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
	call	*%r11
	addq	$1, %gs:.LghB8(%rip)
.LghA8:
	addq	$8, %rsp	# 26	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	addl	$1, %eax	# 12	[c=4 l=3]  *addsi_1/0
	ret		# 27	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE6:
	.size	_Z8by_tableP4Base, .-_Z8by_tableP4Base
	.p2align 4
	.globl	_Z11conditionali
	.type	_Z11conditionali, @function
_Z11conditionali:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS12:
.LFB7:
	.cfi_startproc
	incq	%gs:.LghC12(%rip)
.LghA9:
	cmpl	$3, %edi	# 7	[c=4 l=3]  *cmpsi_1/0
	je	.L14	# 8	[c=13 l=2]  *jcc
	addq	$1, %gs:.LghB22(%rip)
.LghA10:
	xorl	%eax, %eax	# 28	[c=4 l=2]  *movdi_xor
	ret		# 26	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L14:
	addq	$1, %gs:.LghB26(%rip)
.LghA11:
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC13(%rip)
	jne	.LghI13
	incq	%gs:.LghC13+8(%rip)
.LghS13:
	jmp	_Z8externali@PLT	# 11	[c=10 l=5]  *sibcall_value
.LghI13:
	cmpq	%r11, %gs:.LghC13+16(%rip)
	je	.LghJ13
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ13:
	incq	%gs:.LghC13+24(%rip)
	jmp	_Z8externali@PLT	# 11	[c=10 l=5]  *sibcall_value
	.cfi_endproc
.LFE7:
	.size	_Z11conditionali, .-_Z11conditionali
	.section	.text.unlikely,"ax",@progbits
.LCOLDB0:
	.text
.LHOTB0:
	.p2align 4
	.globl	_Z6choicei
	.type	_Z6choicei, @function
_Z6choicei:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS14:
.LFB8:
	.cfi_startproc
	incq	%gs:.LghC14(%rip)
	addq	$1, %gs:.LghB9(%rip)
.LghA12:
	subq	$8, %rsp	# 83	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	cmpl	$4, %edi	# 10	[c=4 l=3]  *cmpsi_1/0
	ja	.L23	# 11	[c=13 l=6]  *jcc
	addq	$1, %gs:.LghB23(%rip)
.LghA13:
	leaq	.L18(%rip), %rdx	# 13	[c=1 l=7]  *movdi_internal/4
	movl	%edi, %edi	# 12	[c=1 l=2]  *zero_extendsidi2/3
	movslq	(%rdx,%rdi,4), %rax	# 15	[c=14 l=4]  *extendsidi2_rex64/1
	addq	%rdx, %rax	# 17	[c=4 l=3]  *adddi_1/0
	jmp	*%rax	# 18	[c=4 l=2]  *tablejump_1
	.section	.rodata
	.align 4
	.align 4
.L18:
	.long	.L22-.L18
	.long	.L21-.L18
	.long	.L20-.L18
	.long	.L19-.L18
	.long	.L17-.L18
	.text
	.p2align 4,,10
	.p2align 3
.L20:
.LghA14:
	movl	$77, %eax	# 4	[c=4 l=5]  *movsi_internal/0
.L15:
	addq	$1, %gs:.LghB10(%rip)
.LghA15:
	addq	$8, %rsp	# 86	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret		# 87	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L21:
	.cfi_restore_state
	addq	$1, %gs:.LghB11(%rip)
.LghA16:
	movl	$5, %edi	# 34	[c=4 l=5]  *movsi_internal/0
	incq	%gs:.LghC15(%rip)
.LghS15:
	call	_Z8externali@PLT	# 35	[c=10 l=5]  *call_value
	addq	$1, %gs:.LghB12(%rip)
.LghA17:
	addq	$8, %rsp	# 97	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	addl	$1, %eax	# 37	[c=4 l=3]  *addsi_1/0
	ret		# 98	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L19:
	.cfi_restore_state
	addq	$1, %gs:.LghB13(%rip)
.LghA18:
	movl	$9, %edi	# 42	[c=4 l=5]  *movsi_internal/0
	incq	%gs:.LghC16(%rip)
.LghS16:
	call	_ZL5Locali	# 43	[c=10 l=5]  *call_value
	addq	$8, %rsp	# 105	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	addl	$3, %eax	# 45	[c=4 l=3]  *addsi_1/0
	ret		# 106	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L17:
	.cfi_restore_state
	addq	$1, %gs:.LghB14(%rip)
.LghA19:
	movl	$11, %edi	# 50	[c=4 l=5]  *movsi_internal/0
	incq	%gs:.LghC17(%rip)
.LghS17:
	call	_Z8externali@PLT	# 51	[c=10 l=5]  *call_value
	addq	$1, %gs:.LghB15(%rip)
.LghA20:
	addq	$8, %rsp	# 113	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	subl	$2, %eax	# 53	[c=4 l=3]  *addsi_1/0
	ret		# 114	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L22:
	.cfi_restore_state
	addq	$1, %gs:.LghB16(%rip)
.LghA21:
	movl	$1, %edi	# 28	[c=4 l=5]  *movsi_internal/0
	addq	$8, %rsp	# 91	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	movq	(%rsp), %r11
	cmpq	%r11, %gs:.LghC18(%rip)
	jne	.LghI18
	incq	%gs:.LghC18+8(%rip)
.LghS18:
	jmp	_Z8externali@PLT	# 29	[c=10 l=5]  *sibcall_value
.LghI18:
	cmpq	%r11, %gs:.LghC18+16(%rip)
	je	.LghJ18
	leaq	_Z8externali@PLT(%rip), %r11
	call	*gprofhub_tail_call@GOTPCREL(%rip)
.LghJ18:
	incq	%gs:.LghC18+24(%rip)
	jmp	_Z8externali@PLT	# 29	[c=10 l=5]  *sibcall_value
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.type	_Z6choicei.cold, @function
_Z6choicei.cold:
.LFSB8:
.L23:
	.cfi_def_cfa_offset 16
	addq	$1, %gs:.LghB27(%rip)
	.reloc	., R_X86_64_NONE, .LghU0
.LghA22:
	xorl	%eax, %eax	# 93	[c=4 l=2]  *movdi_xor
	jmp	.L15	# 72	[c=1 l=5]  jump
	.cfi_endproc
.LFE8:
	.text
	.size	_Z6choicei, .-_Z6choicei
	.section	.text.unlikely
	.size	_Z6choicei.cold, .-_Z6choicei.cold
.LCOLDE0:
	.text
.LHOTE0:
	.section	.text._Z6comdati,"axG",@progbits,_Z6comdati,comdat
	.p2align 4
	.weak	_Z6comdati
	.type	_Z6comdati, @function
_Z6comdati:
	.reloc	., R_X86_64_NONE, .LghT19
.LghS19:
.LFB9:
	.cfi_startproc
	incq	%gs:.LghC19(%rip)
	addq	$1, %gs:.LghB17(%rip)
	.reloc	., R_X86_64_NONE, .LghU1
.LghA23:
	subq	$8, %rsp	# 20	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	incq	%gs:.LghC20(%rip)
.LghS20:
	call	_Z8externali@PLT	# 7	[c=10 l=5]  *call_value
	addq	$1, %gs:.LghB18(%rip)
.LghA24:
	addq	$8, %rsp	# 23	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	addl	$1, %eax	# 9	[c=4 l=3]  *addsi_1/0
	ret		# 24	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE9:
	.size	_Z6comdati, .-_Z6comdati
	.text
	.p2align 4
	.globl	_Z9of_comdati
	.type	_Z9of_comdati, @function
_Z9of_comdati:
	.reloc	., R_X86_64_NONE, .LghT1
.LghS21:
.LFB10:
	.cfi_startproc
	incq	%gs:.LghC21(%rip)
	addq	$1, %gs:.LghB19(%rip)
.LghA25:
	pushq	%rbx	# 41	[c=4 l=1]  *pushdi2_rex64/0
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
#APP
# 41 "calls.cc" 1
	call external
# 0 "" 2
#NO_APP
	addq	$1, %gs:.LghB20(%rip)
.LghA26:
	incq	%gs:.LghC22(%rip)
.LghS22:
	call	_Z6comdati@PLT	# 8	[c=10 l=5]  *call_value
.LghA27:
	cmpq	$0, _ZTH8variable@GOTPCREL(%rip)	# 12	[c=9 l=8]  *cmpdi_ccno_1/1
	movl	%eax, %ebx	# 9	[c=4 l=2]  *movsi_internal/0
	je	.L28	# 13	[c=13 l=2]  *jcc
	addq	$1, %gs:.LghB24(%rip)
.LghA28:
	incq	%gs:.LghC23(%rip)
.LghS23:
	call	_ZTH8variable@PLT	# 15	[c=0 l=5]  *call
	addq	$1, %gs:.LghB25(%rip)
.L28:
	addq	$1, %gs:.LghB21(%rip)
.LghA29:
	data16	leaq	variable@tlsgd(%rip), %rdi	# 18	[c=10 l=16]  *tls_global_dynamic_64_di
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT	
	addl	(%rax), %ebx	# 21	[c=9 l=2]  *addsi_1/1
	movl	%ebx, %eax	# 40	[c=4 l=2]  *movsi_internal/0
	popq	%rbx	# 44	[c=9 l=1]  *popdi1
	.cfi_def_cfa_offset 8
	ret		# 45	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE10:
	.size	_Z9of_comdati, .-_Z9of_comdati
	.weak	_ZTH8variable
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
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
.LghB22:
	.zero	8
.LghB26:
	.zero	8
.LghB9:
	.zero	8
.LghB23:
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
.LghB27:
	.zero	8
.LghB19:
	.zero	8
.LghB20:
	.zero	8
.LghB24:
	.zero	8
.LghB25:
	.zero	8
.LghB21:
	.zero	8
	.section	gprofhub_counters,"awG",@nobits,_Z6comdati,comdat
	.p2align	3
.LghB17:
	.zero	8
.LghB18:
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
	.long	.LghB22-., .LghA9-., 5
	.long	.LghB26-., .LghA9-., 6
	.long	.LghB22-., .LghA10-., 5
	.long	.LghB26-., .LghA11-., 5
	.long	.LghB9-., .LghA12-., 5
	.long	.LghB23-., .LghA13-., 5
	.long	.LghB10-., .LghA14-., 5
	.long	.LghB27-., .LghA14-., 7
	.long	.LghB10-., .LghA15-., 5
	.long	.LghB11-., .LghA16-., 5
	.long	.LghB12-., .LghA17-., 5
	.long	.LghB13-., .LghA18-., 5
	.long	.LghB14-., .LghA19-., 5
	.long	.LghB15-., .LghA20-., 5
	.long	.LghB16-., .LghA21-., 5
	.long	.LghB27-., .LghA22-., 5
	.long	.LghB19-., .LghA25-., 5
	.long	.LghB20-., .LghA26-., 5
	.long	.LghB24-., .LghA27-., 5
	.long	.LghB21-., .LghA27-., 6
	.long	.LghB25-., .LghA27-., 7
	.long	.LghB24-., .LghA28-., 5
	.long	.LghB21-., .LghA29-., 5
	.section	gprofhub_sites,"aG",@progbits,_Z6comdati,comdat
	.p2align	2
.LghU1:
	.long	.LghB17-., .LghA23-., 5
	.long	.LghB18-., .LghA24-., 5
	.section	gprofhub_counters,"aw",@nobits
	.p2align	3
.LghC2:
	.zero	8
.LghC3:
	.zero	8
.LghC4:
	.zero	8
.LghC5:
	.zero	8
.LghC6:
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
	.zero	8
.LghC16:
	.zero	8
.LghC17:
	.zero	8
.LghC18:
	.zero	32
.LghC21:
	.zero	8
.LghC22:
	.zero	8
.LghC23:
	.zero	8
	.section	gprofhub_sites,"a",@progbits
	.p2align	2
.LghT1:
	.long	0, .LghS1-., 4
	.long	.LghC2-., .LghS2-., 3
	.long	.LghC3-., .LghS3-., 3
	.long	.LghC4-., .LghS4-., 3
	.long	.LghC5-., .LghS5-., 1
	.long	.LghC6-., .LghS6-., 9
	.long	.LghC7-., .LghS7-., 3
	.long	.LghC8-., .LghS8-., 3
	.long	.LghC9-., .LghS9-., 2
	.long	.LghC10-., .LghS10-., 3
	.long	.LghC11-., .LghS11-., 2
	.long	.LghC12-., .LghS12-., 3
	.long	.LghC13-., .LghS13-., 9
	.long	.LghC14-., .LghS14-., 3
	.long	.LghC15-., .LghS15-., 1
	.long	.LghC16-., .LghS16-., 1
	.long	.LghC17-., .LghS17-., 1
	.long	.LghC18-., .LghS18-., 9
	.long	.LghC21-., .LghS21-., 3
	.long	.LghC22-., .LghS22-., 1
	.long	.LghC23-., .LghS23-., 1
	.section	gprofhub_counters,"awG",@nobits,_Z6comdati,comdat
	.p2align	3
.LghC19:
	.zero	8
.LghC20:
	.zero	8
	.section	gprofhub_sites,"aG",@progbits,_Z6comdati,comdat
	.p2align	2
.LghT19:
	.long	.LghC19-., .LghS19-., 3
	.long	.LghC20-., .LghS20-., 1
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
