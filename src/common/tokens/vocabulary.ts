import { readFileSync } from 'node:fs';
import { SpanTable } from '../../search/span-table.js';
import { builtFile } from '../built-file.js';

/**
 * The tokens of o200k_base, numbered in the order of their ranks; each is found by its bytes, one code unit (Latin-1) a
 * byte. Read from a file of the build: the list as the library has it is a program of 2.4 MB, which takes each thread
 * half a second and 60 MB.
 */
export function readVocabulary(): SpanTable {
  const file = readFileSync(builtFile(import.meta.url, 'o200k_base.bin'));
  const count = file.readUInt32LE(0);
  const bytes = file.toString('latin1', 4 + count);
  const tokens = new SpanTable(count);
  for (let token = 0, start = 0; token < count; token++) {
    const end = start + file[4 + token]!;
    tokens.add(bytes, start, end);
    start = end;
  }
  return tokens;
}
