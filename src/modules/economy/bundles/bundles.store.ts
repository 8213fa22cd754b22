import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface BundleRow {
  tenant_id: string;
  bundle_id: string;
  title: string;
  description: string;
  corpora: string[];
  price_credits: string;
  published_at: Date;
  changed_at: Date;
  entitled: boolean;
  documents: string;
  /** Microseconds since 1970: what a timestamp's order is by. */
  published_us: number;
}

export interface BundleContent {
  title: string;
  description: string;
  corpora: string[];
  priceCredits: number;
}

export interface BundleFilter {
  q?: string;
  publisher?: string;
  corpus?: string;
  entitled?: boolean;
}

/** Last row of the page before: published_us, bundle_id. */
export type BundlePosition = [number, string];

/** Whether the tenant $1 may find all of a bundle. */
const ENTITLED = `(b.tenant_id = $1 or (select count(*) from entitlement e
  where e.tenant_id = $1 and e.publisher_tenant_id = b.tenant_id and e.corpus_id = any (b.corpora)) = cardinality(b.corpora))`;
const COLUMNS = `b.tenant_id, b.bundle_id, b.title, b.description, b.corpora, b.price_credits, b.published_at, b.changed_at`;
/** Counted for the rows that are shown alone: a count looks at the publisher's documents. */
const SHOWN = `*, svc_count_bundle_documents(tenant_id, bundle_id) as documents, (extract(epoch from published_at) * 1000000)::float8 as published_us`;

/** The catalogue: bundles of every tenant that are for sale, and the tenant's own. */
@Injectable()
export class BundlesStore {
  constructor(private readonly tenancy: Tenancy) {}

  list(filter: BundleFilter, after: BundlePosition | undefined, limit: number): Promise<BundleRow[]> {
    return this.tenancy.query<BundleRow>(
      `select ${SHOWN} from (
         select ${COLUMNS}, ${ENTITLED} as entitled from bundle b
         where b.status = 'published'
           and ($2::text is null or position(lower($2) in lower(b.title || ' ' || b.description)) > 0)
           and ($3::text is null or b.tenant_id = $3) and ($4::text is null or $4 = any (b.corpora))
           and ($5::boolean is null or ${ENTITLED} = $5)
           and ($6::float8 is null or (b.published_at, b.bundle_id) > (timestamptz 'epoch' + $6 * interval '1 microsecond', $7::uuid))
         order by b.published_at, b.bundle_id limit $8) shown
       order by published_at, bundle_id`,
      [
        this.tenancy.tenant,
        filter.q ?? null,
        filter.publisher ?? null,
        filter.corpus ?? null,
        filter.entitled ?? null,
        after?.[0] ?? null,
        after?.[1] ?? null,
        limit,
      ],
    );
  }

  /** A bundle that is for sale, of whichever tenant. */
  async find(bundleId: string): Promise<BundleRow | undefined> {
    const [row] = await this.tenancy.query<BundleRow>(
      `select ${SHOWN} from (select ${COLUMNS}, ${ENTITLED} as entitled from bundle b
       where b.bundle_id = $2 and b.status = 'published') shown`,
      [this.tenancy.tenant, bundleId],
    );
    return row;
  }

  /** Of these corpora, those that the tenant has not got. */
  async findMissing(corpora: string[]): Promise<Set<string>> {
    const rows = await this.tenancy.query<{ corpus_id: string }>(
      `select w.corpus_id from unnest($2::text[]) w(corpus_id)
       where not exists (select from corpus c where c.tenant_id = $1 and c.corpus_id = w.corpus_id)`,
      [this.tenancy.tenant, corpora],
    );
    return new Set(rows.map((row) => row.corpus_id));
  }

  async publish(bundleId: string, content: BundleContent, principal: string): Promise<void> {
    await this.tenancy.query(
      `insert into bundle (tenant_id, bundle_id, title, description, corpora, price_credits, published_by, changed_by) values ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [
        this.tenancy.tenant,
        bundleId,
        content.title,
        content.description,
        content.corpora,
        content.priceCredits,
        principal,
      ],
    );
  }

  /** @returns false when the tenant has no such bundle for sale */
  async change(bundleId: string, content: BundleContent, principal: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update bundle set title = $3, description = $4, corpora = $5, price_credits = $6, changed_by = $7, changed_at = now()
       where tenant_id = $1 and bundle_id = $2 and status = 'published' returning 1`,
      [
        this.tenancy.tenant,
        bundleId,
        content.title,
        content.description,
        content.corpora,
        content.priceCredits,
        principal,
      ],
    );
    return rows.length > 0;
  }

  /** @returns false when the tenant has no such bundle for sale */
  async withdraw(bundleId: string, principal: string, reason: string | undefined): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update bundle set status = 'withdrawn', changed_by = $3, changed_at = now(), withdrawn_reason = $4
       where tenant_id = $1 and bundle_id = $2 and status = 'published' returning 1`,
      [this.tenancy.tenant, bundleId, principal, reason ?? null],
    );
    return rows.length > 0;
  }
}
