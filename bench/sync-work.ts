import { asOperator } from '../src/cli/operator.js';
import { OPERATOR } from '../src/common/evidence-log/audit-trail.js';
import { VerifyingKey } from '../src/evidence/signing-key.js';
import { PeerClient } from '../src/modules/memory/peers/peer-client.service.js';
import { RemoteEnd } from '../src/modules/memory/sync-exchange/remote-end.js';
import { SyncPromotionsService } from '../src/modules/memory/sync/sync-promotions.service.js';
import { GrowingRoot } from '../src/modules/memory/sync/sync-root.rules.js';
import { versionOfRecord } from '../src/modules/memory/sync/sync-versions.rules.js';
import { named } from '../src/modules/memory/sync/sync-wire.types.js';
import { FULL_REACH } from '../src/modules/memory/sync/sync.types.js';
import { answerPlan } from './child.js';
import { recordOf } from './sync-records.js';
import type { FillPlan, Measured, ReadPlan, SyncPlan } from './sync-work.types.js';

const A_BATCH = 2000;

const rateOf = (records: number, ms: number): number => (ms > 0 ? (records * 1000) / ms : 0);

/** By what a confirmation does, batch by batch; making the records does not count. */
const fill = ({ tenantId, writer, records }: FillPlan): Promise<Measured> =>
  asOperator(async (services) => {
    const promotions = services.get(SyncPromotionsService);
    const batches: { count: number; ms: number }[] = [];
    for (let from = 0; from < records; from += A_BATCH) {
      const count = Math.min(A_BATCH, records - from);
      const batch = Array.from({ length: count }, (_, at) => recordOf(writer, from + at));
      const startedAt = performance.now();
      const { counts } = await promotions.apply(OPERATOR, tenantId, FULL_REACH, batch);
      batches.push({ count, ms: performance.now() - startedAt });
      const refused = counts.filter(({ verdict }) => verdict !== 'apply' && verdict !== 'tombstone');
      if (refused.length > 0) throw new Error(`records of the bench were not taken: ${JSON.stringify(refused)}`);
    }
    const rateIn = (some: typeof batches) =>
      rateOf(
        some.reduce((sum, { count }) => sum + count, 0),
        some.reduce((sum, { ms }) => sum + ms, 0),
      );
    const tenth = Math.ceil(batches.length / 10);
    return {
      records,
      perSecond: rateIn(batches),
      first: rateIn(batches.slice(0, tenth)),
      last: rateIn(batches.slice(-tenth)),
    };
  });

/** Over HTTP, signed; every version against its digests and every collection against the manifest. */
const read = ({ tenantId, peerId, url, publicKey }: ReadPlan): Promise<Measured> =>
  asOperator(async (services) => {
    const connection = services.get(PeerClient).open({ tenantId, peerId, url });
    const key = new VerifyingKey(Uint8Array.from(Buffer.from(publicKey, 'base64url')));
    const remote = new RemoteEnd(connection, { tenantId, peerId, key });
    const startedAt = performance.now();
    let records = 0;
    for (const { name, root, count } of (await remote.readManifest()).collections) {
      const growing = GrowingRoot.empty();
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = { limit: A_BATCH, include_content: true, ...(cursor === undefined ? {} : { cursor }) };
        const page = await remote.readPage(name, query);
        for (const item of page.items) growing.add(Buffer.from(versionOfRecord(item, name).digest, 'hex'));
        cursor = page.next_cursor;
      }
      if (named(growing.root) !== root || growing.count !== count)
        throw new Error(`the records of ${name} are not those of the manifest`);
      records += count;
    }
    const perSecond = rateOf(records, performance.now() - startedAt);
    return { records, perSecond, first: perSecond, last: perSecond };
  });

answerPlan<SyncPlan, Measured>((plan) => (plan.kind === 'fill' ? fill(plan) : read(plan)));
