import { describe, expect, it } from 'vitest';
import { verifyBundle } from '../src/evidence/export/verify-bundle.js';
import { parseTrustedKeys } from '../src/evidence/trusted-keys.js';
import { datasetDigest, outputsRoot, signReport } from './memory-statement.js';

const LIMITS = { bytes: 1e8, ratio: 1000, ratioFloor: 1e8, entries: 10 };

describe('the report', () => {
  it('verifies with its key, and not with another, nor once a figure is changed', async () => {
    const { file, jwk } = await signReport({ recall: '0.5' });
    const trusted = parseTrustedKeys(JSON.stringify(jwk));
    expect(await verifyBundle(file, LIMITS, { trusted })).toMatchObject({ ok: true });
    const other = parseTrustedKeys(JSON.stringify((await signReport({})).jwk));
    expect((await verifyBundle(file, LIMITS, { trusted: other })).ok).toBe(false);
    const forged = Buffer.from(Buffer.from(file).toString('utf8').replace('"0.5"', '"0.9"'));
    expect((await verifyBundle(forged, LIMITS, { trusted })).ok).toBe(false);
  });

  it('binds each output in its place, and each file by its name', () => {
    expect(outputsRoot([{ a: 1 }, { b: 2 }])).not.toBe(outputsRoot([{ b: 2 }, { a: 1 }]));
    const bytes = Buffer.from('x');
    expect(datasetDigest([{ name: 'a', bytes }])).not.toBe(datasetDigest([{ name: 'b', bytes }]));
  });
});
