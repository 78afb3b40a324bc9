// What the MuJS interpreter is profiled on: its compiler, properties, arrays, strings,
// patterns, closures, sorting, JSON, exceptions and collector, each for a while.
var seed = 1;
function random(n) {
  seed = (seed * 16807) % 2147483647;
  return seed % n;
}
function words(n) {
  var list = [];
  for (var i = 0; i < n; ++i) list.push('w' + random(400) + (i % 7));
  return list;
}
function countWords() {
  var counts = {}, list = words(1500), keys = [], i, word;
  for (i = 0; i < list.length; ++i) counts[list[i]] = (counts[list[i]] || 0) + 1;
  for (word in counts) keys.push(word);
  keys.sort(function (a, b) { return counts[b] - counts[a] || (a < b ? -1 : 1); });
  return keys.length;
}
function patterns() {
  var text = words(300).join(' '), n = 0;
  text.replace(/w(\d+)[0-3]\b/g, function (all, digits) { n += digits.length; return ''; });
  return n + text.split(' ').length + text.toUpperCase().indexOf('W1 ');
}
function Node(value) { this.value = value; this.left = null; this.right = null; }
Node.prototype.insert = function (value) {
  var side = value < this.value ? 'left' : 'right';
  if (this[side]) this[side].insert(value); else this[side] = new Node(value);
};
Node.prototype.sum = function () {
  return this.value + (this.left ? this.left.sum() : 0) + (this.right ? this.right.sum() : 0);
};
function trees() {
  var root = new Node(500);
  for (var i = 0; i < 300; ++i) root.insert(random(1000));
  return root.sum();
}
function records() {
  var list = [];
  for (var i = 0; i < 60; ++i) list.push({id: i, name: 'n' + i, tags: ['a', 'b'], at: {x: i, y: -i}});
  return JSON.parse(JSON.stringify(list)).length;
}
function compile() {
  var text = 'var s = 0; for (var i = 0; i < 3; ++i) { s += i * 2; if (s > 4) s -= 1; } return s;';
  var n = 0;
  for (var i = 0; i < 25; ++i) n += new Function('a' + i, text)();
  return n;
}
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
function exceptions() {
  var n = 0;
  for (var i = 0; i < 100; ++i) try { if (i % 3) throw i; n++; } catch (e) { n += e; }
  return n;
}
var rounds = +scriptArgs[0], sum = 0;
for (var round = 0; round < rounds; ++round) {
  sum += countWords() + patterns() + trees() + records() + compile() + fibonacci(13) + exceptions();
}
print(sum);
