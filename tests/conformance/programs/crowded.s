# Several symbols at one address: global and local, functions and labels, with
# underscores before their names and without.
	.text
	.globl main
	.type main,@function
main:
	sub $8, %rsp
	call mcount
	xor %eax, %eax
	add $8, %rsp
	ret
	.balign 16
	.type local_function,@function
local_function:
	.globl global_label
global_label:
	nop
	.balign 16
	.type another_local,@function
another_local:
	.globl __underscored_label
__underscored_label:
	.weak weak_label
weak_label:
	nop
	.balign 16
plain_label:
	.type _local_function,@function
_local_function:
	nop
	.balign 16
	.globl beaten_label
beaten_label:
	.globl ___function
	.type ___function,@function
___function:
	.globl _function
	.type _function,@function
_function:
	.globl __function
	.type __function,@function
__function:
	nop
	.balign 16
	.globl first
	.type first,@function
first:
	.globl second
	.type second,@function
second:
	.weak third
	.type third,@function
third:
	nop
	.section .note.GNU-stack,"",@progbits
