import { describe, expect, it } from 'vitest';
import { contentDigestOf, ERASED, findBreak, linkOf, NO_PREVIOUS } from './command-chain.rules.js';
import { CommandRow } from './command.entity.js';

/** Newest first. */
function chainOf(length: number): CommandRow[] {
  const rows: CommandRow[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const row = Object.assign(new CommandRow(), {
      ...{ tenantId: 'acme', seq, commandId: `c-${seq}`, principal: 'passport:ada', command: `make ${seq}`, cwd: null },
      ...{ sessionId: null, exitCode: 0, startedAt: null, endedAt: null, outputDigest: null, salt: '00'.repeat(16) },
      ...{ previous: rows[0]?.digest ?? NO_PREVIOUS, recordedAt: new Date(seq) },
    });
    row.contentDigest = contentDigestOf(row.salt, row);
    row.digest = linkOf('acme', row);
    rows.unshift(row);
  }
  return rows;
}

describe('the chain of commands', () => {
  it('holds as it was made, also a part of it, and where content was erased', () => {
    const rows = chainOf(4);
    Object.assign(rows[1]!, { command: ERASED, salt: ERASED });
    expect(findBreak('acme', rows)).toBeUndefined();
    expect(findBreak('acme', rows.slice(1, 3))).toBeUndefined();
    expect(findBreak('acme', [])).toBeUndefined();
  });

  it.each<[string, (rows: CommandRow[]) => void, number]>([
    ['another command', (rows) => Object.assign(rows[2]!, { command: 'rm -rf /' }), 2],
    ['another exit code', (rows) => Object.assign(rows[2]!, { exitCode: 1 }), 2],
    ['another principal', (rows) => Object.assign(rows[1]!, { principal: 'passport:eve' }), 3],
    ['one that is missing', (rows) => rows.splice(1, 1), 4],
    ['two that changed places', (rows) => rows.splice(1, 2, rows[2]!, rows[1]!), 4],
    ['a first that is none', (rows) => Object.assign(rows[3]!, { seq: 2 }), 2],
  ])('shows %s', (_, change, seq) => {
    const rows = chainOf(4);
    change(rows);
    expect(findBreak('acme', rows)?.seq).toBe(seq);
  });

  it('is that of one tenant', () => {
    expect(findBreak('other', chainOf(1))?.seq).toBe(1);
  });
});
