import { Injectable } from '@nestjs/common';
import { invalid, ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { type AutoStep, AutoSteps, autoTrace } from '../../../common/evidence-log/auto-steps.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type FactBatch, FactReceipts } from './fact-receipts.js';
import { CURRENT, misfitOf, NotExpected, replacedBy, type ReplacedRow, withReplaced } from './fact-write-outcomes.js';
import { newFactId, roundsOf } from './facts.rules.js';
import { FactSources } from './fact-sources.js';
import { FactNotCurrent } from './facts.problems.js';
import type { FactDraft, FactWriter, HorizonClass, SessionFacts, StoredFact } from './facts.types.js';

const STORE = 'select * from svc_store_fact_batch($1, $2, $3)';
/** The same, where sessions write that may have asked for steps. */
const STORE_OBSERVED = 'select * from svc_store_observed_facts($1, $2, $3, $4)';
/** The stream of what is written as part of a larger unit of work. */
const CHANGES = 'facts.changes';
/** More than as many writers as take each other's places at once. */
const MAX_ATTEMPTS = 50;
/** After so many an export that is asked for again and again would always be first. */
const ATTEMPTS_UNLOCKED = 3;
const LATEST_OF_CHAIN = `
  select f.fact_id from fact_head h join fact f on f.tenant_id = h.tenant_id and f.seq = h.seq
  where h.tenant_id = $1 and h.chain = $2 and h.records > 0`;

/** In one order, as all writers take them. */
const LOCK_CHAINS = `
  select encode(c.chain, 'hex') as chain, l.* from (select distinct u.chain from unnest($2::bytea[]) u (chain) order by 1) c
  cross join lateral svc_lock_fact_chain($1, c.chain) l`;

interface LockedChain {
  owner: string;
  entity: string;
  key: string;
  version: number;
  confidence: number;
  horizon_class: HorizonClass;
  stored_at: Date;
}

/** What became of a deletion: nothing, where the chain is deleted already or has a newer version than the one named. */
type Retirement = 'retired' | 'deleted' | 'superseded';

/** Writes facts by database functions that lock, count, and add event and receipt in the same statement. */
@Injectable()
export class FactWritesStore {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly receipts: FactReceipts,
    private readonly steps: AutoSteps,
    private readonly sources: FactSources,
  ) {}

  /**
   * In a transaction of its own and one round trip: all or none.
   * @param lane the stream of the receipt
   * @throws NotExpected
   */
  async store(tenantId: string, lane: string, drafts: readonly FactDraft[], by: FactWriter): Promise<StoredFact[]> {
    const sign = () => this.receipts.sign(tenantId, lane, drafts, by);
    const sessions = this.sessionsOf(by, drafts);
    const write = (batch: FactBatch) => this.tenancy.write<ReplacedRow>(...statementOf(batch, sessions), tenantId);
    const stored = await this.attempt(sign, write, false, ATTEMPTS_UNLOCKED);
    return stored ?? this.tenancy.run(tenantId, () => this.storeLocked(sign, sessions));
  }

  /**
   * In the open unit of work.
   * @param lane the stream of the receipt: others that write to it wait until the unit ends
   * @throws ValidationFailed for a source that there is not, FactNotCurrent
   */
  async storeInUnit(asked: readonly FactDraft[], by: FactWriter, lane = CHANGES): Promise<StoredFact[]> {
    const { tenant } = this.tenancy;
    const unknown = await this.findUnknownSources(tenant, asked);
    if (unknown.length > 0) throw sourceUnknown(unknown[0]!);
    const drafts = await this.sources.resolve(tenant, asked, by);
    const sign = () => this.receipts.sign(tenant, lane, drafts, by);
    try {
      return await this.storeLocked(sign, this.sessionsOf(by, drafts), true);
    } catch (error) {
      if (!(error instanceof NotExpected)) throw error;
      throw await this.notCurrent(
        tenant,
        drafts.find(({ fact_id }) => error.factIds.includes(fact_id))!,
      );
    }
  }

  /** What a draft is refused with that expects another fact to be current than is. */
  async notCurrent(tenantId: string, { owner, entity, key, expected, path }: FactDraft): Promise<FactNotCurrent> {
    const [row] = await this.tenancy.run(tenantId, () =>
      this.tenancy.query<ReplacedRow>(CURRENT, [tenantId, owner, entity, key]),
    );
    const current = row ? replacedBy(row) : null;
    return new FactNotCurrent(
      { fact_id: expected!, current_fact_id: current?.fact_id ?? null, current },
      current
        ? `${path}.expected_fact_id is not the current fact of its entity and key: read current, and send current_fact_id if it shall be superseded`
        : `${path}.expected_fact_id names a fact, but none is current of its entity and key: leave it out to store the first`,
    );
  }

  /**
   * In the open unit of work.
   * @param version the one that has to be the latest, if any has
   */
  async retire(chain: Buffer, actor: string, by: FactWriter, version?: number): Promise<Retirement> {
    const { tenant } = this.tenancy;
    const [last] = await this.tenancy.query<LockedChain>('select * from svc_lock_fact_chain($1, $2)', [tenant, chain]);
    if (!last) return 'deleted';
    if (version !== undefined && last.version !== version) return 'superseded';
    this.receipts.expect(tenant, last);
    const { owner, entity, key, confidence, horizon_class } = last;
    const named = { fact_id: newFactId(), owner, entity, key, actor, actor_claimed: false, written_by: by.principal };
    const tombstone = { ...named, visibility: 0, path: '', value: '', confidence, horizon_class, tokens: 0 } as const;
    const retired = await this.attempt(
      () => this.receipts.sign(tenant, CHANGES, [{ ...tombstone, tombstone: true }], by),
      async (batch) => {
        const deletion = JSON.stringify({ ...named, version: batch.drafts[0]!.version });
        const parameters = [tenant, chain, deletion, batch.parameter];
        await this.retryable('select svc_retire_fact_batch($1, $2, $3, $4)', parameters);
        return [];
      },
      true,
    );
    if (!retired) throw contended();
    const [{ receipt_id: receiptId, stored_at: at, fact_id: factId }] = retired as [StoredFact];
    const [step] = stepsOf(this.sessionsOf(by, [{ fact_id: factId }]), { receiptId, at: at.toISOString() });
    if (step) this.steps.addInUnit([{ ...step, label: 'fact.retired' }]);
    return 'retired';
  }

  /** The latest fact of a chain that is not deleted. */
  async findLatestId(chain: Buffer): Promise<string | undefined> {
    const [latest] = await this.tenancy.query<{ fact_id: string }>(LATEST_OF_CHAIN, [this.tenancy.tenant, chain]);
    return latest?.fact_id;
  }

  /**
   * In the open unit of work: several chains with one receipt; those that are deleted already are left as they are.
   * @param chains at most as many as a batch of facts may have
   */
  async retireAll(chains: readonly Buffer[], actor: string, by: FactWriter, lane: string): Promise<void> {
    const { tenant } = this.tenancy;
    const last = await this.tenancy.query<LockedChain & { chain: string }>(LOCK_CHAINS, [tenant, chains]);
    if (last.length === 0) return;
    for (const chain of last) this.receipts.expect(tenant, chain);
    const named = { actor, actor_claimed: false, written_by: by.principal };
    const tombstones: FactDraft[] = last.map(({ owner, entity, key, confidence, horizon_class }) => ({
      ...{ ...named, fact_id: newFactId(), owner, entity, key, confidence, horizon_class },
      ...{ visibility: 0, path: '', value: '', tokens: 0, tombstone: true },
    }));
    const retired = await this.attempt(
      () => this.receipts.sign(tenant, lane, tombstones, by),
      async (batch) => {
        const deletions = batch.drafts.map(({ fact_id, version }, place) => ({
          ...{ chain: last[place]!.chain, fact_id, version, actor, written_by: by.principal },
        }));
        await this.retryable('select svc_retire_fact_batches($1, $2, $3)', [
          ...[tenant, JSON.stringify(deletions), batch.parameter],
        ]);
        return [];
      },
      true,
    );
    if (!retired) throw contended();
  }

  /** The drafts whose source_receipt is no receipt of the tenant; one statement, and none where nobody names any. */
  async findUnknownSources(tenantId: string, drafts: readonly FactDraft[]): Promise<FactDraft[]> {
    const named = drafts.filter(({ source_receipt }) => source_receipt !== undefined);
    if (named.length === 0) return [];
    const rows = await this.tenancy.write<{ name: string }>('select name from svc_unknown_receipts($1, $2) name', [
      tenantId,
      [...new Set(named.map(({ source_receipt }) => source_receipt))],
    ]);
    const unknown = new Set(rows.map(({ name }) => name));
    return named.filter(({ source_receipt }) => unknown.has(source_receipt!));
  }

  /** None where nobody may ask for steps. */
  private sessionsOf(by: FactWriter, drafts: readonly Pick<FactDraft, 'fact_id'>[]): readonly SessionFacts[] {
    return this.steps.isOn ? (by.sessions ?? sessionFactsOf(by, drafts)) : [];
  }

  /** In the open unit of work, which exports wait for from here on: the time that it says now fits to the end. */
  private async storeLocked(
    sign: () => Promise<FactBatch>,
    sessions: readonly SessionFacts[],
    keepsLane = false,
  ): Promise<StoredFact[]> {
    await this.tenancy.query('select svc_enter_facts($1)', [this.tenancy.tenant]);
    const stored = await this.attempt(sign, (batch) => this.retryable(...statementOf(batch, sessions)), keepsLane);
    if (!stored) throw contended();
    return stored;
  }

  /** Signs and stores, again as long as the database says what would fit. @returns undefined when none of them did */
  private async attempt(
    sign: () => Promise<FactBatch>,
    store: (batch: FactBatch) => Promise<ReplacedRow[]>,
    keepsLane = false,
    attempts = MAX_ATTEMPTS,
  ): Promise<StoredFact[] | undefined> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const batch = await sign();
      try {
        return withReplaced(await store(batch), this.receipts.learn(batch));
      } catch (error) {
        this.receipts.correct(batch, misfitOf(error), keepsLane);
      }
    }
    return undefined;
  }

  /** A statement of the open unit of work whose failure leaves the unit as it was. */
  private async retryable(sql: string, parameters: unknown[]): Promise<ReplacedRow[]> {
    await this.tenancy.query('savepoint fact_batch');
    let rows: ReplacedRow[];
    try {
      rows = await this.tenancy.query<ReplacedRow>(sql, parameters);
    } catch (error) {
      await this.tenancy.query('rollback to savepoint fact_batch');
      throw error;
    }
    await this.tenancy.query('release savepoint fact_batch');
    return rows;
  }
}

