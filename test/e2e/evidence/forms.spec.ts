import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyForm } from '../../../src/evidence/forms/verify-form.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { ES256_VECTOR, formVectors } from './form-vectors.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const FOLDER = join(VECTORS, 'forms');
const { jwk, es256_jwk } = JSON.parse(readFileSync(join(VECTORS, 'keys.json'), 'utf8')) as Record<string, object>;
const trusted = parseTrustedKeys(JSON.stringify({ keys: [jwk, es256_jwk] }));
const vectors = formVectors();

describe('the vectors of docs/formats/standard-forms.md', () => {
  it('are these files and no others', () => {
    if (process.env.SVC_WRITE_VECTORS === '1') {
      mkdirSync(FOLDER, { recursive: true });
      for (const [name, bytes] of Object.entries(vectors)) writeFileSync(join(FOLDER, name), bytes);
    }
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(vectors).sort());
  });

  it.each(Object.keys(vectors))('%s is what the product makes, and verifies', (name) => {
    const file = readFileSync(join(FOLDER, name));
    const end = name === ES256_VECTOR ? -64 : undefined;
    expect(Buffer.compare(file.subarray(0, end), vectors[name]!.subarray(0, end))).toBe(0);
    const parsed: unknown = name.endsWith('.json') ? JSON.parse(file.toString()) : undefined;
    expect(verifyForm(file, trusted, parsed)).toMatchObject({ ok: true });
  });
});
