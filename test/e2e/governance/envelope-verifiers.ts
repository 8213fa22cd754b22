import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import type { TestAuthority } from '../../kit/signing-chain.js';

const run = promisify(execFile);
const passes = (...words: string[]): Promise<boolean> =>
  run('openssl', words).then(
    () => true,
    () => false,
  );

/** Whether a verifier takes the bytes of an envelope. */
export type EnvelopeVerifier = (bytes: Uint8Array) => boolean | Promise<boolean>;

const rawOf = (pem: string): string => new X509Certificate(pem).raw.toString('base64');

/** What the npm package @sigstore/verify says, which takes no certificate without a time: that of the test. */
export function sigstoreVerifier({ intermediate, root }: TestAuthority): EnvelopeVerifier {
  const certificates = [intermediate, root].map((pem) => ({ rawBytes: rawOf(pem) }));
  const trusted = TrustedRoot.fromJSON({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [],
    ctlogs: [],
    timestampAuthorities: [],
    certificateAuthorities: [{ certChain: { certificates }, validFor: { start: '2020-01-01T00:00:00Z' } }],
  });
  const verifier = new Verifier(toTrustMaterial(trusted), { tlogThreshold: 0, ctlogThreshold: 0 });
  const now = {
    integratedTime: String(Math.floor(Date.now() / 1000)),
    logId: { keyId: Buffer.of(1) },
    inclusionPromise: {},
  };
  return (bytes) => {
    try {
      const entity = toSignedEntity(bundleFromJSON(JSON.parse(Buffer.from(bytes).toString())));
      verifier.verify({ ...entity, timestamps: [{ $case: 'transparency-log', tlogEntry: now as never }] });
      return true;
    } catch {
      return false;
    }
  };
}

/**
 * The parts of an envelope that docs/provenance.md hands to openssl; undefined where they are not there.
 * @param decode how base64 is read
 */
function partsOf(bytes: Uint8Array, decode: (text: string) => Buffer = decodeExactly) {
  try {
    const { verificationMaterial, dsseEnvelope } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const { payload, payloadType, signatures } = dsseEnvelope;
    return {
      certificate: decode(verificationMaterial.certificate.rawBytes),
      payload: decode(payload),
      payloadType: String(payloadType),
      signature: decode(signatures[0].sig),
    };
  } catch {
    return undefined;
  }
}

/** As Node.js reads it, and with it @sigstore/bundle: base64url is the same, and what is neither is passed over. */
const decodeLeniently = (text: string): Buffer => Buffer.from(text, 'base64');

/** As `base64 -d` reads it. */
function decodeExactly(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new Error('invalid input');
  return Buffer.from(text, 'base64');
}

/** The pipeline of docs/provenance.md: the certificate by `openssl verify`, the signature by `openssl dgst`. */
export function opensslVerifier({ folder, rootFile, intermediate }: TestAuthority): EnvelopeVerifier {
  let turn = 0;
  const known = new Map<string, Promise<string | undefined>>();
  const intermediateFile = join(folder, 'intermediate.pem');

  /** @returns the file of its public key; undefined for a certificate that the root did not vouch for */
  async function checkCertificate(der: Buffer, name: string): Promise<string | undefined> {
    await writeFile(intermediateFile, intermediate);
    await writeFile(`${name}.der`, der);
    const made = await passes('x509', '-inform', 'DER', '-in', `${name}.der`, '-out', `${name}.pem`);
    if (!made) return undefined;
    const isGood = await passes('verify', '-CAfile', rootFile, '-untrusted', intermediateFile, `${name}.pem`);
    if (!isGood) return undefined;
    const { stdout } = await run('openssl', ['x509', '-in', `${name}.pem`, '-pubkey', '-noout']);
    await writeFile(`${name}.pub`, stdout);
    return `${name}.pub`;
  }

  return async (bytes) => {
    const parts = partsOf(bytes);
    if (!parts) return false;
    const name = join(folder, `change-${++turn}`);
    const { certificate, payload, payloadType, signature } = parts;
    const id = certificate.toString('base64');
    if (!known.has(id)) known.set(id, checkCertificate(certificate, name));
    const key = await known.get(id);
    if (key === undefined) return false;
    const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
    await writeFile(`${name}.pae`, Buffer.concat([Buffer.from(head), payload]));
    await writeFile(`${name}.sig`, signature);
    return passes('dgst', '-sha256', '-verify', key, '-signature', `${name}.sig`, `${name}.pae`);
  };
}

/**
 * What an envelope says, however base64 is read: the parts, without the bytes of the certificate between what its
 * issuer signed and that signature. They name the algorithm once more; @sigstore/core does not read them.
 */
export function statedIn(bytes: Uint8Array) {
  const parts = partsOf(bytes, decodeLeniently);
  if (!parts) return undefined;
  const certificate = Buffer.from(parts.certificate);
  // Two sequences, each with a length in two bytes, and the second is what is signed.
  const end = 8 + certificate.readUInt16BE(6);
  const algorithm = 2 + certificate[end + 1]!;
  const bitString = 3;
  return { ...parts, certificate: certificate.fill(0, end, end + algorithm + bitString) };
}
