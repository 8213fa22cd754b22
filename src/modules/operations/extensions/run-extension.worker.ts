import { setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { MAX_OUTPUT_BYTES, type CallResult } from './extensions.types.js';
import type { WasmInterface, WasmMemory } from './webassembly.types.js';

/** One call, as it is handed to a thread. */
export interface ExtensionTask {
  module: Uint8Array;
  input: Uint8Array;
  /** Is sent a message when the call begins: what a thread takes to start is not the extension's. */
  started: MessagePort;
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmInterface };

const MAX_LOGS = 64;
const MAX_LOG_BYTES = 1024;
/** On a busy machine requests go first: of two that want the processor, an extension gets a tenth. */
const NICE = 10;

// Elsewhere than on Linux this would be of the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

/** Runs one module once, in an instance of its own (docs/extensions.md). Nothing of it is left for the next. */
export default function runExtension({ module, input, started }: ExtensionTask): CallResult {
  started.postMessage('started');
  started.close();
  const call = new Call(input);
  try {
    return call.run(new WebAssembly.Module(module));
  } catch (error) {
    if (call.isTooLarge) return call.end('output_too_large', `It gave more than ${MAX_OUTPUT_BYTES} bytes.`);
    const isLinkage = error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError;
    if (isLinkage) return call.end('invalid_module', messageOf(error));
    // A trap, or too deep a recursion.
    return call.end('trapped', messageOf(error));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown').slice(0, 300);

class Call {
  isTooLarge = false;
  private readonly logs: string[] = [];
  /** One for all that it writes: a module may write single bytes, or nothing, as often as it likes. */
  private output: Uint8Array | undefined;
  private bytes = 0;
  private memory!: WasmMemory;

  constructor(private readonly input: Uint8Array) {}

  run(module: object): CallResult {
    const { exports } = new WebAssembly.Instance(module, { svc: this.functions() });
    this.memory = exports.memory as WasmMemory;
    const code: unknown = (exports.run as () => unknown)();
    // Also where the module caught what was thrown at it.
    if (this.isTooLarge) return this.end('output_too_large', `It gave more than ${MAX_OUTPUT_BYTES} bytes.`);
    if (code === 0) return this.end('ok', '');
    return this.end('failed', typeof code === 'number' ? `It returned ${code}.` : 'Its run returns no i32.');
  }

  end(outcome: CallResult['outcome'], detail: string): CallResult {
    const output = outcome === 'ok' ? this.output?.slice(0, this.bytes) : undefined;
    return { outcome, detail, output: output ?? new Uint8Array(), logs: this.logs };
  }

  private functions() {
    return {
      input_len: () => this.input.length,
      input_read: (at: number, from: number, length: number) => {
        const part = this.input.subarray(from >>> 0, (from >>> 0) + (length >>> 0));
        this.view(at, part.length).set(part);
        return part.length;
      },
      output_write: (at: number, length: number) => {
        const from = this.bytes;
        this.bytes += length >>> 0;
        if (this.bytes > MAX_OUTPUT_BYTES) {
          this.isTooLarge = true;
          throw new RangeError('the output is too large');
        }
        this.output ??= new Uint8Array(MAX_OUTPUT_BYTES);
        this.output.set(this.view(at, length), from);
      },
      log: (at: number, length: number) => {
        const text = this.view(at, Math.min(length >>> 0, MAX_LOG_BYTES));
        if (this.logs.length < MAX_LOGS) this.logs.push(Buffer.from(text).toString('utf8'));
      },
    };
  }

  /** @throws RangeError past the end of the memory, which ends the module */
  private view(at: number, length: number): Uint8Array {
    const [from, bytes] = [at >>> 0, length >>> 0];
    const { buffer } = this.memory;
    if (from + bytes > buffer.byteLength) throw new RangeError('it named bytes past the end of its memory');
    return new Uint8Array(buffer, from, bytes);
  }
}
