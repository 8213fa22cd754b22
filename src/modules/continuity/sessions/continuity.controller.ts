import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { HomeList } from './agents-list.dto.js';
import { AgentsListService } from './agents-list.service.js';
import { JournalRoutesService } from './journal-routes.service.js';
import { JournalAppended, JournalEventSent, JournalList, JournalQuery } from './journal.dto.js';
import { JournalEventDiffers } from './journal/journal.problems.js';
import { HomePath } from './primitives.dto.js';
import { SessionContext, SessionContextQuery } from './session-context.dto.js';
import { SessionContextService } from './session-context.service.js';
import { StalePinList } from './stale-pins.dto.js';
import { StalePinsService } from './stale-pins.service.js';

const READ = {
  tag: 'continuity',
  flag: 'continuity',
  access: seats('owner', 'admin', 'member', 'viewer'),
} satisfies Partial<RouteDeclaration<unknown>>;
const EMPTY = 'An agent that nobody has written for has an empty home, never 404.';

@Controller()
export class ContinuityController {
  constructor(
    private readonly agents: AgentsListService,
    private readonly journal: JournalRoutesService,
    private readonly stalePins: StalePinsService,
    private readonly context: SessionContextService,
  ) {}

  @Route('GET /v1/home', {
    ...READ,
    summary: 'List the agents of the tenant',
    description:
      'Whatever names an agent: retrievals, answers, its journal, watches, proofs and accounts of credits. The last active first.',
    reply: ok(HomeList),
  })
  listAgents(@Caller() caller: TenantCaller, @Query() query: PageQuery): Promise<HomeList> {
    return this.agents.list(caller, query);
  }

  @Route('GET /v1/home/:agentId/journal', {
    ...READ,
    summary: 'List the journal of an agent',
    description: `What happened to the agent, numbered without gaps; nothing in it is ever changed or removed. ${EMPTY}`,
    reply: ok(JournalList),
  })
  readJournal(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Query() query: JournalQuery,
  ): Promise<JournalList> {
    return this.journal.list(caller, agentId, query);
  }

  @Route('POST /v1/home/:agentId/journal/events', {
    ...READ,
    access: seats('owner', 'admin', 'member'),
    summary: 'Append an event to the journal',
    description:
      'One of watch_alert, proof_completed, schema_adopted; any other type is refused with 400, and so is data that does not fit its type. The product itself writes watch_alert, ' +
      'proof_completed and primitive_changed. A repeat with the same eventId and content adds nothing and answers the entry with duplicate true; with other content it is 409 JournalEventDiffers.',
    reply: created(JournalAppended),
    problems: [JournalEventDiffers],
  })
  recordJournalEvent(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Body() sent: JournalEventSent,
  ): Promise<JournalAppended> {
    return this.journal.record(caller, agentId, sent);
  }

  @Route('GET /v1/home/:agentId/stale-pins', {
    ...READ,
    summary: 'List stale pins',
    description:
      "Pins whose source has changed: what primitives in force pin, compared with the documents as they are now: a passage that is not in its document's present version, and an answer of which a cited passage is not, " +
      `or that was recorded again. What is current does not appear. ${EMPTY}`,
    reply: ok(StalePinList),
  })
  readStalePins(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Query() query: PageQuery,
  ): Promise<StalePinList> {
    return this.stalePins.list(caller, agentId, query);
  }

  @Route('GET /v1/home/:agentId/session-context', {
    ...READ,
    summary: 'Get the session context of an agent',
    description:
      'A digest to start a session with. The text fits the token budget, and the lists hold just what it shows. Each part has a share of the budget and what others leave; within it the order is fixed, so that the same home makes ' +
      `the same digest. An item is whole or left out, and omitted counts those. ${EMPTY}`,
    reply: ok(SessionContext),
  })
  readSessionContext(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Query() { token_budget }: SessionContextQuery,
  ): Promise<SessionContext> {
    return this.context.make(caller, agentId, token_budget);
  }
}
