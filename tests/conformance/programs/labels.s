 .text
 .globl main
 .type main,@function
main: call glab
 call fn
 call loclab
 xor %eax,%eax
 ret
glab: nop
 ret
 .globl glab
loclab: nop
 ret
 .globl fn
 .type fn,@function
fn: nop
 call wfn
 ret
 .weak wfn
wfn: ret
 .globl objt
 .type objt,@object
objt: nop
 ret
tail: nop
 nop
 ret
 .section .note.GNU-stack,"",@progbits
