import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { countTokens } from '../../../common/tokens/tokenizer.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { FenceCheckService } from '../../coordination/leases/fence-check.service.js';
import { FactReadStore, type FoundFact } from './fact-read.store.js';
import { replyOf, replyToDraft } from './fact-replies.js';
import { FactWrites } from './fact-writes.js';
import { FactWritesStore } from './fact-writes.store.js';
import { FactSources } from './fact-sources.js';
import type { FactReply, StoredFactReply, StoredFactsReply, StoreFactRequest } from './facts.dto.js';
import { FactNotFound, FactQuarantined, FactSuperseded } from './facts.problems.js';
import { isReserved, newFactId, ownerOf, successorsOf, visibilityOf } from './facts.rules.js';
import { VISIBILITY, type FactDraft, type FactReader, type FactWriter, type StoredFact } from './facts.types.js';

/** Single facts: stored, read, deleted (memory-daemon.md 4.2). */
@Injectable()
export class FactsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly writes: FactWrites,
    private readonly writesStore: FactWritesStore,
    private readonly reads: FactReadStore,
    private readonly sources: FactSources,
    private readonly outbox: Outbox,
    private readonly fences: FenceCheckService,
  ) {}

  async store(caller: DaemonCaller, request: StoreFactRequest, fence?: number): Promise<StoredFactReply> {
    checkValidity(request, 'body');
    const draft = await draftOf(caller, request, 'body');
    const [stored] = await this.write(caller, [draft], fence);
    return replyToDraft(draft, stored!);
  }

  /** All or none, in the order of the list. */
  async storeMany(
    caller: DaemonCaller,
    requests: readonly StoreFactRequest[],
    fence?: number,
  ): Promise<StoredFactsReply> {
    requests.forEach((request, place) => {
      checkValidity(request, `body[${place}]`);
      if (request.private)
        throw invalid(`body[${place}].private`, 'must be false here; store private facts one by one by PUT /v1/facts');
    });
    if (requests.length === 0)
      return this.tenants.run(caller, undefined, async () => {
        await this.fences.check(fence);
        return { facts: [] };
      });
    const drafts: FactDraft[] = [];
    for (const [place, request] of requests.entries()) drafts.push(await draftOf(caller, request, `body[${place}]`));
    const stored = await this.write(caller, drafts, fence);
    const successors = successorsOf(drafts);
    return { facts: drafts.map((draft, place) => replyToDraft(draft, stored[place]!, successors[place])) };
  }

  async read(caller: DaemonCaller, factId: string): Promise<FactReply> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    return this.tenancy.run(reader.tenantId, async () => {
      const row = await this.find(reader, factId);
      const sources = await this.sources.see(reader, [row]);
      return { ...replyOf(row, sources.get(row.fact_id)), ...(row.quarantined ? { quarantined: true } : {}) };
    });
  }

  /**
   * Deletes the fact with all its versions.
   * @throws FactSuperseded for the id of an older one
   */
  async retire(caller: DaemonCaller, factId: string, fence?: number): Promise<{ deleted: true }> {
    await this.tenants.write(caller, undefined, async () => {
      await this.fences.check(fence);
      const {
        chain,
        quarantined,
        fact_id: named,
        version,
      } = await this.find(readerOf(caller, this.tenancy.tenant), factId);
      if (quarantined)
        throw new FactQuarantined(
          { fact_id: factId },
          'An incident has it set aside; it can be deleted once that is undone',
        );
      const became = await this.writesStore.retire(chain, actorOf(caller), writerOf(caller), version);
      if (became === 'deleted') throw notFound(factId);
      if (became === 'superseded') throw await this.superseded(named, chain);
    });
    this.outbox.announce();
    return { deleted: true };
  }

  private write(caller: DaemonCaller, drafts: readonly FactDraft[], fence?: number): Promise<StoredFact[]> {
    if (fence !== undefined) return this.writeFenced(caller, drafts, fence);
    return this.tenants.writeAlone(caller, undefined, (tenantId, unit) =>
      unit
        ? this.writesStore.storeInUnit(drafts, writerOf(caller))
        : this.writes.add(tenantId, drafts, writerOf(caller)),
    );
  }

  /** In one transaction with the check of the fence, and so not together with the facts of others. */
  private async writeFenced(caller: DaemonCaller, drafts: readonly FactDraft[], fence: number): Promise<StoredFact[]> {
    const stored = await this.tenants.write(caller, undefined, async () => {
      await this.fences.check(fence);
      return this.writesStore.storeInUnit(drafts, writerOf(caller));
    });
    this.outbox.announce();
    return stored;
  }

  private async superseded(named: string, chain: Buffer): Promise<FactSuperseded> {
    const current = await this.writesStore.findLatestId(chain);
    return new FactSuperseded(
      { fact_id: named, current_fact_id: current! },
      'Read current_fact_id; if it shall go too, delete that one',
    );
  }

  private async find(reader: FactReader, factId: string): Promise<FoundFact> {
    const row = isUuid(factId) ? await this.reads.find(reader, factId) : undefined;
    if (!row) throw notFound(factId);
    return row;
  }
}

