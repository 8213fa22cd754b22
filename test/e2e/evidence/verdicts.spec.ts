import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BundleUnreadable } from '../../../src/evidence/export/bundle-limits.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { parseWitnessKey } from '../../../src/evidence/cosignature.js';
import type { FreshnessDemand } from '../../../src/evidence/freshness.js';
import { parseCertificates } from '../../../src/evidence/certificate-path.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { type Demand, verdictCases } from './verdict-vectors.js';

const FILE = join(import.meta.dirname, '../../../docs/formats/vectors/verdicts.json');
const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

type Judge = (file: Uint8Array, trusted: undefined, demand?: Demand) => { ok: boolean; failed: string | null };
/** Plain JavaScript without types, by path: the independent programs are no part of the build. */
const program = async (name: string): Promise<Judge> =>
  ((await import(/* @vite-ignore */ join(import.meta.dirname, name))) as { judge: Judge }).judge;
const independent = {
  pack: await program('independent-verifier.mjs'),
  export: await program('independent-export.mjs'),
};

const demandOf = ({ checkpoint, origin, witnesses }: Demand): FreshnessDemand => ({
  checkpoint: checkpoint === undefined ? undefined : parseCheckpoint(checkpoint),
  origin,
  witnesses: witnesses?.map(parseWitnessKey),
});

/** What `svc verify` says: a file that cannot be read is a failed `format`. */
async function product(file: Uint8Array, demand?: Demand): Promise<{ ok: boolean; failed: string | null }> {
  try {
    const { ok, checks } = await verifyBundle(file, LIMITS, {
      authorities: demand?.authorities?.flatMap(parseCertificates),
      freshness: demand && demandOf(demand),
    });
    return { ok, failed: checks.find((check) => !check.ok)?.name ?? null };
  } catch (error) {
    if (error instanceof BundleUnreadable) return { ok: false, failed: 'format' };
    throw error;
  }
}

const made = verdictCases();

describe('the verdicts of docs/formats/vectors', () => {
  it('are those of the files made again (vitest -u writes them)', async () => {
    const cases = made.map(({ file, ...about }) => ({ ...about, file: Buffer.from(file).toString('base64') }));
    await expect(`${JSON.stringify({ cases }, null, 2)}\n`).toMatchFileSnapshot(FILE);
  });

  it.each(made.map((one) => [`${one.kind} ${one.name}`, one] as const))(
    '%s',
    async (_, { kind, file, ok, failed, demand }) => {
      expect([await product(file, demand), independent[kind](file, undefined, demand)]).toMatchObject([
        { ok, failed },
        { ok, failed },
      ]);
    },
  );

  it('have each name once', () => {
    const { cases } = JSON.parse(readFileSync(FILE, 'utf8')) as { cases: { kind: string; name: string }[] };
    expect(new Set(cases.map(({ kind, name }) => `${kind} ${name}`)).size).toBe(cases.length);
  });
});
