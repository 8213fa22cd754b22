import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { startAfter, TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { BundleRow } from './bundle.entity.js';
import type { BundleQuery } from './bundles.dto.js';

export type BundleContent = Pick<BundleRow, 'title' | 'description' | 'corpora' | 'priceCredits'>;

export type BundleFilter = Pick<BundleQuery, 'q' | 'publisher' | 'corpus' | 'entitled'>;

/** Last row of the page before: published_us, bundle_id. */
export type BundlePosition = [number, string];

/** Buyers have no right to lock a row of the publisher's. */
const OFFER = `hashtextextended('bundle ' || $1::text, 0)`;
const ORDER = { publishedAt: 'asc', bundleId: 'asc' } as const;

/** The catalogue: bundles of every tenant that are for sale, and the tenant's own. */
@Injectable()
export class BundlesStore {
  private readonly own: TenantRepository<BundleRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.own = new TenantRepository(tenancy, BundleRow);
  }

  list(
    { q, publisher, corpus, entitled }: BundleFilter,
    after: BundlePosition | undefined,
    limit: number,
  ): Promise<BundleRow[]> {
    const query = this.forSale().setFindOptions({
      order: ORDER,
      take: limit,
      ...(entitled !== undefined && { where: { entitled } }),
    });
    if (q) query.andWhere(`position(lower(:q) in lower(bundle.title || ' ' || bundle.description)) > 0`, { q });
    if (publisher) query.andWhere('bundle.tenantId = :publisher', { publisher });
    if (corpus) query.andWhere(':corpus = any (bundle.corpora)', { corpus });
    return (after ? startAfter(query, after, ORDER) : query).getMany();
  }

  /** A bundle that is for sale, of whichever tenant. */
  async find(bundleId: string): Promise<BundleRow | undefined> {
    return (await this.forSale().andWhere('bundle.bundleId = :bundleId', { bundleId }).getOne()) ?? undefined;
  }

  /** Until the unit of work ends, the bundle is neither changed nor withdrawn. Called before it is read. */
  async holdOffer(bundleId: string): Promise<void> {
    await this.tenancy.query(`select pg_advisory_xact_lock_shared(${OFFER})`, [bundleId]);
  }

  /** Waits for those who buy the bundle, of whichever tenant; called before it is changed. */
  async lockOffer(bundleId: string): Promise<void> {
    await this.tenancy.query(`select pg_advisory_xact_lock(${OFFER})`, [bundleId]);
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
    await this.own.insert({ bundleId, ...contentOf(content), publishedBy: principal, changedBy: principal });
  }

  /** @returns false when the tenant has no such bundle for sale */
  change(bundleId: string, content: BundleContent, principal: string): Promise<boolean> {
    return this.write(bundleId, principal, contentOf(content));
  }

  /** @returns false when the tenant has no such bundle for sale */
  withdraw(bundleId: string, principal: string, reason: string | undefined): Promise<boolean> {
    return this.write(bundleId, principal, { status: 'withdrawn', withdrawnReason: reason ?? null });
  }

  private async write(bundleId: string, principal: string, values: Partial<BundleRow>): Promise<boolean> {
    const changed = { ...values, changedBy: principal, changedAt: () => 'now()' };
    return (await this.own.updateMany({ bundleId, status: 'published' }, changed)) > 0;
  }

  /** Of every tenant that row-level security shows them of. */
  private forSale(): SelectQueryBuilder<BundleRow> {
    return this.tenancy.manager
      .createQueryBuilder(BundleRow, 'bundle')
      .addSelect(['bundle.entitled', 'bundle.documents'])
      .where(`bundle.status = 'published'`);
  }
}

/** A request has other members too. */
const contentOf = ({ title, description, corpora, priceCredits }: BundleContent): BundleContent => ({
  title,
  description,
  corpora,
  priceCredits,
});
