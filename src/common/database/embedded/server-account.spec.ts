import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canEnter, findAccount } from './server-account.js';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
postgresql-exporter:x:99:99::/:/bin/false
postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash
`;

it('finds an account by its whole name, and never root', () => {
  expect(findAccount(PASSWD, 'postgres')).toEqual({ uid: 101, gid: 104 });
  expect(findAccount(PASSWD, 'nobody')).toBeUndefined();
  expect(findAccount(PASSWD, 'root')).toBeUndefined();
});

it('sees that one closed directory closes all below it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-account-'));
  const deep = join(folder, 'a', 'b');
  mkdirSync(deep, { recursive: true });
  const owner = { uid: process.getuid!(), gid: process.getgid!() };
  const other = { uid: 64_321, gid: 64_321 };
  const entry = (mode: number): boolean[] => {
    chmodSync(folder, mode);
    return [owner, { ...other, gid: owner.gid }, other].map((account) => canEnter(deep, account));
  };
  try {
    expect(entry(0o700)).toEqual([true, false, false]);
    expect(entry(0o710)).toEqual([true, true, false]);
    expect(entry(0o711)).toEqual([true, true, true]);
    expect(entry(0o611)).toEqual([false, true, true]);
  } finally {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  }
});
