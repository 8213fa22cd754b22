import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { parseTrustedKeys } from '../common/evidence/trusted-keys.js';
import { type Check, type TrustedKey, type Verdict, verifyPack } from '../common/evidence/verify-pack.js';

/** `svc verify FILE [--key FILE] [--json]`: checks a proof pack offline. No server, no database, no settings. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check exported evidence offline; exit code 0 when all checks hold, 1 when not')
    .argument('<file>', 'proof pack, as GET /v1/proof/receipts/:receiptId/proofpack returns it')
    .option('--key <file>', 'trust only these keys: JWKS, JWK, PEM or note verifier key')
    .option('--json', 'print {"ok","checks":[{"name","ok","detail"}]}')
    .action(async (file: string, options: { key?: string; json?: boolean }) => {
      const verdict = await verifyFile(file, options.key);
      process.stdout.write(options.json === true ? `${JSON.stringify(verdict)}\n` : describe(verdict));
      process.exitCode = verdict.ok ? 0 : 1;
    });
}

/** A file that cannot be read is a failed check, so that every run ends in a verdict. */
async function verifyFile(file: string, keyFile: string | undefined): Promise<Verdict> {
  let trusted: TrustedKey[] | undefined;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return refusal('read', `cannot read ${file}: ${reason(error)}`);
  }
  try {
    trusted = keyFile === undefined ? undefined : parseTrustedKeys(await readFile(keyFile, 'utf8'));
  } catch (error) {
    return refusal('trusted-keys', `cannot use the key file ${keyFile ?? ''}: ${reason(error)}`);
  }
  return verifyPack(bytes, trusted);
}

function refusal(name: string, detail: string): Verdict {
  return { ok: false, checks: [{ name, ok: false, detail }] };
}

function describe(verdict: Verdict): string {
  const width = Math.max(...verdict.checks.map((check) => check.name.length));
  const line = (check: Check): string =>
    `${check.ok ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(width)}  ${check.detail}\n`;
  const first = verdict.checks.find((check) => !check.ok);
  const end = first === undefined ? 'verified\n' : `NOT verified: ${first.name}: ${first.detail}\n`;
  return verdict.checks.map(line).join('') + end;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
