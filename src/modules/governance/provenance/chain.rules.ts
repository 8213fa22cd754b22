import type { X509Certificate } from 'node:crypto';
import {
  extensionsOf,
  faultsOf,
  findPath,
  isIssued,
  isSignedBy,
  MAX_PATH,
  nameOf,
  oneLine,
  parseCertificates,
  type PathFault,
  readCertificate,
} from '../../../evidence/certificate-path.js';
import { keyFaultOf } from '../../../evidence/forms/provenance-keys.js';

/** What keeps a chain from being relied on, in the words of the API. */
export interface ChainFault {
  readonly code: PathFault['code'] | 'too_weak';
  readonly detail: string;
}

/**
 * Reads certificates in PEM form, in their order.
 * @throws Error that repeats nothing of the text
 */
export function readChain(pem: string): X509Certificate[] {
  if (pem.includes('PRIVATE KEY-----')) throw new Error('holds a private key; send certificates alone');
  let chain: X509Certificate[];
  try {
    chain = parseCertificates(pem).map(({ raw }) => readCertificate(raw));
  } catch {
    throw new Error('holds no certificate in PEM form, or one that cannot be read');
  }
  if (chain.length > MAX_PATH) throw new Error(`holds more than ${MAX_PATH} certificates`);
  return chain;
}

/** Everything that is wrong at a time with a chain as it came: the leaf first, each issued by the next. */
export function chainFaults(chain: readonly X509Certificate[], time: Date): ChainFault[] {
  const [leaf] = chain;
  if (!leaf) return [{ code: 'broken', detail: 'there is no certificate' }];
  return [...linkFaults(chain), ...weakFaults(chain), ...usageFaults(leaf), ...faultsOf(chain, time)];
}

function linkFaults(chain: readonly X509Certificate[]): ChainFault[] {
  const last = chain[chain.length - 1]!;
  const links = chain.slice(0, -1).map((child, n) => [child, chain[n + 1]!] as const);
  const broken = links.filter(([child, parent]) => !isIssued(child, parent));
  const isOwnIssuer = last.subject === last.issuer;
  return [
    ...broken.map(([child, parent]) => ({
      code: 'broken' as const,
      detail: `the certificate of ${nameOf(child)} is not issued by the next one, of ${nameOf(parent)}`,
    })),
    ...(isOwnIssuer && !isSignedBy(last, last)
      ? [{ code: 'broken' as const, detail: `the certificate of ${nameOf(last)} is not signed by its own key` }]
      : []),
  ];
}

function weakFaults(chain: readonly X509Certificate[]): ChainFault[] {
  return chain.flatMap((one) => {
    const { algorithmId } = extensionsOf(one).signatureAlgorithm;
    const isRoot = one.subject === one.issuer;
    const hash = isRoot ? undefined : WEAK_SIGNATURES[algorithmId];
    return [
      ...(keyFaultOf(one.publicKey) === 'too_weak' ? [weak(`the key of ${nameOf(one)} is too short`)] : []),
      ...(hash === undefined ? [] : [weak(`the certificate of ${nameOf(one)} is signed over ${hash}`)]),
    ];
  });
}

const weak = (detail: string): ChainFault => ({ code: 'too_weak', detail });
const WEAK_SIGNATURES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.4': 'MD5',
  '1.2.840.113549.1.1.5': 'SHA-1',
  '1.2.840.10045.4.1': 'SHA-1',
};

/** Where a certificate says what its key is for, signatures must be among it (RFC 5280, 4.2.1.3). */
function usageFaults(leaf: X509Certificate): ChainFault[] {
  const { extensions = [] } = extensionsOf(leaf);
  const usage: unknown = extensions.find(({ extnID }) => extnID === KEY_USAGE)?.parsedValue;
  if (!(usage instanceof Object) || !('valueBlock' in usage)) return [];
  const { valueHexView } = (usage as { valueBlock: { valueHexView: Uint8Array } }).valueBlock;
  if (((valueHexView[0] ?? 0) & DIGITAL_SIGNATURE) !== 0) return [];
  return [{ code: 'unfit', detail: `the key of ${nameOf(leaf)} is not for signatures (keyUsage)` }];
}
const KEY_USAGE = '2.5.29.15';
const DIGITAL_SIGNATURE = 0x80;

/** Whether the chain leads to one of the roots, and nothing is wrong on the way at that time. */
export function isTrusted(chain: readonly X509Certificate[], roots: readonly X509Certificate[], time: Date): boolean {
  const [leaf, ...others] = chain;
  const path = leaf && findPath(leaf, others, roots);
  return path !== undefined && faultsOf(path, time).length === 0 && weakFaults(path).length === 0;
}

/** What a certificate says of itself. */
export const describeLeaf = (leaf: X509Certificate) => ({
  subject: nameOf(leaf),
  issuer: oneLine(leaf.issuer),
  not_before: leaf.validFromDate.toISOString(),
  not_after: leaf.validToDate.toISOString(),
});
