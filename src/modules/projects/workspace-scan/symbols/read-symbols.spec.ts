import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSymbols } from './read-symbols.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-symbols-'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** As `kind name:line`. */
async function symbolsOf(path: string, text: string | Buffer): Promise<string[]> {
  writeFileSync(join(root, path), text);
  const { symbols, problem } = await readSymbols(root, path);
  return problem ? [problem] : symbols.map(({ kind, name, line }) => `${kind} ${name}:${line}`);
}

const TYPESCRIPT = `export const MAX = 1, { a } = f();
export const light = () => { const local = 1; };
export default class Lamp<T> {
  #lit = true;
  on = () => 1;
  constructor() { function inner() {} }
  async light(): Promise<void> {}
  get isLit() { return true; }
}
class Empty {}
interface Shape { area(): number }
type Name = string;
enum Colour { Red }
namespace outer.inner { export function f() {} }
declare module 'x' { const y: number; }
function g(this: Lamp<string>) { class Local {} }
`;
const PYTHON = `LIMIT = 3
class Lamp(Base):
    lit = False
    @property
    def light(self):
        def local(): pass
    class Inner:
        async def f(self): pass
@cache
def main() -> int:
    x = 1
`;
const GO = `package lamp
const Max = 1
var (
  a, b = 1, 2
)
type Lamp struct { lit bool }
type Shape interface { Area() int }
type Name string
func (l *Lamp) Light() { f := func() {} }
func (l List[T]) Len() int { return 0 }
func main() {}
`;
const JAVA = `package a;
public class Lamp<T> {
  int lit;
  Lamp() {}
  public void light() { class Local { void f() {} } }
  enum Colour { RED }
  interface Shape { int area(); }
}
record Point(int x) {}
`;
const RUST = `const MAX: u8 = 1;
pub struct Lamp<T> { lit: bool }
enum Colour { Red }
trait Shape { fn area(&self) -> u8; }
impl<T> Shape for Lamp<T> { fn area(&self) -> u8 { fn local() {} 1 } }
mod inner { pub fn f() {} }
macro_rules! m { () => {} }
fn main() {}
`;
const C = `#define MAX(a) (a)
struct lamp { int lit; };
typedef struct { int x; } point;
enum colour { RED };
static char *name(void) { return 0; }
int declared(void);
int main(int argc, char **argv) { struct lamp l; return 0; }
`;
const CPP = `namespace light {
class Lamp { public: void on() {} int off(); };
}
int light::Lamp::off() { return 1; }
template <class T> T& ref(T& t) { return t; }
`;

describe('the symbols of a file', () => {
  it.each<[string, string, string[]]>([
    [
      'lamp.ts',
      TYPESCRIPT,
      [
        ...['variable MAX:1', 'function light:2', 'class Lamp:3', 'method Lamp.on:5', 'method Lamp.light:7'],
        ...['method Lamp.isLit:8', 'class Empty:10', 'interface Shape:11', 'type Name:12', 'enum Colour:13'],
        ...['module outer:14', 'module outer.inner:14', 'function outer.inner.f:14', "module 'x':15"],
        ...["variable 'x'.y:15", 'function g:16'],
      ],
    ],
    ['lamp.jsx', 'export const Lamp = () => <p>{1}</p>;\nclass A {}\n', ['function Lamp:1', 'class A:2']],
    [
      'lamp.py',
      PYTHON,
      [
        ...['variable LIMIT:1', 'class Lamp:2', 'method Lamp.light:5', 'class Lamp.Inner:7', 'method Lamp.Inner.f:8'],
        'function main:10',
      ],
    ],
    [
      'lamp.go',
      GO,
      [
        ...['variable Max:2', 'variable a:4', 'variable b:4', 'struct Lamp:6', 'interface Shape:7', 'type Name:8'],
        ...['method Lamp.Light:9', 'method List.Len:10', 'function main:11'],
      ],
    ],
    [
      'Lamp.java',
      JAVA,
      [
        ...['class Lamp:2', 'method Lamp.light:5', 'enum Lamp.Colour:6', 'interface Lamp.Shape:7'],
        ...['method Lamp.Shape.area:7', 'class Point:9'],
      ],
    ],
    [
      'lamp.rs',
      RUST,
      [
        ...['variable MAX:1', 'struct Lamp:2', 'enum Colour:3', 'trait Shape:4', 'method Shape.area:4'],
        ...['method Lamp.area:5', 'module inner:6', 'function inner.f:6', 'macro m:7', 'function main:8'],
      ],
    ],
    [
      'lamp.c',
      C,
      ['macro MAX:1', 'struct lamp:2', 'type point:3', 'enum colour:4', 'function name:5', 'function main:7'],
    ],
    [
      'lamp.cpp',
      CPP,
      [
        ...['module light:1', 'class light.Lamp:2', 'method light.Lamp.on:2', 'function light::Lamp::off:4'],
        'function ref:5',
      ],
    ],
    [
      'lamp.cs',
      'namespace A { class Lamp { void Light() {} } }',
      ['module A:1', 'class A.Lamp:1', 'method A.Lamp.Light:1'],
    ],
    [
      'lamp.rb',
      'module A\n  class Lamp\n    def light; end\n    def self.all; end\n  end\nend\ndef main; end\n',
      ['module A:1', 'class A.Lamp:2', 'method A.Lamp.light:3', 'method A.Lamp.all:4', 'function main:7'],
    ],
    [
      'lamp.php',
      '<?php\nclass Lamp { function light() {} }\nfunction main() {}\n',
      ['class Lamp:2', 'method Lamp.light:2', 'function main:3'],
    ],
    ['lamp.md', '# class Lamp', []],
    ['empty.py', '', []],
  ])('of %s are its declarations, not what is local to a function', async (path, text, expected) => {
    expect(await symbolsOf(path, text)).toEqual(expected);
  });

  it('are none, with the reason, where it is not text, too large, behind a link or gone', async () => {
    expect(await symbolsOf('latin.py', Buffer.from([0x64, 0xe9]))).toEqual(['unreadable']);
    expect(await symbolsOf('large.ts', 'a;'.repeat(600_000))).toEqual(['unreadable']);
    symlinkSync(join(root, 'lamp.ts'), join(root, 'link.ts'));
    expect(await readSymbols(root, 'link.ts')).toMatchObject({ problem: 'unreadable' });
    expect(await readSymbols(root, 'gone.ts')).toMatchObject({ problem: 'unreadable' });
  });

  it('end, whatever the file does to a parser', async () => {
    const deep = (open: string, close: string) => open.repeat(20_000) + close.repeat(20_000);
    for (const [path, text] of [
      ['deep.ts', `const a = ${deep('(', ')')};`],
      ['deep.js', `const a = ${deep('[', ']')};`],
      ['deep.py', deep('[', ']')],
      ['deep.c', deep('{', '}')],
      ['deep.rs', deep('mod a {', '}')],
      ['odd.go', '\0\u2028\uFFFE'.repeat(1000)],
    ] as const)
      expect([path, (await symbolsOf(path, text)).length]).toEqual([path, expect.any(Number)]);
    expect(await symbolsOf('after.py', 'def f(): pass')).toEqual(['function f:1']);
  }, 120_000);
});
