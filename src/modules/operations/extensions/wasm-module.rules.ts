import { MAX_MODULE_BYTES } from './extensions.types.js';

/** Bytes of a page of WebAssembly memory. */
const PAGE_BYTES = 65_536;
/** Entries of all tables: each is a pointer on the heap of the thread. */
const MAX_TABLE_ENTRIES = 65_536;

/** The functions that an extension may import from `svc` (docs/extensions.md). */
const ABI_FUNCTIONS = ['input_len', 'input_read', 'output_write', 'log'] as const;

const SECTION = { custom: 0, type: 1, import: 2, table: 4, memory: 5, export: 7, tag: 13 } as const;
const KIND = { function: 0, memory: 2 } as const;
const FUNCTION_TYPE = 0x60;
const HAS_MAXIMUM = 1;
/** Numbers, vectors, and references to functions or to what the host gave (it gives none). */
const VALUE_TYPES = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f]);
const TABLE_TYPES = new Set([0x70, 0x6f]);

class Unfit extends Error {}

/**
 * What keeps a module from being run within bounds, read from its sections (WebAssembly Core Specification 2.0, chapter
 * 5); undefined where nothing does. V8 validates all the rest before it runs anything. What takes memory that no
 * section bounds is refused: memories and tables without a maximum, garbage-collected types, exceptions.
 * @param memoryBytes most that its memory may grow to
 */
export function findModuleFault(bytes: Uint8Array, memoryBytes: number): string | undefined {
  if (bytes.length > MAX_MODULE_BYTES) return `is ${bytes.length} bytes; a module has at most ${MAX_MODULE_BYTES}`;
  try {
    checkSections(bytes, memoryBytes);
    return undefined;
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function checkSections(bytes: Uint8Array, memoryBytes: number): void {
  if (!HEADER.every((byte, place) => bytes[place] === byte))
    throw new Unfit('is no WebAssembly module: it begins with other bytes than \\0asm and version 1');
  const reader = new Reader(bytes, HEADER.length);
  const seen = new Set<number>();
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const section = reader.part(reader.u32());
    seen.add(id);
    CHECKS[id]?.(section, memoryBytes);
  }
  if (!seen.has(SECTION.export)) throw new Unfit(EXPORTS_NEEDED);
}

const EXPORTS_NEEDED = 'has to export the memory "memory" and the function "run", without parameters and with an i32';

const CHECKS: Record<number, (section: Reader, memoryBytes: number) => void> = {
  [SECTION.type]: (section) =>
    section.each(() => {
      if (section.byte() !== FUNCTION_TYPE)
        throw new Unfit('declares types that are garbage-collected; build it without the GC proposal');
      checkValueTypes(section);
      checkValueTypes(section);
    }),
  [SECTION.import]: (section) =>
    section.each(() => {
      const name = `${section.name()}.${section.name()}`;
      const isKnown = section.byte() === KIND.function && ABI_FUNCTIONS.some((one) => name === `svc.${one}`);
      if (!isKnown)
        throw new Unfit(`imports ${name.slice(0, 100)}; it may import the functions ${ABI_NAMES}, and nothing else`);
      section.u32();
    }),
  [SECTION.table]: (section) => {
    let entries = 0;
    section.each(() => {
      if (!TABLE_TYPES.has(section.byte()))
        throw new Unfit('has a table of other references than funcref or externref');
      entries += maximumOf(section, 'a table');
    });
    if (entries > MAX_TABLE_ENTRIES)
      throw new Unfit(`has tables of ${entries} entries; ${MAX_TABLE_ENTRIES} is the most of all together`);
  },
  [SECTION.memory]: (section, memoryBytes) => {
    let memories = 0;
    section.each(() => {
      memories += 1;
      const pages = maximumOf(section, 'its memory');
      const most = Math.floor(memoryBytes / PAGE_BYTES);
      if (pages > most)
        throw new Unfit(`may grow its memory to ${pages} pages; ${most} pages of 64 KiB are the most here`);
    });
    if (memories !== 1) throw new Unfit(`declares ${memories} memories; one is needed`);
  },
  [SECTION.export]: (section) => {
    const exported = new Set<string>();
    section.each(() => {
      const name = section.name();
      exported.add(`${section.byte()} ${name}`);
      section.u32();
    });
    const isWhole = exported.has(`${KIND.memory} memory`) && exported.has(`${KIND.function} run`);
    if (!isWhole) throw new Unfit(EXPORTS_NEEDED);
  },
  [SECTION.tag]: () => {
    throw new Unfit('declares exceptions; build it without the exception handling proposal');
  },
};

const ABI_NAMES = ABI_FUNCTIONS.map((name) => `svc.${name}`).join(', ');

function checkValueTypes(section: Reader): void {
  section.each(() => {
    if (!VALUE_TYPES.has(section.byte())) throw new Unfit('has functions of other types than numbers and references');
  });
}

function maximumOf(section: Reader, what: string): number {
  const flags = section.byte();
  if (flags === 0)
    throw new Unfit(`declares no maximum of ${what}; declare one (\`(memory 1 16)\`, wasm-ld --max-memory)`);
  if (flags !== HAS_MAXIMUM) throw new Unfit(`has ${what} that is shared, or of 64 bits; neither is taken`);
  section.u32();
  return section.u32();
}

/** Reads what sections are made of. @throws Unfit past the end */
class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    if (this.isAtEnd) throw new Unfit('ends within a section');
    return this.bytes[this.at++]!;
  }

  /** LEB128, of at most 5 bytes. */
  u32(): number {
    let value = 0;
    for (let place = 0; place < 5; place++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw new Unfit('has a number that is too long');
  }

  name(): string {
    return Buffer.from(this.slice(this.u32())).toString('utf8');
  }

  part(length: number): Reader {
    return new Reader(this.slice(length));
  }

  each(read: () => void): void {
    for (let left = this.u32(); left > 0; left--) read();
  }

  private slice(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length) throw new Unfit('ends within a section');
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }
}
