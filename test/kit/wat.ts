import wabt from 'wabt';

const { parseWat } = await wabt();

/** The bytes of a module in the text form of WebAssembly, of all proposals that are named. */
export function assemble(text: string, features: Record<string, boolean> = {}): Buffer {
  const module = parseWat('module.wat', text, features);
  const { buffer } = module.toBinary({});
  module.destroy();
  return Buffer.from(buffer);
}

/** A module with a memory of one page, whose `run` is this. */
export const running = (body: string, memory = '1 1'): Buffer =>
  assemble(`(module
    (import "svc" "input_len" (func $input_len (result i32)))
    (import "svc" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
    (import "svc" "output_write" (func $output_write (param i32 i32)))
    (import "svc" "log" (func $log (param i32 i32)))
    (memory (export "memory") ${memory})
    (data (i32.const 0) "hello")
    (func (export "run") (result i32) ${body}))`);

/** Gives back what it gets. */
export const ECHO = running(
  '(drop (call $input_read (i32.const 16) (i32.const 0) (call $input_len))) (call $output_write (i32.const 16) (call $input_len)) (i32.const 0)',
);
/** Never ends. */
export const LOOP = running('(loop $again (br $again)) (i32.const 0)');
/** Takes all the memory that it may have, writes to all of it, and goes on. */
export const GROW = running(
  `(loop $again
    (drop (memory.grow (i32.const 1)))
    (memory.fill (i32.const 0) (i32.const 7) (i32.mul (memory.size) (i32.const 65536)))
    (br $again)) (i32.const 0)`,
  '1 512',
);
export const TRAP = running('unreachable');
