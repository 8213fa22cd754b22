import { encodeCanonical } from '../../evidence/cbor.js';
import { type Digest, sha256Digest } from '../../evidence/digest.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { StoredReceipt } from './evidence-look.types.js';
import { readBodies } from './receipt-bodies.js';

/**
 * The chain of a tenant that has the receipts of what incidents set aside, and of what they bring back, in this order.
 * They name it by digests that nobody can guess, so that no erasure of a subject removes one.
 */
export const QUARANTINE_STREAM = 'quarantine';
export const SET_ASIDE = 'quarantine.set_aside';
export const BROUGHT_BACK = 'quarantine.brought_back';

interface AsideVersion {
  readonly corpusId: string;
  readonly docId: string;
  readonly version: number;
  /** Of its passages: what keeps the digest from being guessed. */
  readonly chunkIds: readonly string[];
}

/** How such receipts name a version of a document. docs/formats/receipts.md, "Quarantine". */
export const digestOfVersion = ({ corpusId, docId, version, chunkIds }: AsideVersion): Digest =>
  sha256Digest(encodeCanonical(['document', corpusId, docId, version, [...chunkIds].sort()]));

/** How they name a fact or a case, whose id is random. */
export const digestOfId = (kind: 'fact' | 'case', id: string): Digest => sha256Digest(encodeCanonical([kind, id]));

/** How a walk of an incident names what it has set aside. */
interface AsideNode {
  readonly kind: 'document' | 'fact' | 'case';
  readonly key: readonly string[];
}

/** What receipts say is set aside, read once a tenant. */
export class SetAside {
  private readonly read = new Map<string, Set<string>>();

  constructor(private readonly query: Query) {}

  /**
   * Where a row and the receipts differ on whether an incident has it aside.
   * @param node how a walk names it, for one of before there were such receipts
   */
  async findFault(
    tenantId: string,
    { digestOf, isAside, node }: { digestOf: () => Digest; isAside: boolean; node: AsideNode },
  ): Promise<string | undefined> {
    const said = await this.of(tenantId);
    const isSaid = said.size > 0 && said.has(digestOf());
    if (isSaid === isAside) return undefined;
    if (isSaid) return 'it is found, and a receipt says that an incident has set it aside';
    return (await this.isOfBefore(tenantId, node)) ? undefined : 'it is set aside, and no receipt says so';
  }

  private async of(tenantId: string): Promise<Set<string>> {
    const found = this.read.get(tenantId) ?? (await this.find(tenantId));
    this.read.set(tenantId, found);
    return found;
  }

  private async find(tenantId: string): Promise<Set<string>> {
    const receipts = await this.query<StoredReceipt>(RECEIPTS, [tenantId, QUARANTINE_STREAM]);
    const aside = new Set<string>();
    for (const { kind, body } of readBodies(receipts)) {
      const digests = Array.isArray(body.digests) ? body.digests : [];
      for (const digest of digests as string[])
        if (kind === SET_ASIDE) aside.add(digest);
        else aside.delete(digest);
    }
    return aside;
  }

  /**
   * Receipts of a release before say how many things of a kind a walk set aside, and the walk which: as long as it
   * names no more, it is believed.
   */
  private async isOfBefore(tenantId: string, { kind, key }: AsideNode): Promise<boolean> {
    const factId = kind === 'fact' ? key[0] : null;
    const walks = await this.query<Walk>(WALKS_OF_BEFORE, [tenantId, kind, key, factId]);
    return walks.some((walk) =>
      readBodies([walk]).some(
        ({ body }) =>
          body.radius_id === walk.radius_id && body.receipts === undefined && walk.marked <= countOf(body, kind),
      ),
    );
  }
}

interface Walk extends StoredReceipt {
  radius_id: string;
  marked: number;
}

const countOf = ({ set_aside: counts }: Readonly<Record<string, unknown>>, kind: string): number =>
  Number((counts as Readonly<Record<string, unknown>> | undefined)?.[kind] ?? 0);

const RECEIPTS = `
  select tenant_id, receipt_id, kind, cose from receipt where tenant_id = $1 and stream = $2 order by seq`;
/** The last record of a chain of facts has those before it aside as well. */
const WALKS_OF_BEFORE = `
  select r.tenant_id, r.receipt_id, r.kind, r.cose, b.radius_id, (
    select count(*)::int from blast_radius_node m
    where m.tenant_id = b.tenant_id and m.radius_id = b.radius_id and m.kind = $2 and m.set_aside) as marked
  from blast_radius_node n
    join blast_radius b on b.tenant_id = n.tenant_id and b.radius_id = n.radius_id and b.applied_at is not null and b.undone_at is null
    join receipt r on r.tenant_id = b.tenant_id and r.subject = b.incident_id::text and r.kind = 'incident.quarantined'
  where n.tenant_id = $1 and n.kind = $2 and n.set_aside and (
    n.key = $3::text[] or n.key in (
      select array[o.fact_id::text] from fact f join fact o on o.tenant_id = f.tenant_id and o.chain = f.chain
      where f.tenant_id = $1 and f.fact_id = $4::uuid))`;
