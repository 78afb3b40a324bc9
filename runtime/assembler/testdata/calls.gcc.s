	.file	"calls.cc"
	.text
	.p2align 4
	.type	_ZL5Locali, @function
_ZL5Locali:
.LFB0:
	.cfi_startproc
	leal	(%rdi,%rdi,2), %eax	# 8	[c=8 l=3]  *leasi
	ret		# 20	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE0:
	.size	_ZL5Locali, .-_ZL5Locali
	.p2align 4
	.type	_ZL5Takeni, @function
_ZL5Takeni:
.LFB1:
	.cfi_startproc
	leal	(%rdi,%rdi,4), %eax	# 8	[c=8 l=3]  *leasi
	ret		# 20	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE1:
	.size	_ZL5Takeni, .-_ZL5Takeni
	.p2align 4
	.globl	_Z5takenv
	.type	_Z5takenv, @function
_Z5takenv:
.LFB2:
	.cfi_startproc
	leaq	_ZL5Takeni(%rip), %rax	# 5	[c=1 l=7]  *movdi_internal/4
	ret		# 15	[c=0 l=1]  simple_return_internal
	.cfi_endproc
.LFE2:
	.size	_Z5takenv, .-_Z5takenv
	.p2align 4
	.globl	_Z4taili
	.type	_Z4taili, @function
_Z4taili:
.LFB3:
	.cfi_startproc
	subq	$8, %rsp	# 20	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	call	_ZL5Locali	# 7	[c=10 l=5]  *call_value
	addq	$8, %rsp	# 27	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	movl	%eax, %edi	# 8	[c=4 l=2]  *movsi_internal/0
	jmp	_Z8externali@PLT	# 10	[c=10 l=5]  *sibcall_value
	.cfi_endproc
.LFE3:
	.size	_Z4taili, .-_Z4taili
	.p2align 4
	.globl	_Z12tail_pointeri
	.type	_Z12tail_pointeri, @function
_Z12tail_pointeri:
.LFB4:
	.cfi_startproc
	movq	pointer@GOTPCREL(%rip), %rax	# 6	[c=5 l=7]  *movdi_internal/3
	jmp	*(%rax)	# 21	[c=14 l=2]  *sibcall_value_memory
	.cfi_endproc
.LFE4:
	.size	_Z12tail_pointeri, .-_Z12tail_pointeri
	.p2align 4
	.globl	_Z10by_pointeri
	.type	_Z10by_pointeri, @function
_Z10by_pointeri:
.LFB5:
	.cfi_startproc
	subq	$8, %rsp	# 23	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	movq	pointer@GOTPCREL(%rip), %rax	# 21	[c=5 l=7]  *movdi_internal/3
	call	*(%rax)	# 9	[c=14 l=2]  *call_value
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
.LFB6:
	.cfi_startproc
	subq	$8, %rsp	# 23	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	movq	(%rdi), %rax	# 6	[c=5 l=3]  *movdi_internal/3
	movl	$3, %esi	# 8	[c=4 l=5]  *movsi_internal/0
	call	*(%rax)	# 10	[c=14 l=2]  *call_value
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
.LFB7:
	.cfi_startproc
	cmpl	$3, %edi	# 7	[c=4 l=3]  *cmpsi_1/0
	je	.L14	# 8	[c=13 l=2]  *jcc
	xorl	%eax, %eax	# 28	[c=4 l=2]  *movdi_xor
	ret		# 26	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L14:
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
.LFB8:
	.cfi_startproc
	subq	$8, %rsp	# 83	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	cmpl	$4, %edi	# 10	[c=4 l=3]  *cmpsi_1/0
	ja	.L23	# 11	[c=13 l=6]  *jcc
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
	movl	$77, %eax	# 4	[c=4 l=5]  *movsi_internal/0
.L15:
	addq	$8, %rsp	# 86	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret		# 87	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L21:
	.cfi_restore_state
	movl	$5, %edi	# 34	[c=4 l=5]  *movsi_internal/0
	call	_Z8externali@PLT	# 35	[c=10 l=5]  *call_value
	addq	$8, %rsp	# 97	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	addl	$1, %eax	# 37	[c=4 l=3]  *addsi_1/0
	ret		# 98	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L19:
	.cfi_restore_state
	movl	$9, %edi	# 42	[c=4 l=5]  *movsi_internal/0
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
	movl	$11, %edi	# 50	[c=4 l=5]  *movsi_internal/0
	call	_Z8externali@PLT	# 51	[c=10 l=5]  *call_value
	addq	$8, %rsp	# 113	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	subl	$2, %eax	# 53	[c=4 l=3]  *addsi_1/0
	ret		# 114	[c=0 l=1]  simple_return_internal
	.p2align 4,,10
	.p2align 3
.L22:
	.cfi_restore_state
	movl	$1, %edi	# 28	[c=4 l=5]  *movsi_internal/0
	addq	$8, %rsp	# 91	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 8
	jmp	_Z8externali@PLT	# 29	[c=10 l=5]  *sibcall_value
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.type	_Z6choicei.cold, @function
_Z6choicei.cold:
.LFSB8:
.L23:
	.cfi_def_cfa_offset 16
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
.LFB9:
	.cfi_startproc
	subq	$8, %rsp	# 20	[c=4 l=4]  pro_epilogue_adjust_stack_add_di/0
	.cfi_def_cfa_offset 16
	call	_Z8externali@PLT	# 7	[c=10 l=5]  *call_value
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
.LFB10:
	.cfi_startproc
	pushq	%rbx	# 41	[c=4 l=1]  *pushdi2_rex64/0
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
#APP
# 41 "calls.cc" 1
	call external
# 0 "" 2
#NO_APP
	call	_Z6comdati@PLT	# 8	[c=10 l=5]  *call_value
	cmpq	$0, _ZTH8variable@GOTPCREL(%rip)	# 12	[c=9 l=8]  *cmpdi_ccno_1/1
	movl	%eax, %ebx	# 9	[c=4 l=2]  *movsi_internal/0
	je	.L28	# 13	[c=13 l=2]  *jcc
	call	_ZTH8variable@PLT	# 15	[c=0 l=5]  *call
.L28:
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
