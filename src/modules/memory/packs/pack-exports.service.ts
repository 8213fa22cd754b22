import { Injectable } from '@nestjs/common';
import { readBuild } from '../../../common/build-info.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { EngramKindService } from '../engrams/engram-kind.service.js';
import { PackContents } from './pack-contents.rules.js';
import { PackExportStore } from './pack-export.store.js';
import { canonicalPack } from './pack-signature.rules.js';
import { MEMORY_EXPORTED } from './packs.events.js';
import { PackTooLarge } from './packs.problems.js';
import { type MemoryPack, PACK_LISTS, PACK_REVISION, PACK_SCHEMA } from './packs.types.js';

export interface MadePack {
  pack: MemoryPack;
  hash: string;
  receiptId: string;
}

/** Makes a pack of everything that a tenant remembers, signed by the key that signs exports. */
@Injectable()
export class PackExportsService {
  constructor(
    private readonly store: PackExportStore,
    private readonly keys: KeyRing,
    private readonly audit: AuditTrail,
    private readonly engrams: EngramKindService,
  ) {}

  /** In the open unit of work. @throws PackTooLarge */
  async make(by: Actor, maxBytes = Infinity): Promise<MadePack> {
    const contents = new PackContents((name, payload) => this.engrams.isEngram(name, payload));
    for await (const row of this.store.read()) contents.add(row);
    const { forExports: key } = this.keys;
    const unsigned: MemoryPack = {
      schema: PACK_SCHEMA,
      revision: PACK_REVISION,
      created_at: new Date().toISOString(),
      source: { product: 'svc', version: readBuild().version },
      passport_fpr: key.kid,
      ...contents.finish(),
    };
    const { bytes, hash } = await canonicalPack({ ...unsigned });
    if (bytes.length > maxBytes)
      throw new PackTooLarge(
        { max_bytes: maxBytes },
        'An import would refuse it; "svc memory export" writes it to a file, which "svc memory import" reads',
      );
    const [signature] = await key.signAll([bytes], 'exports');
    const public_key = Buffer.from(key.publicKey.bytes).toString('base64url');
    const value = Buffer.from(signature!).toString('base64url');
    const receiptId = await this.record(by, unsigned, hash);
    return { pack: { ...unsigned, signature: { algorithm: 'Ed25519', public_key, value } }, hash, receiptId };
  }

  private async record(by: Actor, pack: MemoryPack, packHash: string): Promise<string> {
    const counts = Object.fromEntries(PACK_LISTS.map((list) => [list, pack[list].length]));
    const facts = { packHash, packPassportFpr: pack.passport_fpr, counts };
    return (await this.audit.record(by, { kind: MEMORY_EXPORTED, subject: packHash, facts })).receiptId;
  }
}
