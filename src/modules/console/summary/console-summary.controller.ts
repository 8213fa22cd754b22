import { Controller, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok, unchecked } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { EmbeddingProbe, InfraSummary, Onboarding } from './console-infra.dto.js';
import { ConsoleInfraService } from './console-infra.service.js';
import { ConsoleFacts, ConsoleFactsQuery, ConsoleSummary, ReviewQuery, ReviewQueue } from './console-summary.dto.js';
import { ConsoleSummaryService } from './console-summary.service.js';

const tag = 'console';
const READS = anyOf('admin:read', 'tenant:chunks:read', 'tenant:content:preview');

@Controller()
export class ConsoleSummaryController {
  constructor(
    private readonly summaries: ConsoleSummaryService,
    private readonly infra: ConsoleInfraService,
  ) {}

  @Route('GET /v1/console/summary', {
    ...{ tag, summary: 'Read the counts of the overview', access: READS, reply: ok(ConsoleSummary) },
  })
  readConsoleSummary(@Caller() caller: DaemonCaller): Promise<ConsoleSummary> {
    return this.summaries.summarise(caller);
  }

  @Route('GET /v1/console/facts', {
    ...{ tag, summary: 'List the newest facts with their weight', access: READS, reply: ok(ConsoleFacts) },
    description: 'A summary: GET /v1/facts/list is the authority for what is stored.',
  })
  listConsoleFacts(@Caller() caller: DaemonCaller, @Query() { top_k }: ConsoleFactsQuery): Promise<ConsoleFacts> {
    return this.summaries.listFacts(caller, top_k);
  }

  @Route('GET /v1/console/review/queue', {
    ...{ tag, summary: 'List what waits for a decision', access: READS, reply: ok(ReviewQueue) },
    description:
      'Candidates for facts, gates of work, approvals of the shield, requests for passports and for access: the oldest first, each with the route that decides on it.',
  })
  listReviewQueue(@Caller() caller: DaemonCaller, @Query() { limit }: ReviewQuery): Promise<ReviewQueue> {
    return this.summaries.listWaiting(caller, limit);
  }

  @Route('GET /v1/console/infra/summary', {
    ...{ tag, summary: 'Read how the daemon is', access: READS, reply: ok(InfraSummary) },
  })
  readInfraSummary(@Caller() caller: DaemonCaller): Promise<InfraSummary> {
    return this.infra.summarise(caller);
  }

  @Route('POST /v1/console/embedding/probe', {
    ...{ tag, summary: 'Try the embeddings endpoint', reply: ok(EmbeddingProbe) },
    description: 'One fixed text to SVC_EMBEDDINGS_URL. The request has no body: no other address can be tried.',
    access: anyOf('admin:write', 'facts:write', 'integrations:install', 'integrations:grant', 'integrations:disable'),
    ratePerSecond: 2,
  })
  probeEmbedding(): Promise<EmbeddingProbe> {
    return this.infra.probe();
  }

  @Route('GET /v1/console/onboarding', {
    ...{ tag, summary: 'Read what to do first', access: unchecked(), reply: ok(Onboarding) },
    description: 'The same for everybody; nothing of any tenant.',
  })
  async readOnboarding(): Promise<Onboarding> {
    return this.infra.readOnboarding();
  }
}
