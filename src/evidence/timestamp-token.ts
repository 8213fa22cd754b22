import { createHash, verify as verifySignature, X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { faultsOf, findPath, nameOf, printable, validityFault } from './certificate-path.js';

/** What a token of RFC 3161 says, once its signature was found to hold. */
export interface OpenToken {
  /** When its authority saw the digest. */
  readonly time: Date;
  /** SHA-256 of what was stamped. */
  readonly imprint: Uint8Array;
  /** The subject of the certificate that signed, in one line. Anyone can write it: only a chain says whose it is. */
  readonly authority: string;
  readonly policy: string;
  /** Hexadecimal digits; undefined where it has none. */
  readonly nonce: string | undefined;
  readonly signer: X509Certificate;
  /** All certificates in the token. */
  readonly certificates: readonly X509Certificate[];
}

const OID = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;
const SHA256 = '2.16.840.1.101.3.4.2.1';
const HASHES: Readonly<Record<string, string>> = {
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** RSA (PKCS #1 v1.5) and ECDSA, by the type of the key that they take. */
const SIGNATURES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.113549.1.1.11': 'rsa',
  '1.2.840.113549.1.1.12': 'rsa',
  '1.2.840.113549.1.1.13': 'rsa',
  '1.2.840.10045.4.3.2': 'ec',
  '1.2.840.10045.4.3.3': 'ec',
  '1.2.840.10045.4.3.4': 'ec',
};

/** A request of RFC 3161 for a token over a SHA-256 digest, with the certificate of the signer in it. */
export function timestampRequest(imprint: Uint8Array, nonce: Uint8Array, policy?: string): Uint8Array {
  const messageImprint = new pki.MessageImprint({
    hashAlgorithm: new pki.AlgorithmIdentifier({ algorithmId: SHA256, algorithmParams: new asn1.Null() }),
    hashedMessage: new asn1.OctetString({ valueHex: Uint8Array.from(imprint).buffer }),
  });
  const request = new pki.TimeStampReq({
    version: 1,
    messageImprint,
    certReq: true,
    nonce: new asn1.Integer({ valueHex: Uint8Array.from(nonce).buffer }),
    ...(policy === undefined ? {} : { reqPolicy: policy }),
  });
  return new Uint8Array(request.toSchema().toBER());
}

/** @returns the token of an answer. @throws Error where the authority did not give one */
export function tokenOfReply(reply: Uint8Array): Uint8Array {
  const { status, timeStampToken } = reading('the answer is no TimeStampResp', () =>
    pki.TimeStampResp.fromBER(Uint8Array.from(reply).buffer),
  );
  if (Number(status.status) > 1 || !timeStampToken) {
    const words = (status.statusStrings ?? []).map(({ valueBlock }) => valueBlock.value).join(' ');
    throw new Error(`it refused, status ${status.status} ${printable(words)}`.trimEnd());
  }
  return new Uint8Array(timeStampToken.toSchema().toBER());
}

/**
 * Reads a TimeStampToken and checks all of it but whose the certificate is: the signature over what it says, that the
 * certificate is named in it, is for time stamping alone, and was valid then.
 * @throws Error
 */
export function openToken(token: Uint8Array): OpenToken {
  return reading('the token cannot be read', () => {
    const data = signedDataOf(token);
    const content = contentOf(data);
    const info = pki.TSTInfo.fromBER(Uint8Array.from(content).buffer);
    const certificates = certificatesOf(data);
    const signer = checkSigner(data, content, certificates);
    const { genTime: time, messageImprint, nonce, policy } = info;
    if (messageImprint.hashAlgorithm.algorithmId !== SHA256) throw new Error('its imprint is not by SHA-256');
    const imprint = bytesOf(messageImprint.hashedMessage);
    if (imprint.length !== 32) throw new Error('its imprint has not 32 bytes');
    const fault = validityFault(signer.x509, time);
    if (fault) throw new Error(fault.detail);
    return {
      ...{ time, imprint, policy, signer: signer.x509, certificates: certificates.map(({ x509 }) => x509) },
      authority: nameOf(signer.x509),
      nonce: nonce && integerOf(nonce),
    };
  });
}

/**
 * That a chain of certificates leads from the signer of a token to one of these, all valid when it was made.
 * @throws Error
 */
export function expectAuthority({ signer, certificates, time }: OpenToken, anchors: readonly X509Certificate[]): void {
  const path = findPath(signer, certificates, anchors);
  if (!path) throw new Error(`no chain leads from ${nameOf(signer)} to a certificate of the known authorities`);
  const [fault] = faultsOf(path, time);
  if (fault) throw new Error(fault.detail);
}

interface Certified {
  readonly parsed: pki.Certificate;
  readonly x509: X509Certificate;
}

function signedDataOf(token: Uint8Array): pki.SignedData {
  const { offset, result } = asn1.fromBER(Uint8Array.from(token).buffer);
  // X.690, 8.1.3.6: 0x80 begins a length that is found by reading on, which DER has not.
  if (offset !== token.length || token[1] === 0x80) throw new Error('it is not one value in DER');
  const info = new pki.ContentInfo({ schema: result });
  if (info.contentType !== OID.signedData) throw new Error('it is no CMS SignedData');
  return new pki.SignedData({ schema: info.content as asn1.AsnType });
}

function contentOf({ encapContentInfo: { eContentType, eContent } }: pki.SignedData): Uint8Array {
  if (eContentType !== OID.tstInfo || !eContent) throw new Error('what it signs is no TSTInfo');
  return new Uint8Array(eContent.getValue());
}

const certificatesOf = ({ certificates = [] }: pki.SignedData): Certified[] =>
  certificates.flatMap((parsed) =>
    parsed instanceof pki.Certificate
      ? [{ parsed, x509: new X509Certificate(Buffer.from(parsed.toSchema().toBER())) }]
      : [],
  );

/** @returns the certificate of the one signer, under whose key the signature holds */
function checkSigner(data: pki.SignedData, content: Uint8Array, certificates: readonly Certified[]): Certified {
  const [info, ...more] = data.signerInfos;
  if (!info?.signedAttrs || more.length > 0) throw new Error('it has not one signer with signed attributes');
  const hash = HASHES[info.digestAlgorithm.algorithmId];
  if (hash === undefined) throw new Error('its digest is not SHA-256, SHA-384 or SHA-512');
  const attributes = new Map(info.signedAttrs.attributes.map(({ type, values }) => [type, values[0] as asn1.AsnType]));
  const type = attributes.get(OID.contentType);
  if (!(type instanceof asn1.ObjectIdentifier) || type.getValue() !== OID.tstInfo)
    throw new Error('its signature is over something else than a TSTInfo');
  const digest = attributes.get(OID.messageDigest);
  if (!(digest instanceof asn1.OctetString) || !equal(bytesOf(digest), digestOf(hash, content)))
    throw new Error('its signature is over something else than what it says');
  const signer = certificates.find((one) => isNamedIn(attributes, one.x509));
  if (!signer || !isSid(info.sid, signer.parsed)) throw new Error('it does not bring the certificate that it names');
  expectTimeStamping(signer.parsed);
  const key = signer.x509.publicKey;
  if (SIGNATURES[info.signatureAlgorithm.algorithmId] !== key.asymmetricKeyType)
    throw new Error('its signature is neither RSA (PKCS #1 v1.5) nor ECDSA');
  const signed = Buffer.from(info.signedAttrs.encodedValue);
  if (!verifySignature(hash, signed, key, bytesOf(info.signature))) throw new Error('its signature does not hold');
  return signer;
}

/** The first ESSCertID of RFC 2634 or ESSCertIDv2 of RFC 5035: the digest of the signer's certificate. */
function isNamedIn(attributes: ReadonlyMap<string, asn1.AsnType>, { raw }: X509Certificate): boolean {
  const second = attributes.get(OID.signingCertificateV2);
  const [first] = membersOf(membersOf(second ?? attributes.get(OID.signingCertificate))[0]);
  const members = membersOf(first);
  const named = members.find((one): one is asn1.OctetString => one instanceof asn1.OctetString);
  if (!named) return false;
  const [algorithm] = membersOf(members[0]);
  const oid = algorithm instanceof asn1.ObjectIdentifier ? algorithm.getValue() : SHA256;
  const hash = second ? HASHES[oid] : 'sha1';
  return hash !== undefined && equal(bytesOf(named), digestOf(hash, raw));
}

const membersOf = (value: unknown): asn1.AsnType[] => (value instanceof asn1.Sequence ? value.valueBlock.value : []);

const isSid = (sid: unknown, { issuer, serialNumber }: pki.Certificate): boolean =>
  sid instanceof pki.IssuerAndSerialNumber && sid.issuer.isEqual(issuer) && sid.serialNumber.isEqual(serialNumber);

/** RFC 3161, 2.3: the one purpose of the key, and critical. */
function expectTimeStamping({ extensions = [] }: pki.Certificate): void {
  const usage = extensions.find(({ extnID }) => extnID === OID.extendedKeyUsage);
  const purposes = usage?.parsedValue instanceof pki.ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  if (usage?.critical !== true || purposes.join() !== OID.timeStamping)
    throw new Error('the certificate of its signer is not for time stamping alone (extendedKeyUsage, critical)');
}

const digestOf = (hash: string, bytes: Uint8Array): Uint8Array => createHash(hash).update(bytes).digest();
const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const bytesOf = (octets: asn1.OctetString): Uint8Array => new Uint8Array(octets.getValue());
/** Without the zeros before it, which DER writes in front of a high first bit. */
const integerOf = ({ valueBlock }: asn1.Integer): string =>
  Buffer.from(valueBlock.valueHexView)
    .toString('hex')
    .replace(/^(00)+/, '');

/** Errors of the ASN.1 reader are of any kind. */
function reading<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}: ${printable(reason)}`, { cause: error });
  }
}
