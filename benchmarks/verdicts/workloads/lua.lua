-- What the Lua interpreter is profiled on: its compiler, tables, strings, patterns,
-- sorting, closures, metatables, coroutines and collector, each for a while.

local seed = 1
local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % n + 1
end

local function words(n)
  local list = {}
  for i = 1, n do list[i] = "w" .. random(4000) .. (i % 7) end
  return list
end

local function count_words()
  local counts = {}
  for _, word in ipairs(words(60000)) do counts[word] = (counts[word] or 0) + 1 end
  local keys = {}
  for word in pairs(counts) do keys[#keys + 1] = word end
  table.sort(keys, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return #keys, keys[1]
end

local function patterns()
  local text = table.concat(words(12000), " ")
  local n = 0
  for word, digit in text:gmatch("(%a+)(%d)") do
    if word == "w" and digit ~= "0" then n = n + 1 end
  end
  local replaced = text:gsub("w(%d+)", function(d) return #d > 3 and "<" .. d .. ">" end)
  local upper = replaced:upper():find("<99", 1, true)
  return n, #replaced, upper
end

local function formats()
  local parts = {}
  for i = 1, 15000 do
    parts[#parts + 1] = string.format("%05d %s %.3f %q", i, tostring(i * 0.5), i / 3, "a\n" .. i)
    if #parts == 500 then parts = { #table.concat(parts, ",") } end
  end
  return #parts
end

local function compile()
  local lines = {}
  for i = 1, 700 do
    lines[i] = ("local function f%d(a, b) local t = {x = a, y = b, %d} " ..
      "for k, v in pairs(t) do if v == k then return a * %d + b end end " ..
      "while a < b do a = a + 1 end return t.x .. 's%d' end"):format(i % 150, i, i, i)
  end
  local functions = 0
  for first = 1, 700, 100 do
    local chunk = table.concat(lines, "\n", first, first + 99)
    for _ = 1, 4 do
      functions = functions + (load(chunk) and 1 or 0)
    end
  end
  return functions
end

local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Point) end
Point.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Point.__lt = function(a, b) return a.x < b.x end
function Point.norm(p) return p.x * p.x + p.y * p.y end

local function objects()
  local sum = setmetatable({ x = 0, y = 0 }, Point)
  local least = sum
  for i = 1, 60000 do
    local p = setmetatable({ x = i % 17, y = i % 23 }, Point)
    sum = sum + p
    if p < least or p == sum then least = p end
  end
  return sum:norm()
end

local function coroutines()
  local total = 0
  for i = 1, 300 do
    local numbers = coroutine.wrap(function() for j = 1, 60 do coroutine.yield(i + j) end end)
    for _ = 1, 60 do total = total + numbers() end
  end
  for i = 1, 8000 do
    local ok, err = pcall(function() if i % 4 == 0 then error("no " .. i) end return i end)
    if not ok then total = total + #err end
  end
  return total
end

local function closures()
  local list = {}
  for i = 1, 40000 do
    local n = i
    list[i % 1000 + 1] = function(d) n = n + d return n end
    if i % 10 == 0 then list[i % 1000 + 1](1) end
  end
  local queue = {}
  for i = 1, 40000 do
    table.insert(queue, i)
    if #queue > 50 then table.remove(queue, 1) end
  end
  return select("#", table.unpack(queue))
end

local function matrix()
  local n = 60
  local a, b, c = {}, {}, {}
  for i = 1, n do
    a[i], b[i], c[i] = {}, {}, {}
    for j = 1, n do a[i][j], b[i][j] = i / j, i - j end
  end
  for i = 1, n do
    for j = 1, n do
      local sum = 0
      for k = 1, n do sum = sum + a[i][k] * b[k][j] end
      c[i][j] = sum
    end
  end
  return c[n][n]
end

for _ = 1, tonumber(arg[1] or 3) do
  print(count_words())
  print(patterns())
  print(formats())
  print(compile())
  print(objects())
  print(coroutines())
  print(closures())
  print(matrix())
end
