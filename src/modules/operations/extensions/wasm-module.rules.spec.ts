import { describe, expect, it } from 'vitest';
import { assemble, ECHO, GROW, LOOP, running, TRAP } from '../../../../test/kit/wat.js';
import { MAX_MODULE_BYTES } from './extensions.types.js';
import { findModuleFault } from './wasm-module.rules.js';

const MIB = 1024 * 1024;
const RUN = '(func (export "run") (result i32) (i32.const 0))';
const module = (parts: string, features = {}) => assemble(`(module ${parts} ${RUN})`, features);
const MEMORY = '(memory (export "memory") 1 1)';

describe('a module', () => {
  it('is fit where its sections bound what it takes', () => {
    for (const one of [ECHO, LOOP, GROW, TRAP, module(`${MEMORY} (table 1 1 funcref)`)])
      expect(findModuleFault(one, 32 * MIB)).toBeUndefined();
  });

  it.each([
    ['declares no maximum of its memory', '(memory (export "memory") 1)', {}],
    ['may grow its memory to 513 pages; 512 pages', '(memory (export "memory") 1 513)', {}],
    ['is shared, or of 64 bits', '(memory (export "memory") 1 1 shared)', { threads: true }],
    ['is shared, or of 64 bits', '(memory (export "memory") i64 1 1)', { memory64: true }],
    ['declares 2 memories', `${MEMORY} (memory 1 1)`, { multi_memory: true }],
    ['has to export the memory "memory"', '', {}],
    ['imports env.memory', '(import "env" "memory" (memory 1 1)) (export "memory" (memory 0))', {}],
    ['imports svc.exec', `(import "svc" "exec" (func)) ${MEMORY}`, {}],
    ['imports wasi_snapshot_preview1.fd_write', `(import "wasi_snapshot_preview1" "fd_write" (func)) ${MEMORY}`, {}],
    ['imports svc.log', `(import "svc" "log" (global i32)) ${MEMORY}`, {}],
    ['declares no maximum of a table', `${MEMORY} (table 1 funcref)`, {}],
    ['has tables of 65537 entries', `${MEMORY} (table 1 65537 funcref)`, {}],
    ['has tables of 80000 entries', `${MEMORY} (table 1 40000 funcref) (table 1 40000 externref)`, {}],
    ['declares exceptions', `${MEMORY} (tag (param i32))`, { exceptions: true }],
    ['has to export the memory "memory"', '(memory 1 1)', {}],
  ])('is refused where it %s', (fault, parts, features) => {
    expect(findModuleFault(module(parts, features), 32 * MIB)).toContain(fault);
  });

  it('is refused without a function run', () => {
    expect(findModuleFault(assemble(`(module ${MEMORY})`), MIB)).toContain('has to export');
    const memory = assemble('(module (memory 1 1) (export "memory" (memory 0)) (export "run" (memory 0)))');
    expect(findModuleFault(memory, MIB)).toContain('has to export');
  });

  it('is refused with types that are garbage-collected', () => {
    // (type (array (mut i8))), which the assembler of the tests does not know.
    const types = Buffer.from([0x01, 0x04, 0x01, 0x5e, 0x78, 0x01]);
    const at = 8;
    expect(findModuleFault(Buffer.concat([ECHO.subarray(0, at), types]), MIB)).toContain('garbage-collected');
  });

  it('is refused cut off at any byte, unless whole sections are left', () => {
    for (let length = 0; length < ECHO.length; length++)
      expect([length, findModuleFault(ECHO.subarray(0, length), MIB) === undefined]).toEqual([
        length,
        length >= indexOfCode(ECHO) && [indexOfCode(ECHO), indexOfData(ECHO)].includes(length),
      ]);
  });

  it('is refused where it is no module, or too long', () => {
    expect(findModuleFault(Buffer.from('hello, I am no module'), MIB)).toContain('is no WebAssembly module');
    expect(findModuleFault(Buffer.alloc(MAX_MODULE_BYTES + 1), MIB)).toContain('at most 1048576');
    const endless = Buffer.from([...ECHO.subarray(0, 8), 0x00, 0xff, 0xff, 0xff, 0xff, 0xff]);
    expect(findModuleFault(endless, MIB)).toContain('a number that is too long');
    const far = Buffer.from([...ECHO.subarray(0, 8), 0x05, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    expect(findModuleFault(far, MIB)).toContain('ends within a section');
  });

  it('is bounded by what the operator says', () => {
    expect(findModuleFault(running('(i32.const 0)', '1 17'), MIB)).toContain('16 pages of 64 KiB');
    expect(findModuleFault(running('(i32.const 0)', '1 16'), MIB)).toBeUndefined();
  });
});

/** Where the sections of these ids begin: sections follow each other as id, length (one byte here) and content. */
const sectionAt = (bytes: Buffer, id: number): number => {
  let at = 8;
  while (bytes[at] !== id) at += 2 + bytes[at + 1]!;
  return at;
};
const indexOfCode = (bytes: Buffer): number => sectionAt(bytes, 10);
const indexOfData = (bytes: Buffer): number => sectionAt(bytes, 11);
