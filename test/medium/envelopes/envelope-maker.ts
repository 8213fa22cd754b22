import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { blake3 } from 'hash-wasm';

/**
 * A platform that makes result envelopes from docs/formats/result-envelope.md alone: nothing of the product's code is
 * used here.
 */
export class Platform {
  private readonly privateKey: KeyObject;
  readonly x: string;

  constructor(private readonly kid?: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.privateKey = privateKey;
    this.x = publicKey.export({ format: 'jwk' }).x!;
  }

  get keyId(): string {
    return this.kid ?? createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${this.x}"}`).digest('base64url');
  }

  jwk(members: object = {}): object {
    return { kty: 'OKP', crv: 'Ed25519', x: this.x, ...(this.kid === undefined ? {} : { kid: this.kid }), ...members };
  }

  async sign(given: EnvelopeParts): Promise<Record<string, unknown>> {
    const blake3_content_hash = `blake3:${await blake3(jcs(given.payload))}`;
    const envelope = { schema_version: 1, tenant_id: 'default', blake3_content_hash, ...given };
    const signed = jcs({
      schema_version: envelope.schema_version,
      job_id: envelope.job_id,
      tenant_id: envelope.tenant_id,
      blake3_content_hash,
      passport_fpr: given.passport_fpr ?? null,
      credit_spend_receipt: given.credit_spend_receipt ?? null,
      companion_artifacts: (given.companion_artifacts ?? []).map((one) => ({
        name: one.name,
        blake3_content_hash: one.blake3_content_hash,
        media_type: one.media_type ?? null,
        size_bytes: one.size_bytes ?? null,
      })),
    });
    const signature = sign(null, Buffer.from(`svc-result-envelope-v1\n${signed}`), this.privateKey);
    return { ...envelope, platform_signature: `${this.keyId}.${signature.toString('base64url')}` };
  }
}

export interface EnvelopeParts {
  job_id: string;
  payload: object;
  tenant_id?: string;
  schema_version?: number;
  passport_fpr?: string;
  credit_spend_receipt?: string;
  companion_artifacts?: { name: string; blake3_content_hash: string; media_type?: string; size_bytes?: number }[];
}

/** RFC 8785. */
export function jcs(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`;
}
