import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { readBuild } from '../../../common/build-info.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { blake3, blake3Digest } from '../../../evidence/digest.js';
import { inSlices } from '../../../search/slices.js';
import { CandidateRow } from './candidate.entity.js';
import { LOCK } from './candidate-standings.service.js';
import { candidateEntry } from './candidates.events.js';
import { CONSOLIDATION, type Evidence, type ScreenedSpan } from './candidates.types.js';
import { type Review, reviewsOf, type StoredStatement } from './consolidation.rules.js';
import { nameDigest } from './extraction/extraction.rules.js';

const EVERY_MS = 3_600_000;
const ACTOR = { principal: 'svc:consolidation', authType: 'system' } as const;
/** The newest facts of a tenant that are looked at, how much of a value, and what is put forward at once. */
const MAX_FACTS = 20_000;
const MAX_VALUE = 2_000;
const MAX_PROPOSED = 200;

const CONFIDENCE = { expired: 1, near_duplicate: 0.75, contradiction: 0.5 } as const;
const RESOLUTION = { expired: 'new', near_duplicate: 'duplicate', contradiction: 'conflict' } as const;

/**
 * Looks for facts that say nearly the same, contradict each other or have expired, and puts forward that they be
 * retired. It changes no fact: somebody promotes the candidate, or rejects it, and it is not put forward again.
 */
@Injectable()
export class ConsolidationService implements OnApplicationBootstrap {
  private readonly rows: TenantRepository<CandidateRow>;
  private readonly isOn: boolean;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly screen: SecretScreen,
    @Inject(SETTINGS) { memory }: Settings,
  ) {
    this.rows = new TenantRepository(tenancy, CandidateRow);
    this.isOn = memory.consolidation;
  }

  onApplicationBootstrap(): void {
    if (this.isOn) this.scheduler.every(CONSOLIDATION, EVERY_MS, () => this.look());
  }

  async look(): Promise<void> {
    const tenants = await this.crossTenant.run(CONSOLIDATION, (query) =>
      query<{ tenant_id: string }>(
        `select c.tenant_id from fact_count c where c.scope = '' group by c.tenant_id having sum(c.records) > 0`,
      ),
    );
    await eachInTurn(tenants, ({ tenant_id: tenant }) => this.lookAt(tenant));
  }

  private async lookAt(tenant: string): Promise<void> {
    const facts = await this.tenancy.run(tenant, () =>
      this.tenancy.query<StoredStatement>(FACTS, [tenant, MAX_FACTS, MAX_VALUE]),
    );
    const reviews = await inSlices(reviewsOf(facts, new Date()));
    if (reviews.length === 0) return;
    await this.tenancy.run(tenant, async () => {
      await lockToCopy(this.tenancy);
      await this.tenancy.lock(LOCK);
      const ids = reviews.flatMap(({ fact, other }) => [fact.fact_id, ...(other ? [other.fact_id] : [])]);
      const known = await this.findIds(KNOWN, ids);
      // Others changed or erased facts while they were compared.
      const current = await this.findIds(CURRENT, ids);
      const isDue = ({ fact, other }: Review): boolean =>
        !known.has(fact.fact_id) && current.has(fact.fact_id) && (!other || current.has(other.fact_id));
      await this.propose(reviews.filter(isDue).slice(0, MAX_PROPOSED));
    });
  }

  private async findIds(sql: string, factIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.tenancy.query<{ id: string }>(sql, [this.tenancy.tenant, factIds]);
    return new Set(rows.map(({ id }) => id));
  }

  private async propose(reviews: readonly Review[]): Promise<void> {
    if (reviews.length === 0) return;
    const named = reviews.map((review) => ({ review, candidateId: uuid() }));
    const entries = named.map(({ review: { kind, fact, other }, candidateId }) =>
      candidateEntry('proposed', candidateId, { review: kind, factId: fact.fact_id, otherId: other?.fact_id ?? null }),
    );
    const records = await this.audit.recordMany(ACTOR, entries);
    const values: Values<CandidateRow>[] = [];
    for (const [place, { review, candidateId }] of named.entries())
      values.push(await this.valuesOf(review, candidateId, records[place]!.receiptId));
    await this.rows.insertAll(values);
  }

  private async valuesOf(review: Review, candidateId: string, receiptId: string): Promise<Values<CandidateRow>> {
    const { kind, fact, other } = review;
    const seen = await Promise.all([fact, ...(other ? [other] : [])].map((one) => this.evidenceOf(one)));
    const mask = async (text: string) => (await this.screen.mask(text)).text;
    return {
      ...{ candidateId, receiptId, action: 'retire', targetFactId: fact.fact_id, createdBy: ACTOR.principal },
      ...{ entity: await mask(fact.entity), key: await mask(fact.key), value: seen[0]!.evidence.quote },
      ...{ confidence: CONFIDENCE[kind], resolution: RESOLUTION[kind], profile: CONSOLIDATION },
      extractor: { name: CONSOLIDATION, version: readBuild().version, pattern: kind },
      evidence: seen.map(({ evidence }) => evidence),
      screened: seen.flatMap(({ screened }) => screened),
      duplicateOf: kind === 'near_duplicate' ? other!.fact_id : null,
      conflictsWith: kind === 'contradiction' ? [other!.fact_id] : [],
      nameDigest: nameDigest(fact),
      contentDigest: Buffer.from(blake3(`retire ${fact.fact_id}`)),
    };
  }

  private async evidenceOf({
    fact_id,
    value,
  }: StoredStatement): Promise<{ evidence: Evidence; screened: ScreenedSpan[] }> {
    const { text: quote, screened } = await this.screen.mask(value);
    const place = { source_kind: 'fact', source_id: fact_id, start: 0, end: value.length } as const;
    return { evidence: { ...place, quote, quote_blake3: blake3Digest(quote) }, screened };
  }
}

const FACTS = `
  select f.fact_id, f.entity, f.key, left(f.value, $3) as value, f.stored_at, f.valid_to
  from (select h.seq from fact_head h where h.tenant_id = $1 and h.visibility = 0 and h.records > 0
    order by h.stored_at desc, h.seq desc limit $2) h
  join fact f on f.tenant_id = $1 and f.seq = h.seq and f.deleted_at is null and not f.tombstone`;
const KNOWN = 'select target_fact_id as id from candidate where tenant_id = $1 and target_fact_id = any($2::uuid[])';
const CURRENT = `
  select f.fact_id as id from fact f join fact_head h on h.tenant_id = f.tenant_id and h.chain = f.chain and h.seq = f.seq
  where f.tenant_id = $1 and f.fact_id = any($2::uuid[]) and h.visibility = 0 and h.records > 0 and f.deleted_at is null and not f.tombstone`;
