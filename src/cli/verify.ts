import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { BundleTooBig, BundleUnreadable, type BundleLimits } from '../evidence/export/bundle-limits.js';
import { verifyBundle } from '../evidence/export/verify-bundle.js';
import { parseTrustedKeys } from '../evidence/trusted-keys.js';
import type { Check, TrustedKey, Verdict } from '../evidence/verify-pack.js';
import { print, type OutputOptions } from './output.js';

interface Options extends OutputOptions {
  key?: string;
  acceptDev?: boolean;
}

/** A file of one's own may be large; still no archive fills the memory. */
const LIMITS: BundleLimits = { bytes: 1024 ** 3, ratio: 1000, ratioFloor: 64 * 1024 ** 2, entries: 64 };

/**
 * `svc verify FILE [--key FILE] [--accept-dev] [--json]`: checks an export or a proof pack offline. No server, no
 * database, no settings.
 */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check exported evidence offline; exit code 0 when all checks hold, 1 when not')
    .argument(
      '<file>',
      'an export (json, cbor or zip) of GET /v1/replay/exports/..., or a proof pack of GET /v1/proof/receipts/:receiptId/proofpack',
    )
    .option('--key <file>', 'trust only these keys: JWKS, JWK, PEM or note verifier key')
    .option('--accept-dev', 'let an export pass that was made under a development mode; it proves nothing of who acted')
    .option('--json', 'print {"ok","checks":[{"name","ok","detail"}]}')
    .action(async (file: string, options: Options) => {
      const verdict = await verifyFile(file, options);
      print(options, verdict, () => describe(verdict));
      process.exitCode = verdict.ok ? 0 : 1;
    });
}

/** A file that cannot be read is a failed check, so that every run ends in a verdict. */
async function verifyFile(file: string, { key, acceptDev }: Options): Promise<Verdict> {
  let trusted: TrustedKey[] | undefined;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return refusal('read', `cannot read ${file}: ${reason(error)}`);
  }
  try {
    trusted = key === undefined ? undefined : parseTrustedKeys(await readFile(key, 'utf8'));
  } catch (error) {
    return refusal('trusted-keys', `cannot use the key file ${key ?? ''}: ${reason(error)}`);
  }
  try {
    const { ok, checks } = await verifyBundle(bytes, LIMITS, { trusted, development: acceptDev });
    return { ok, checks };
  } catch (error) {
    if (error instanceof BundleUnreadable || error instanceof BundleTooBig) return refusal('format', error.message);
    throw error;
  }
}

function refusal(name: string, detail: string): Verdict {
  return { ok: false, checks: [{ name, ok: false, detail }] };
}

function describe(verdict: Verdict): string[] {
  const width = Math.max(...verdict.checks.map((check) => check.name.length));
  const line = (check: Check): string => `${check.ok ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(width)}  ${check.detail}`;
  const first = verdict.checks.find((check) => !check.ok);
  const end = first === undefined ? 'verified' : `NOT verified: ${first.name}: ${first.detail}`;
  return [...verdict.checks.map(line), end];
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
