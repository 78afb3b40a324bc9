# An expression calculator, a word index and a matrix product.
proc tokens {s} { regexp -all -inline {\d+\.?\d*|[-+*/()]} $s }
proc words {text} { set d [dict create]; foreach w [split [string tolower $text]] { dict incr d $w }; return $d }
proc product {a b} { set r {}; foreach row $a { set line {}; for {set j 0} {$j < [llength [lindex $b 0]]} {incr j} { set s 0; set k 0; foreach x $row { incr s [expr {$x * [lindex $b $k $j]}]; incr k }; lappend line $s }; lappend r $line }; return $r }
set text {}
for {set i 0} {$i < 150} {incr i} { append text "word$i the [string repeat a [expr {$i % 5}]] and [format %03d $i] " }
for {set r 0} {$r < 6} {incr r} {
  set d [words $text]
  set sorted [lsort -integer -decreasing -index 1 [lmap {k v} $d {list $k $v}]]
  puts [lrange $sorted 0 2]
  set m {}; for {set i 0} {$i < 9} {incr i} { set row {}; for {set j 0} {$j < 9} {incr j} { lappend row [expr {($i * $j + $r) % 10}] }; lappend m $row }
  puts [lindex [product $m $m] 3 4]
  set e "3 + 4 * (2 - $r) / 7.5"; puts [expr $e]; puts [join [tokens $e] |]
  array set seen {}; foreach {k v} $d { set seen($k) $v }; puts [array size seen]; unset seen
  if {[catch {expr {1 / 0}} message options]} { puts $message; dict get $options -errorcode }
  puts [string map {a b the THE} [string range $text 0 60]]; puts [regsub -all {w(or)d} $text {\1} out]; puts [clock format 0 -gmt 1 -format %Y]
}
oo::class create Counter { variable n; constructor {} { set n 0 }; method up {} { incr n } }
set c [Counter new]; for {set i 0} {$i < 200} {incr i} { $c up }; puts [$c up]; $c destroy
