import { Injectable } from '@nestjs/common';
import { Raw, Not } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Where } from '../../../common/tenancy/tenant-repository.js';
import { IntentRow, type IntentDraft } from './intent.entity.js';

/** Intents of the open unit of work's tenant. What has expired is not there for any reader, swept or not. */
@Injectable()
export class IntentsStore {
  private readonly intents: TenantRepository<IntentRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.intents = new TenantRepository(tenancy, IntentRow);
  }

  /** Of two that announce in a project, or for a session, at the same time the later one sees the other. */
  async lock({ projectId, sessionId }: IntentDraft): Promise<void> {
    await this.tenancy.lock('intents', projectId);
    await this.tenancy.lock('intent of a session', sessionId);
  }

  findLive(sessionId: string): Promise<IntentRow | undefined> {
    return this.intents.find({ sessionId, ...LIVE });
  }

  /** In place of what the session had announced. */
  async put(draft: IntentDraft, ttlSeconds: number): Promise<IntentRow> {
    const { sessionId, projectId } = draft;
    const before = await this.intents.find({ sessionId, projectId, ...LIVE });
    const times = {
      since: before?.since ?? NOW,
      announcedAt: NOW,
      expiresAt: () => `statement_timestamp() + ${ttlSeconds} * interval '1 second'`,
    };
    return this.intents.put({ ...draft, ...times }, WRITTEN);
  }

  /** @returns what was live of the session */
  async remove(sessionId: string): Promise<IntentRow | undefined> {
    const live = await this.intents.find({ sessionId, ...LIVE }, 'update');
    await this.intents.delete({ sessionId });
    return live;
  }

  /**
   * Of one passport those that were announced before its newest, as far as they may be removed.
   * @returns what was live
   */
  async removeBeyond(byPassport: string, newest: number, mayRemove: (row: IntentRow) => boolean): Promise<IntentRow[]> {
    await this.tenancy.lock('sessions of a passport', byPassport);
    const rows = await this.intents.list(
      { byPassport, ...LIVE },
      { order: { announcedAt: 'desc', sessionId: 'desc' } },
    );
    const older = rows.slice(newest).filter(mayRemove);
    for (const { sessionId } of older) await this.intents.delete({ sessionId });
    return older;
  }

  /** By session. */
  listLive(projectId: string | undefined, after: [string] | undefined, take: number): Promise<IntentRow[]> {
    return this.intents.list({ projectId, ...LIVE }, { order: { sessionId: 'asc' }, after, take });
  }

  /** Of the other sessions in a project, newest first. */
  listPeers({ projectId, sessionId }: IntentDraft, take: number): Promise<IntentRow[]> {
    const where = { projectId, sessionId: Not(sessionId), ...LIVE };
    return this.intents.list(where, { order: { announcedAt: 'desc', sessionId: 'desc' }, take });
  }
}

/** The clock now, not at the start of the transaction, which may have waited for others. */
const NOW = (): string => 'statement_timestamp()';
const LIVE: Where<IntentRow> = { expiresAt: Raw((column) => `${column} > statement_timestamp()`) };
const WRITTEN: (keyof IntentRow)[] = [
  ...(['intentId', 'projectId', 'byPassport', 'execplanSlug', 'milestone', 'deployTarget', 'paths', 'note'] as const),
  ...(['announcedBy', 'since', 'announcedAt', 'expiresAt'] as const),
];
