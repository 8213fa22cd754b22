import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { BundleTooBig, BundleUnreadable, type BundleLimits } from '../evidence/export/bundle-limits.js';
import { verifyBundle } from '../evidence/export/verify-bundle.js';
import { type Checkpoint, parseCheckpoint } from '../evidence/checkpoint.js';
import { parseWitnessKey } from '../evidence/cosignature.js';
import type { FreshnessDemand } from '../evidence/freshness.js';
import { parseCertificates } from '../evidence/certificate-path.js';
import { type AnyTrustedKey, parseTrustedKeys } from '../evidence/trusted-keys.js';
import type { VerificationCheck } from '../evidence/verification-check.js';
import type { Verdict } from '../evidence/verify-pack.js';
import { print, type OutputOptions, type Line } from './output.js';

interface Options extends OutputOptions {
  key?: string;
  acceptDev?: boolean;
  checkpoint?: string;
  origin?: string;
  witness?: string[];
  tsaCa?: string;
}

/** The exit code when the file is whole, and anyone may have made it. */
const UNKNOWN_ISSUER = 3;
const WHOLE =
  'whole, but by an UNKNOWN ISSUER: anyone can make such a file. Pin the first key of the server: there "svc key pin > svc.pin", here "svc verify FILE --key svc.pin"';

/** A file of one's own may be large; still no archive fills the memory. */
const LIMITS: BundleLimits = { bytes: 1024 ** 3, ratio: 1000, ratioFloor: 64 * 1024 ** 2, entries: 64 };

/**
 * `svc verify FILE [--key FILE] [--checkpoint FILE] [--origin NAME] [--witness KEY] [--tsa-ca FILE] [--accept-dev]
 * [--json]`: checks an export or a proof pack offline. No server, no database, no settings.
 */
export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'check exported evidence offline; exit code 0 when all checks hold, 1 when not, 3 when they hold and nobody said whose key to trust',
    )
    .argument(
      '<file>',
      'an export (json, cbor or zip) of GET /v1/replay/exports/..., or a proof pack of GET /v1/proof/receipts/:receiptId/proofpack',
    )
    .option('--key <file>', 'trust only these keys: what "svc key pin" prints, or JWKS, JWK, PEM')
    .option('--accept-dev', 'let an export pass that was made under a development mode; it proves nothing of who acted')
    .option('--checkpoint <file>', "a checkpoint of the log kept from before: the file's must be it, or extend it")
    .option('--origin <name>', 'the name that the log must have, with or without its epoch')
    .option('--witness <key...>', 'verifier keys of witnesses (cosignature/v1) that must have signed the checkpoint')
    .option(
      '--tsa-ca <file>',
      'PEM certificates of time-stamping authorities: the file must have a timestamp, and one of them must lead to each',
    )
    .option('--json', 'print {"ok","issuer","checks":[{"name","ok","detail"}]}; issuer is pinned or unknown')
    .action(async (file: string, options: Options) => {
      const verdict = await verifyFile(file, options);
      const isPinned = options.key !== undefined && verdict.checks.some(({ name, ok }) => name === 'keys' && ok);
      const { ok, checks } = verdict;
      print(options, { ok, issuer: isPinned ? 'pinned' : 'unknown', checks }, () => describe(verdict, isPinned));
      process.exitCode = !ok ? 1 : isPinned ? 0 : UNKNOWN_ISSUER;
    });
}

/** A file that cannot be read is a failed check, so that every run ends in a verdict. */
async function verifyFile(file: string, options: Options): Promise<Verdict> {
  const { key, acceptDev, tsaCa } = options;
  let freshness: FreshnessDemand | undefined;
  let authorities: X509Certificate[] | undefined;
  let trusted: AnyTrustedKey[] | undefined;
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
    authorities = tsaCa === undefined ? undefined : parseCertificates(await readFile(tsaCa, 'utf8'));
  } catch (error) {
    return refusal('timestamps', `cannot use the certificates ${tsaCa ?? ''}: ${reason(error)}`);
  }
  try {
    freshness = await readDemand(options);
  } catch (error) {
    return refusal('freshness', reason(error));
  }
  try {
    const acceptance = { trusted, development: acceptDev, authorities, freshness };
    const { ok, checks } = await verifyBundle(bytes, LIMITS, acceptance);
    return { ok, checks };
  } catch (error) {
    if (error instanceof BundleUnreadable || error instanceof BundleTooBig) return refusal('format', error.message);
    throw error;
  }
}

/** undefined when nothing is asked of the log. */
async function readDemand({ checkpoint, origin, witness }: Options): Promise<FreshnessDemand | undefined> {
  if (checkpoint === undefined && origin === undefined && witness === undefined) return undefined;
  return {
    checkpoint: checkpoint === undefined ? undefined : await readCheckpoint(checkpoint),
    origin,
    witnesses: witness?.map(parseWitnessKey),
  };
}

async function readCheckpoint(file: string): Promise<Checkpoint> {
  try {
    return parseCheckpoint(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`cannot use the checkpoint ${file}: ${reason(error)}`, { cause: error });
  }
}

function refusal(name: string, detail: string): Verdict {
  return { ok: false, checks: [{ name, ok: false, detail }] };
}

function describe(verdict: Verdict, isPinned: boolean): Line[] {
  const width = Math.max(...verdict.checks.map((check) => check.name.length));
  const line = (check: VerificationCheck): Line => {
    const text = `${check.ok ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(width)}  ${check.detail}`;
    return check.ok ? text : { text, style: 'red' };
  };
  const first = verdict.checks.find((check) => !check.ok);
  const end = first === undefined ? (isPinned ? 'verified' : WHOLE) : `NOT verified: ${first.name}: ${first.detail}`;
  return [...verdict.checks.map(line), { text: end, style: first ? 'red' : isPinned ? 'green' : 'yellow' }];
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
