# The line table ends with a row of its own end address: no code follows it.
	.file 1 "ends_with_a_row.s"
	.section .text.startup,"ax",@progbits
	.globl main
	.type main,@function
main:
	.loc 1 7
	sub $8, %rsp
	call mcount
	call work
	.loc 1 11
	xor %eax, %eax
	add $8, %rsp
	.loc 1 14
	ret
	.loc 1 15 view .LVU1
.LVL1:
	.size main, .-main
	.text
	.globl work
	.type work,@function
work:
	.loc 1 21
	call mcount
	ret
	.size work, .-work
	.section .note.GNU-stack,"",@progbits
