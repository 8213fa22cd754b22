import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from './whole-file.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-whole-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('writeWhole', () => {
  it('gives the name to the first of two runs that ends, and leaves nothing of the other', async () => {
    const file = join(folder, 'out');
    const [gate, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = writeWhole(file, async (made) => {
      await made.writeFile('late');
      open.resolve();
      await gate.promise;
    });
    await open.promise;
    await writeWhole(file, (made) => made.writeFile('first'));
    gate.resolve();
    await expect(late).rejects.toThrow(`${file} exists; choose another name`);
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['first', ['out']]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing where the work fails, and rejects a name that is taken or has no folder', async () => {
    const file = join(folder, 'out');
    await expect(writeWhole(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(file, 'theirs');
    await expect(writeWhole(file, (made) => made.writeFile('x'))).rejects.toThrow('exists');
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    await expect(writeWhole(join(folder, 'none', 'out'), (made) => made.writeFile('x'))).rejects.toThrow('no folder');
  });
});
