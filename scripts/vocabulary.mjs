// Writes the tokens of o200k_base as src/common/tokens/vocabulary.ts reads them, to each file named. Why:
// docs/decisions/0378. The form: how many tokens (32 bits, little-endian), the length of each in bytes (8 bits), and the
// bytes of all, by rank.
import { isUtf8 } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';

// The library looks for what is valid UTF-8 among the texts alone, and finds no byte order mark there.
const tokens = ranks
  .filter((token) => typeof token === 'string' || !isUtf8(Buffer.from(token)))
  .map((token) => Buffer.from(token));
const count = Buffer.alloc(4);
count.writeUInt32LE(tokens.length);
const file = Buffer.concat([count, Buffer.from(tokens.map(({ length }) => length)), ...tokens]);
for (const path of process.argv.slice(2)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file);
}
