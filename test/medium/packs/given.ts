import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { blake3 } from 'hash-wasm';
import { jcs } from '../envelopes/envelope-maker.js';

export type Pack = Record<string, unknown>;

/** A maker of packs from docs/formats/memory-pack.md alone: nothing of the product's code is used here. */
export class PackMaker {
  private readonly keys = generateKeyPairSync('ed25519');
  readonly x = this.keys.publicKey.export({ format: 'jwk' }).x!;
  readonly fingerprint = createHash('sha256')
    .update(`{"crv":"Ed25519","kty":"OKP","x":"${this.x}"}`)
    .digest('base64url');

  sign(pack: Pack): Pack {
    const named = { passport_fpr: this.fingerprint, ...pack };
    const value = sign(null, Buffer.from(jcs(named)), this.keys.privateKey).toString('base64url');
    return { ...named, signature: { algorithm: 'Ed25519', public_key: this.x, value } };
  }
}

export const hashOf = async ({ signature: _, ...pack }: Pack): Promise<string> => `blake3:${await blake3(jcs(pack))}`;

export const packOf = (lists: Pack = {}): Pack => ({ schema: 'svc.pack/1', ...lists });

export const fact = (members: object = {}): Pack => ({ entity: 'user:ada', key: 'city', value: 'London', ...members });

/** What two packs of the same memory share. */
export const contentOf = ({ created_at: _at, signature: _signature, ...pack }: Pack): Pack => pack;
