import { type BundleVerdict, unreadable } from '../bundle-verdict.js';
import { isRecord } from '../canonical-json.js';
import { PACK_FORMAT, PACK_FORMATS, type ProofPack } from '../pack-format.js';
import { checkFreshness } from '../freshness.js';
import { rootsOf } from '../file-keys.js';
import type { VerificationCheck } from '../verification-check.js';
import { verifyPack } from '../verify-pack.js';
import { type BundleLimits, BundleUnreadable } from './bundle-limits.js';
import {
  decodeExportCbor,
  decodeExportJson,
  EXPORT_FORMAT,
  EXPORT_FORMAT_V1,
  type ExportFile,
} from './export-format.js';
import { expectStrictZip, exportOfFiles, isZip, readZip } from './export-zip.js';
import { isStandardForm, verifyForm } from '../forms/verify-form.js';
import type { Acceptance } from './open-export.js';
import { type AnyTrustedKey, chainKeysOf } from '../trusted-keys.js';
import { isGzip, unwrap, type Wrapper } from './transport.js';
import { verifyExport } from './verify-export.js';

/** With keys of either kind: those on P-256 are for receipts in standard forms alone. */
export interface BundleAcceptance extends Omit<Acceptance, 'trusted'> {
  readonly trusted?: readonly AnyTrustedKey[];
}

/**
 * Verifies what an export route or the route of proof packs has handed out: an archive, JSON or CBOR, the latter two
 * also in one gzip member or one zlib stream. Archives inside are not opened.
 * @throws BundleUnreadable, BundleTooBig
 */
export async function verifyBundle(
  bytes: Uint8Array,
  limits: BundleLimits,
  { trusted, formKeys = trusted, ...rest }: BundleAcceptance = {},
): Promise<BundleVerdict> {
  const acceptance: Acceptance = { ...rest, formKeys, ...(trusted ? { trusted: chainKeysOf(trusted) } : {}) };
  if (isZip(bytes)) {
    const files = await readZip(bytes, limits);
    if (!files.has('manifest.cbor')) throw new BundleUnreadable('the archive holds no manifest.cbor: it is no export');
    return judgeExport(bytes.length, acceptance, async () => {
      await expectStrictZip(bytes);
      return exportOfFiles(files);
    });
  }
  const { content, wrapper } = await unwrap(bytes, limits);
  if (isStandardForm(content)) return naming(wrapper, judgeForm(content, acceptance));
  if (content[0] === 0x7b) return naming(wrapper, await judgeJson(content, acceptance));
  if (content[0] !== undefined && content[0] >> 5 === 5)
    return naming(wrapper, await judgeExport(content.length, acceptance, async () => decodeExportCbor(content)));
  throw new BundleUnreadable(
    isZip(content) || isGzip(content)
      ? 'an archive inside an archive is not opened'
      : 'this is no zip archive, JSON object or CBOR map, plain or compressed by gzip or zlib',
  );
}

/** Says in the first check that a file came compressed, and that this is no part of it. */
function naming(wrapper: Wrapper | null, verdict: BundleVerdict): BundleVerdict {
  const [format, ...rest] = verdict.checks;
  if (wrapper === null || format?.ok !== true) return verdict;
  const detail = `${format.detail}; it came in a ${wrapper} wrapper, which is no part of the evidence`;
  return { ...verdict, checks: [{ ...format, detail }, ...rest] };
}

async function judgeJson(content: Uint8Array, acceptance: Acceptance): Promise<BundleVerdict> {
  const parsed = parse(content);
  if (isStandardForm(content, parsed)) return judgeForm(content, acceptance, parsed);
  const format = isRecord(parsed) ? parsed.format : undefined;
  if (PACK_FORMATS.some((known) => known === format)) return judgePack(content, parsed as ProofPack, acceptance);
  if (format !== EXPORT_FORMAT && format !== EXPORT_FORMAT_V1)
    throw new BundleUnreadable(`its format is neither ${EXPORT_FORMAT} nor ${PACK_FORMAT}`);
  return judgeExport(content.length, acceptance, async () => decodeExportJson(content, parsed));
}

/** No standard form has a place for a timestamp, so one that is asked for is missing. */
function judgeForm(content: Uint8Array, acceptance: Acceptance, parsed?: unknown): BundleVerdict {
  const verdict = verifyForm(content, acceptance.formKeys, parsed, acceptance.freshness);
  if (!acceptance.authorities) return verdict;
  const missing = { name: 'timestamps', ok: false, detail: 'a standard form carries no timestamp: ask for a pack' };
  return { ...verdict, ok: false, checks: [...verdict.checks, missing] };
}

function judgePack(
  content: Uint8Array,
  parsed: ProofPack,
  { trusted, authorities, freshness }: Acceptance,
): BundleVerdict {
  const { checks } = verifyPack(content, trusted, authorities);
  const readable = checks[0]?.ok === true;
  const all = readable && freshness ? [...checks, checkFreshness(parsed, freshness)] : checks;
  return {
    ok: all.every(({ ok }) => ok),
    checks: all,
    format: parsed.format,
    tenantId: readable ? parsed.tenant_id : null,
    subject: readable ? parsed.subject : null,
    kids: readable ? parsed.keys.map(({ kid }) => kid) : [],
    roots: soundKeys(checks) ? rootsOf(parsed) : [],
    isByTrusted: trusted !== undefined && soundKeys(checks),
  };
}

async function judgeExport(
  size: number,
  acceptance: Acceptance,
  read: () => Promise<ExportFile>,
): Promise<BundleVerdict> {
  let file: ExportFile;
  try {
    file = await read();
  } catch (error) {
    return unreadable(EXPORT_FORMAT, error);
  }
  const { checks, subjectId } = verifyExport(file, acceptance);
  const all = [{ name: 'format', ok: true, detail: `${file.format}, ${size} bytes, canonical` }, ...checks];
  if (acceptance.freshness) all.push(checkFreshness(file.log, acceptance.freshness));
  return {
    ok: all.every(({ ok }) => ok),
    checks: all,
    format: file.format,
    tenantId: file.manifest.tenant_id,
    subject: { type: file.manifest.subject, id: subjectId },
    kids: file.manifest.keys.map(({ kid }) => kid),
    roots: soundKeys(checks) ? rootsOf(file.manifest) : [],
    isByTrusted: acceptance.trusted !== undefined && soundKeys(checks),
  };
}

const soundKeys = (checks: readonly VerificationCheck[]): boolean =>
  checks.some(({ name, ok }) => name === 'keys' && ok);

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
  } catch (error) {
    throw new BundleUnreadable(`it is not JSON in UTF-8: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}
