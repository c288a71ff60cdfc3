import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../json/index.ts';
import { compileLua, LuaError, LuaLimit, toJson } from './index.ts';

const now = (): number => 1_767_225_600; // 2026-01-01T00:00:00Z

function run(source: string, obj: Json = {}): Json {
  return toJson(compileLua(source).run({ globals: new Map([['obj', obj]]), now }), obj);
}

const table: readonly (readonly [source: string, wanted: Json])[] = [
  // Values and operators.
  ['return 1 + 2 * 3 ^ 2', 19],
  ['return -2 ^ 2', -4],
  ['return 7 % -3', -2],
  ['return -7 % 3', 2],
  ['return "10" + 5', 15],
  ['return 1 .. ""', '1'],
  ['return 1.5 .. "x"', '1.5x'],
  ['return 2^53', 9007199254740992],
  ['return 10 / 4', 2.5],
  ['return not nil and 0 or "no"', 0],
  ['return nil == false', false],
  ['return "a" < "b" and "Z" < "a"', true],
  ['return #"héllo"', 6],
  ['return ("héllo"):sub(1, 3)', 'hé'],
  ['return 0x10', 16],
  ['return "a\\065\\x41\\n"', 'aAA\n'],
  ['return [[\nlong]]', 'long'],
  ['return 1 < 2 == true', true],
  ['return "a" .. "b" == "ab"', true],
  ['return 0/0 == 0/0', false],
  // Locals, assignment, functions.
  ['local a, b, c = 1, 2 return {a, b, c == nil}', [1, 2, true]],
  ['local a, b = 1, 2; a, b = b, a; return {a, b}', [2, 1]],
  ['local i, t = 1, {}; i, t[i] = i + 1, 20; return {i, t[1]}', [2, 20]],
  ['local x = 1; do local x = 2 end return x', 1],
  ['local x = 1; local x = x + 1 return x', 2],
  ['local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end return f(15)', 610],
  [
    'local function f(...) return select("#", ...), ... end local n, a, b = f(nil, 2) return {n, a == nil, b}',
    [2, true, 2],
  ],
  ['local function f() return 1, 2, 3 end return {f(), f()}', [1, 1, 2, 3]],
  ['local function f() return 1, 2, 3 end return {(f())}', [1]],
  ['local t = {} for i = 1, 3 do t[i] = function() return i end end return {t[1](), t[2](), t[3]()}', [1, 2, 3]],
  [
    'local function counter() local n = 0 return function() n = n + 1 return n end end local c = counter() c() return c()',
    2,
  ],
  [
    'local t = {n = 1} function t.add(x) return x + 1 end function t:get() return self.n end return {t.add(1), t:get()}',
    [2, 1],
  ],
  ['local t = {a = {b = {}}} function t.a.b.f() return "deep" end return t.a.b.f()', 'deep'],
  ['g = 5 return _G.g', 5],
  ['local s = 0 for i = 10, 1, -3 do s = s + i end return s', 22],
  ['local s = 0 for i = 1, 0 do s = 1 end return s', 0],
  ['local n = 0 while true do n = n + 1 if n > 4 then break end end return n', 5],
  ['local n = 0 repeat local done = n >= 3; n = n + 1 until done return n', 4],
  ['local t = {} for i = 1, 4 do if i % 2 == 0 then goto continue end t[#t+1] = i ::continue:: end return t', [1, 3]],
  ['local i = 0 ::top:: i = i + 1 if i < 5 then goto top end return i', 5],
  ['for i = 1, 3 do for j = 1, 3 do if j == 2 then goto done end end end ::done:: return "out"', 'out'],
  [
    'return type(type) .. type(nil) .. type({}) .. type("") .. type(1) .. type(true)',
    'functionniltablestringnumberboolean',
  ],
  ['return 1, 2, "last"', 'last'],
  ['', null],
  // Tables.
  ['return #{1, 2, nil, 4}', 4],
  ['local t = {1, 2, 3} t[#t] = nil return #t', 2],
  ['local t = {} t[3] = 3 t[2] = 2 t[1] = 1 return t', [1, 2, 3]],
  ['return {["a b"] = 1, c = 2}', { 'a b': 1, c: 2 }],
  ['local t = {} t[1.0] = "x" return t[1]', 'x'],
  ['local t = {10, 20, 30, x = 1} local s = 0 for k, v in pairs(t) do s = s + v end return s', 61],
  ['local t = {} for i, v in ipairs({1, 2, nil, 4}) do t[i] = v end return t', [1, 2]],
  ['local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t) == nil', true],
  [
    'local n = 0 local k = next({a=1,b=2}) local t = {a=1,b=2} k = nil repeat k = next(t, k) n = n + (k and 1 or 0) until k == nil return n',
    2,
  ],
  ['local t = {3, 1, 2} table.sort(t) return t', [1, 2, 3]],
  ['local t = {"b", "a"} table.sort(t, function(x, y) return x > y end) return t', ['b', 'a']],
  ['local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) return t', [1, 2, 3, 4]],
  ['local t = {1, 2, 3} return {table.remove(t, 1), table.remove(t), #t}', [1, 3, 1]],
  ['return table.concat({1, "a", 2.5}, ", ")', '1, a, 2.5'],
  ['return table.concat({})', ''],
  ['return {unpack({1, 2, 3}, 2)}', [2, 3]],
  ['return table.getn({1, 2}) + table.maxn({[9] = 1})', 11],
  ['return rawget(setmetatable({}, {__index = {a = 1}}), "a") == nil', true],
  ['return setmetatable({}, {__index = {a = 1}}).a', 1],
  ['return setmetatable({}, {__index = function(t, k) return k .. "!" end}).a', 'a!'],
  [
    'local log = {} local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end}) t.x = 2 return t.x',
    4,
  ],
  ['return setmetatable({}, {__call = function(self, a) return a + 1 end})(1)', 2],
  ['return tostring(setmetatable({}, {__tostring = function() return "me" end}))', 'me'],
  // Strings and patterns.
  ['return ("hello world"):find("wor")', 9],
  ['return {("hello world"):find("o", 6)}', [8, 8]],
  ['return {("a.b"):find(".", 1, true)}', [2, 2]],
  ['return ("key = value"):match("^(%w+)%s*=%s*(%w+)$")', 'value'],
  ['return {("2026-01-02T03:04:05Z"):match("(%d+)-(%d+)-(%d+)T(%d+):(%d+)")}', ['2026', '01', '02', '03', '04']],
  ['local t = {} for w in ("one two"):gmatch("%a+") do t[#t+1] = w end return t', ['one', 'two']],
  ['local t = {} for k, v in ("a=1,b=2"):gmatch("(%w+)=(%w+)") do t[k] = v end return t', { a: '1', b: '2' }],
  ['return {("hello"):gsub("l", "L")}', ['heLLo', 2]],
  ['return (("hello"):gsub("(h)(e)", "%2%1"))', 'ehllo'],
  ['return (("abc"):gsub("%w", {a = "1", b = true and "2"}))', '12c'],
  ['return (("abc"):gsub("%w", function(c) return c:upper() .. "." end, 2))', 'A.B.c'],
  ['return (("abc"):gsub("", "-"))', '-a-b-c-'],
  ['return ("f(a(b)c)d"):match("%b()")', '(a(b)c)'],
  ['return ("THE (quick) fox"):find("%((%a+)%)")', 'quick'],
  ['return (("THE (quick) fox"):gsub("%f[%a]%a+", "w"))', 'w (w) w'],
  ['return ("xx"):match("(x)%1")', 'x'],
  ['return ("abc"):match("()b()")', 3],
  ['return ("[]]"):match("[]]+")', ']]'],
  ['return ("a-b_c"):match("[%w_-]+")', 'a-b_c'],
  ['return ("aXb"):match("[^A-Z]+$")', 'b'],
  ['return ("<<a>>"):match("<(.-)>")', '<a'],
  ['return ("colour"):match("colou?r")', 'colour'],
  ['return string.format("%d of %s: %5.1f%% %q %x", 3, "x", 99.55, "a\\nb", 255)', '3 of x:  99.5% "a\\nb" ff'],
  ['return string.format("%-5s|%5s|%05d|%+d|%g|%g", "a", "b", -42, 7, 0.1, 1e20)', 'a    |    b|-0042|+7|0.1|1e+20'],
  ['return ("x"):rep(3, ",") .. ("ab"):reverse() .. ("Ab"):upper() .. ("Ab"):lower()', 'x,x,xbaABab'],
  ['return {("abc"):byte(1, -1)}', [97, 98, 99]],
  ['return string.char(72, 105)', 'Hi'],
  ['return ("abc"):len() + #("abc"):sub(-2)', 5],
  // The rest of the library.
  [
    'return {tonumber("0x1f"), tonumber(" 12 "), tonumber("1e2"), tonumber("ff", 16), tonumber("x") == nil}',
    [31, 12, 100, 255, true],
  ],
  ['return tostring(nil) .. tostring(true) .. tostring(12) .. tostring(1.5)', 'niltrue121.5'],
  ['return {pcall(error, "boom", 0)}', [false, 'boom']],
  ['local ok, e = pcall(function() error({code = 7}) end) return e.code', 7],
  ['local ok, e = pcall(function()\nerror("boom") end) return e', 'line 2: boom'],
  ['local function f() error("mine", 2) end\nlocal ok, e = pcall(function()\n f() end) return e', 'line 3: mine'],
  ['return {pcall(function(a) return a + 1 end, 1)}', [true, 2]],
  [
    'return select(2, pcall(function() local x = nil; return x.y end))',
    "line 1: attempt to index a nil value (variable 'x')",
  ],
  ['return assert(1, "no")', 'no'],
  ['return math.floor(2.7) + math.max(1, 5, 3) + math.ceil(0.2) + math.abs(-1)', 9],
  ['return math.huge > 1e308', true],
  ['return os.time()', 1_767_225_600],
  ['return os.time({year = 2026, month = 1, day = 1, hour = 0})', 1_767_225_600],
  ['return os.date("!%Y-%m-%dT%H:%M:%SZ", 1767225600)', '2026-01-01T00:00:00Z'],
  ['return os.date("*t").year', 2026],
  ['return load == nil and loadstring == nil and dofile == nil and io == nil and debug == nil', true],
  ['local os = require("os") return os.time() == require "os".time() and require("table").sort == table.sort', true],
  ['return os.execute == nil and os.getenv == nil and os.exit == nil and os.remove == nil', true],
];

