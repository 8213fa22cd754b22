import { Injectable } from '@nestjs/common';
import { hasScope, type DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { Scope } from '../../../common/contract/scopes.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WorkOutlookService } from '../../coordination/work/work-outlook.service.js';
import { FactReadsService } from '../facts/fact-reads.service.js';
import { readerOf } from '../facts/facts.service.js';
import type { FactRow } from '../facts/facts.types.js';
import { lineOf, type BodyItem, type BodySection, type Omission } from './session-body.rules.js';

const MAX_FACTS = 20;
const MAX_ITEMS = 10;

/** Items of a section before their tokens are counted, or why there are none. */
export type Gathered = Omit<BodyItem, 'tokens'>[] | Omission;

/** What a session finds waiting, as far as the credential could read it by the routes of facts, work and gates. */
@Injectable()
export class SessionItemsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly facts: FactReadsService,
    private readonly work: WorkOutlookService,
  ) {}

  /** In the open unit of work: facts of the session and of the agent, then the newest of all; each once. */
  async listFacts(caller: DaemonCaller, agentId: string | undefined): Promise<Gathered> {
    if (!mayAny(caller, 'query:read', 'admin:read')) return refused('facts', 'query:read or admin:read');
    const entities = [
      ...(caller.agentSession === undefined ? [] : [`session:${caller.agentSession}`]),
      ...(agentId === undefined ? [] : [`agent:${agentId}`]),
    ];
    // Private facts of others stay private: nobody asked for them.
    const reader = { ...readerOf(caller, this.tenancy.tenant), seesAll: false };
    const found = new Map<string, FactRow>();
    for (const filter of [...entities.map((entity) => ({ entity })), {}])
      for (const fact of await this.facts.best(reader, { filter, limit: MAX_FACTS })) found.set(fact.fact_id, fact);
    return [...found.values()].slice(0, MAX_FACTS).map((fact) => ({
      section: 'facts',
      id: fact.fact_id,
      text: `- ${lineOf(fact.entity)} | ${lineOf(fact.key)}: ${lineOf(fact.value)} (fact ${fact.fact_id})`,
    }));
  }

  /** In the open unit of work: items of the passport; who may read the board also what can be begun. */
  async listWork(caller: DaemonCaller): Promise<Gathered> {
    const seesBoard = mayAny(caller, 'admin:read');
    if (caller.passport === undefined && !seesBoard) return refused('work', 'a passport, or admin:read');
    const own = caller.passport === undefined ? [] : await this.work.listOf(caller.passport, MAX_ITEMS);
    const ready = seesBoard ? await this.work.listReady(MAX_ITEMS) : [];
    const rows = new Map([...own, ...ready].map((row) => [row.workId, row]));
    return [...rows.values()].slice(0, MAX_ITEMS).map(({ workId, title, state, assigneePassport, projectId }) => ({
      section: 'work',
      id: workId,
      text: `- ${lineOf(title)} (${workId}, ${state}, project ${projectId}, ${assigneePassport ?? 'nobody'})`,
    }));
  }

  /** In the open unit of work: gates that the passport asked for; who may read the board sees all. */
  async listGates(caller: DaemonCaller): Promise<Gathered> {
    const seesAll = mayAny(caller, 'admin:read');
    if (caller.passport === undefined && !seesAll) return refused('gates', 'a passport, or admin:read');
    const rows = await this.work.listGates(seesAll ? {} : { requestedPassport: caller.passport }, MAX_ITEMS);
    return rows.map(({ actionId, workId, after, requestedPassport }) => ({
      section: 'gates',
      id: actionId,
      text: `- ${workId} to ${after.state ?? 'another form'}, asked by ${requestedPassport} (gate ${actionId})`,
    }));
  }
}

const mayAny = (caller: DaemonCaller, ...scopes: Scope[]): boolean => scopes.some((scope) => hasScope(caller, scope));

const refused = (section: BodySection, needed: string): Omission => ({
  section,
  id: null,
  tokens: null,
  why: `the credential needs ${needed}`,
});
