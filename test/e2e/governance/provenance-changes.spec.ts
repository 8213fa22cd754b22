import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCertificates } from '../../../src/evidence/certificate-path.js';
import { judgeEnvelope } from '../../../src/modules/governance/provenance/verdict.rules.js';
import { startDaemon } from '../../kit/daemon.js';
import { startAuthority, type TestAuthority } from '../../kit/signing-chain.js';
import { bearerOf, CONTENT, GATEWAY_ENV, signRequest } from '../../medium/provenance/given.js';
import { type EnvelopeVerifier, opensslVerifier, sigstoreVerifier, statedIn } from './envelope-verifiers.js';

const CHANGES = 1_000;
const AT_ONCE = 4;

let authority: TestAuthority;
let envelope: Buffer;
let own: EnvelopeVerifier;
beforeAll(async () => {
  authority = await startAuthority();
  const daemon = await startDaemon({ env: GATEWAY_ENV, tenants: ['alfa'] });
  const call = daemon.as({ bearer: await bearerOf('provenance:write') });
  const { body } = await call('POST', '/v1/provenance/sign', signRequest(await authority.certify('P-256')));
  await daemon.close();
  envelope = Buffer.from(body.manifest_envelope_b64, 'base64');
  const roots = parseCertificates(authority.root);
  own = (bytes) => {
    const { signature_valid, content_match, chain } = judgeEnvelope(bytes, {
      content: CONTENT,
      roots,
      time: new Date(),
    });
    return signature_valid && content_match && chain.valid && chain.trusted;
  };
});
afterAll(() => authority.close());

/** undefined where the change left nothing that can be taken apart. */
function sayingOf(bytes: Buffer): ReturnType<typeof statedIn> {
  try {
    return statedIn(bytes);
  } catch {
    return undefined;
  }
}

/** The same in every run: positions spread over the file, and another byte at each. */
function* changesOf(bytes: Buffer): Generator<Buffer> {
  for (let n = 1; ; n += 1) {
    const changed = Buffer.from(bytes);
    changed[(n * 7919) % bytes.length]! ^= 1 + ((n * 104_729) % 127);
    yield changed;
  }
}

describe('an envelope of the gateway', () => {
  it('is taken by this server, by @sigstore/verify and by openssl', async () => {
    expect([own(envelope), sigstoreVerifier(authority)(envelope)]).toEqual([true, true]);
    expect(await opensslVerifier(authority)(envelope)).toBe(true);
  });

  it('changed in any byte is refused by this server', () => {
    const taken = Array.from({ length: envelope.length }, (_, at) => {
      const changed = Buffer.from(envelope);
      changed[at]! ^= 1;
      return own(changed) ? at : undefined;
    });
    expect(taken.filter((at) => at !== undefined)).toEqual([]);
  });

  it(
    `changed in one byte of what it says is refused by all three alike, ${CHANGES} times`,
    { timeout: 600_000 },
    async () => {
      const said = statedIn(envelope);
      const changes: Buffer[] = [];
      // What leaves certificate, statement and signature as they are is a change of none of them.
      for (const changed of changesOf(envelope)) {
        if (!isDeepStrictEqual(sayingOf(changed), said)) changes.push(changed);
        if (changes.length === CHANGES) break;
      }
      const verifiers = { own, sigstore: sigstoreVerifier(authority), openssl: opensslVerifier(authority) };
      const taken: Record<string, number> = { own: 0, sigstore: 0, openssl: 0 };
      const work = changes.values();
      const judgeRest = async (): Promise<void> => {
        for (const changed of work)
          for (const [name, verify] of Object.entries(verifiers)) if (await verify(changed)) taken[name]! += 1;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, judgeRest));
      expect(taken).toEqual({ own: 0, sigstore: 0, openssl: 0 });
    },
  );
});