const contended = (): ServiceUnavailable =>
  new ServiceUnavailable({ retryAfterSec: 1 }, 'Too many writers write the same facts at once; send it again');

export const sessionFactsOf = (
  { principal, agentSession }: FactWriter,
  drafts: readonly Pick<FactDraft, 'fact_id'>[],
): SessionFacts[] =>
  agentSession === undefined
    ? []
    : [{ session: agentSession, actor: principal, facts: drafts.map(({ fact_id }) => fact_id) }];

function statementOf(batch: FactBatch, sessions: readonly SessionFacts[]): [string, unknown[]] {
  if (sessions.length === 0) return [STORE, storeParameters(batch)];
  const { receiptId, payload } = batch.receipt;
  const steps = stepsOf(sessions, { receiptId, at: payload.occurred_at });
  return [STORE_OBSERVED, [...storeParameters(batch), JSON.stringify(steps)]];
}

/** Facts that a step names; it says of more how many they are. */
const MAX_NAMED = 64;

const stepsOf = (sessions: readonly SessionFacts[], { receiptId, at }: { receiptId: string; at: string }): AutoStep[] =>
  sessions.map(({ session, actor, facts }) => ({
    ...{ session, actor, at, kind: 'memory', status: 'ok', label: `fact.stored (${facts.length})` },
    ...{ receipt_id: receiptId, mutation_receipt_id: receiptId },
    outputs: facts.slice(0, MAX_NAMED).map((fact) => autoTrace('fact', fact)),
  }));

const storeParameters = ({ tenantId, drafts, parameter }: FactBatch): unknown[] => [
  tenantId,
  JSON.stringify(roundsOf(drafts)),
  parameter,
];

export const sourceUnknown = ({ path }: FactDraft): Error =>
  invalid(
    `${path}.source_receipt`,
    'must name a receipt of the tenant: the UUID of an execution receipt, or blake3:<hex> of a retrieval receipt, as GET /v1/receipts/list shows them; or leave it out',
  );