const notFound = (factId: string): FactNotFound =>
  new FactNotFound(
    { fact_id: factId },
    'No fact of this tenant that you may see has this fact_id; GET /v1/facts/list shows those there are',
  );

/** Of a name that daemons keep for themselves. */
export const isReservedEntity = isReserved;

export const readerOf = ({ principal, isAdmin }: DaemonCaller, tenantId: string): FactReader => ({
  tenantId,
  principal: ownerOf(principal),
  seesAll: isAdmin,
});

const actorOf = ({ passport, principal }: FactAuthor): string => passport ?? ownerOf(principal);

/** Whose credential writes, under the name that facts and receipts have it. */
export const writerOf = ({
  principal,
  authType,
  agentSession,
  isUnattested,
  isAdmin,
}: Actor & Partial<Pick<DaemonCaller, 'isAdmin'>>): FactWriter => ({
  principal: ownerOf(principal),
  authType,
  agentSession,
  isUnattested,
  seesAll: isAdmin,
});

/** Who says what is stored. */
export type FactAuthor = Pick<DaemonCaller, 'principal'> & Partial<Pick<DaemonCaller, 'passport'>>;

/**
 * A fact as it is stored, its tokens counted.
 * @param path where it stands in the request
 */
export async function draftOf(caller: FactAuthor, request: StoreFactRequest, path: string): Promise<FactDraft> {
  const { private: isPrivate, actor, confidence, valid_from, valid_to, sources, expected_fact_id, ...rest } = request;
  const visibility = visibilityOf(request.entity, isPrivate);
  return {
    ...rest,
    fact_id: newFactId(),
    visibility,
    owner: visibility === VISIBILITY.public ? '' : ownerOf(caller.principal),
    actor: actor ?? actorOf(caller),
    actor_claimed: actor !== undefined && actor !== actorOf(caller) && actor !== ownerOf(caller.principal),
    written_by: ownerOf(caller.principal),
    path,
    valid_from: toMilliseconds(valid_from),
    valid_to: toMilliseconds(valid_to),
    source_ids: sources,
    expected: expected_fact_id,
    // As a 32-bit float: what is smaller than one holds would be refused by the database.
    confidence: Math.fround(confidence),
    tokens: await countTokens(request.value),
  };
}

/** To the millisecond, as in every response; the database would keep more digits, and round up anything finer still. */
const toMilliseconds = (time: string | undefined): string | undefined => time && new Date(time).toISOString();

/** @throws ValidationFailed */
export function checkValidity({ valid_from, valid_to }: StoreFactRequest, where: string): void {
  if (valid_from !== undefined && valid_to !== undefined && Date.parse(valid_from) >= Date.parse(valid_to))
    throw invalid(`${where}.valid_to`, 'must be later than valid_from');
}