for (const [source, wanted] of table) {
  test(`${JSON.stringify(source)} is ${JSON.stringify(wanted)}`, () => assert.deepEqual(run(source), wanted));
}

const failures: readonly (readonly [source: string, message: RegExp])[] = [
  ['local x = = 1', /^line 1: /],
  ['\n\nif true then', /^line 3: /],
  ['goto nowhere', /^line 1: .*nowhere/],
  ['break', /^line 1: /],
  ['local function f() return ... end', /^line 1: cannot use '\.\.\.' outside a vararg function/],
  ['\nreturn obj.status.phase', /^line 2: attempt to index a nil value \(field 'status'\)$/],
  ['return obj.f()', /^line 1: attempt to call a nil value \(field 'f'\)$/],
  ['return obj:f()', /^line 1: attempt to call a nil value \(method 'f'\)$/],
  ['return nope()', /^line 1: attempt to call a nil value \(variable 'nope'\)$/],
  ['return 1 + obj', /^line 1: attempt to perform arithmetic on a table value \(variable 'obj'\)$/],
  ['return "a" .. nil', /^line 1: attempt to concatenate a nil value$/],
  ['return 1 < "2"', /^line 1: attempt to compare number with string$/],
  ['return {} < {}', /^line 1: attempt to compare two table values$/],
  ['return #nil', /^line 1: attempt to get length of a nil value$/],
  ['obj[nil] = 1', /^line 1: a table index is nil$/],
  ['\nerror("boom")', /^line 2: boom$/],
  ['error({})', /^\(error object is a table value\)$/],
  ['table.insert(nil, 1)', /^line 1: bad argument #1 to 'insert' \(table expected, got nil\)$/],
  ['("x"):rep()', /^line 1: bad argument #2 to 'rep' \(number expected, got no value\)$/],
  ['("x"):find("[a")', /^line 1: malformed pattern \(missing '\]'\)$/],
  ['("xa"):find("(a")', /^line 1: unfinished capture$/],
  [
    'setmetatable({}, {__add = function() end})',
    /^line 1: bad argument #2 to 'setmetatable' \(the metamethod '__add' is not supported\)$/,
  ],
  ['for i = 1, 10, 0 do end', /^line 1: 'for' step is zero$/],
  ['for x in 5 do end', /^line 1: attempt to call a number value \(for iterator\)$/],
  ['require("io")', /^line 1: module 'io' not found$/],
  ['return string.format("%y", 1)', /^line 1: invalid option '%y' to 'format'$/],
  ['local t = {1, x = 2} return t', /both a list and named fields/],
  ['local t = {} t.t = t return t', /contains itself/],
  ['return {f = print}', /a function cannot be turned into JSON/],
  ['return {n = 1/0}', /a number without end/],
];

for (const [source, message] of failures) {
  test(`${JSON.stringify(source)} fails with ${message.source}`, () => {
    assert.throws(
      () => run(source),
      (error) => error instanceof LuaError && message.test(error.message),
    );
  });
}

const hostile: readonly (readonly [about: string, source: string])[] = [
  ['an endless loop', 'while true do end'],
  ['an endless jump', '::a:: goto a'],
  ['an endless loop that catches its errors', 'while true do pcall(function() while true do end end) end'],
  ['a long text made at once', 'return ("x"):rep(1e9)'],
  ['a text that doubles', 'local s = "x" while true do s = s .. s end'],
  ['a text that doubles in a replacement', 'local s = ("x"):rep(1e5) return s:gsub("x", ("%0"):rep(1e4))'],
  ['a table that grows', 'local t = {} for i = 1, 1e9 do t[i] = i end'],
  ['tables in tables', 'local t = {} while true do t = {t, t, {}} end'],
  ['a pattern that blows up', 'return (("a"):rep(40)):find(("a*"):rep(20) .. "b")'],
  ['a lazy pattern that blows up', 'return (("a"):rep(200)):find((".-"):rep(12) .. "b")'],
  ['a search again and again', 'local s = ("a"):rep(1e6) for i = 1, 1e6 do s:find("b", 1, true) end'],
  ['comparing long texts', 'local a, b = ("a"):rep(1e6), ("a"):rep(1e6) for i = 1, 1e6 do local c = a == b end'],
  ['an inserted row', 'local t = {} for i = 1, 1e6 do table.insert(t, 1, i) end'],
  ['a result that unfolds', 'local t = {"x"} for i = 1, 60 do t = {t, t} end return t'],
  ['a format with wide fields', 'local s = "" for i = 1, 1e6 do s = s .. string.format("%99d", i) end'],
  [
    'an order that is none',
    'local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() while true do end end)',
  ],
];

for (const [about, source] of hostile) {
  test(`${about} ends at a bound`, () => {
    assert.throws(() => run(source), LuaLimit);
  });
}

test('recursion without end is an error that a script may catch', () => {
  assert.throws(() => run('local function f() return f() + 1 end return f()'), /stack overflow/);
  assert.equal(run('local function f() return f() + 1 end return select(2, pcall(f))'), 'line 1: stack overflow');
  assert.throws(() => run(`return ${'('.repeat(50_000)}1${')'.repeat(50_000)}`), /nested too deeply/);
  assert.throws(() => run(`return ${'-'.repeat(1)}${'{'.repeat(50_000)}${'}'.repeat(50_000)}`), LuaError);
});

test('objects come in as they are, are read in place and go out unchanged', () => {
  const object = JSON.parse('{"a":[1,{"b":null}],"e":{},"l":[],"__proto__":{"x":1},"ü":"ß"}') as Json;
  const before = JSON.stringify(object);
  assert.equal(JSON.stringify(run('return obj', object)), '{"a":[1,{}],"e":{},"l":[],"__proto__":{"x":1},"ü":"ß"}');
  assert.equal(run('return obj.a[2].b == nil and #obj.a == 2 and obj["__proto__"].x == 1', object), true);
  assert.equal(run('return obj.constructor == nil and obj.toString == nil', object), true);
  assert.equal(run('return obj["ü"]', object), 'ß');
  run('obj.a[1] = 5 obj.e.x = 1 obj.new = {}', object);
  assert.equal(JSON.stringify(object), before);
});

test('an empty table becomes what stood in its place, and a list where nothing did', () => {
  const object = { spec: { selector: { a: 'b' }, list: [1] } };
  assert.deepEqual(run('obj.spec.selector = {} obj.spec.list = {} obj.spec.new = {} return obj', object), {
    spec: { selector: {}, list: [], new: [] },
  });
  assert.deepEqual(run('obj.spec.selector.a = nil return obj', object), { spec: { selector: {}, list: [1] } });
});

test('runs share nothing, also where a script changes a library', () => {
  const script = compileLua('n = (n or 0) + 1; string.upper = nil; table.sort = 5; return n');
  const environment = { globals: new Map(), now };
  assert.deepEqual([script.run(environment), script.run(environment)], [1, 1]);
  assert.equal(run('return ("a"):upper()'), 'A');
});
