import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOut } from '../../../src/cli/archive/copy.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
}, 60_000);
afterAll(async () => {
  await client.end();
  await database.drop();
});

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

describe('copyOut', () => {
  it('gives every row as it was, however long its reader keeps it', async () => {
    const rows = 3_000;
    const lengthOf = (row: number): number => 1 + ((row * 7919) % 1_500);
    const copy = `copy (select repeat(md5(i::text), 1 + (i * 7919) % 1500) from generate_series(1, ${rows}) i) to stdout`;
    const kept: Buffer[] = [];
    for await (const chunk of copyOut(client, copy)) kept.push(chunk);
    const wrong = Buffer.concat(kept)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((text, index) => ({ text, row: index + 1 }))
      .filter(({ text, row }) => text !== md5(String(row)).repeat(lengthOf(row)));
    expect(wrong.map(({ row }) => row)).toEqual([]);
  });
});
