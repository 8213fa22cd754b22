import { X509Certificate } from 'node:crypto';
import * as pki from 'pkijs';

/** Why a certificate, or a path of them, cannot be relied on. */
export interface PathFault {
  readonly code: 'broken' | 'expired' | 'not_yet_valid' | 'unfit';
  /** Names the certificate by its subject. */
  readonly detail: string;
}

/** The longest path that is followed. */
export const MAX_PATH = 8;

/** Certificates in PEM form. @throws Error where there is none, or one cannot be read */
export function parseCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('no certificate in PEM form is in it');
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * A certificate of which everything that is looked at later can be read. Node.js reads some parts only when they are
 * asked for.
 * @throws Error for anything else, and for what is not DER
 */
export function readCertificate(der: Uint8Array): X509Certificate {
  let found: X509Certificate;
  try {
    found = new X509Certificate(der);
    extensionsOf(found);
    if (found.publicKey.asymmetricKeyType === undefined) throw new Error('its key is of no known kind');
  } catch (error) {
    throw new Error('it is no certificate that can be read', { cause: error });
  }
  if (Number.isNaN(found.validFromDate.getTime()) || Number.isNaN(found.validToDate.getTime()))
    throw new Error('it is a certificate without a time of validity');
  if (!found.raw.equals(der)) throw new Error('it is a certificate that is not in DER');
  return found;
}

/**
 * The certificates from a leaf to one of the anchors.
 * @param others that may stand between; in any order
 * @returns undefined where there is no such path; {@link faultsOf} says whether it can be relied on
 */
export function findPath(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): X509Certificate[] | undefined {
  const path = [leaf];
  for (let last = leaf; ;) {
    if (anchors.some((anchor) => anchor.raw.equals(last.raw))) return path;
    const anchor = anchors.find((one) => isIssued(last, one));
    if (anchor) return [...path, anchor];
    const next = others.find((one) => !path.includes(one) && isIssued(last, one));
    if (!next || path.length > MAX_PATH) return undefined;
    path.push((last = next));
  }
}

/** checkIssued compares names and key usage alone. */
export const isIssued = (child: X509Certificate, parent: X509Certificate): boolean =>
  parent.ca && child.checkIssued(parent) && isSignedBy(child, parent);

/** Signatures and keys that cannot be read throw. */
export function isSignedBy(child: X509Certificate, parent: X509Certificate): boolean {
  try {
    return child.verify(parent.publicKey);
  } catch {
    return false;
  }
}

/** What is wrong at a time with a path from the leaf upwards, of which each is issued by the next. */
export function faultsOf(path: readonly X509Certificate[], time: Date): PathFault[] {
  return path.flatMap((one, n) => {
    const { extensions = [] } = extensionsOf(one);
    const basic: unknown = extensions.find(
      ({ parsedValue }) => parsedValue instanceof pki.BasicConstraints,
    )?.parsedValue;
    const most = basic instanceof pki.BasicConstraints ? basic.pathLenConstraint : undefined;
    const isTooLong = n > 0 && most !== undefined && n - 1 > Number(typeof most === 'number' ? most : most.toString());
    const isUnknown = extensions.some(({ critical, extnID }) => critical && !KNOWN_EXTENSIONS.has(extnID));
    return [
      ...[validityFault(one, time)].filter((fault) => fault !== undefined),
      ...(isUnknown
        ? [unfit(`the certificate of ${nameOf(one)} has a critical extension that is not known here`)]
        : []),
      ...(isTooLong ? [unfit(`the chain is longer than ${nameOf(one)} allows`)] : []),
    ];
  });
}

const unfit = (detail: string): PathFault => ({ code: 'unfit', detail });

/** The extensions of a certificate, read. */
export const extensionsOf = ({ raw }: X509Certificate): pki.Certificate =>
  pki.Certificate.fromBER(Uint8Array.from(raw).buffer);

/** keyUsage, subjectAltName, basicConstraints, certificatePolicies, extendedKeyUsage. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set(['15', '17', '19', '32', '37'].map((last) => `2.5.29.${last}`));

/** Why a certificate does not hold at a time; both ends of its validity are in it (RFC 5280, 4.1.2.5). */
export function validityFault(one: X509Certificate, time: Date): PathFault | undefined {
  if (time >= one.validFromDate && time <= one.validToDate) return undefined;
  return {
    code: time > one.validToDate ? 'expired' : 'not_yet_valid',
    detail: `the certificate of ${nameOf(one)} was not valid at ${time.toISOString()}`,
  };
}

/** Of others: no control characters, and no more than one line has. */
export const printable = (text: string): string => text.replace(/[^\x20-\x7e\u00a1-\uffff]+/g, ' ').slice(0, 200);

/** The subject of a certificate in one line. Anyone can write it: only a path says whose it is. */
export const nameOf = ({ subject }: X509Certificate): string => oneLine(subject);

/** A distinguished name as Node.js gives it, in one line. */
export const oneLine = (name: string | undefined): string => printable((name ?? '').split('\n').join(', '));
