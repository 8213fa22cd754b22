import 'reflect-metadata';
import { openApi } from '../src/apps/api.app.js';
import { loadSettings } from '../src/common/config/settings.js';
import type { TenantCaller } from '../src/common/contract/caller.js';
import { openDatabase } from '../src/common/database/open.js';
import { makeLog } from '../src/common/observability/log.js';
import { Metrics } from '../src/common/observability/metrics.js';
import { analyzerFor } from '../src/search/analysis.js';
import { utcDay } from '../src/search/bm25.js';
import { queryTerms } from '../src/search/collection.js';
import { SegmentLoader } from '../src/modules/knowledge/retrieval/index/segment-loader.service.js';
import { SnapshotsService } from '../src/modules/knowledge/retrieval/index/snapshots.service.js';
import { groupByLanguage, rankTop } from '../src/modules/knowledge/retrieval/retrieval.rules.js';
import { RetrievalService } from '../src/modules/knowledge/retrieval/retrieval.service.js';
import { answerPlan } from './child.js';
import { runClosedLoop } from './closed-loop.js';
import type { InProcessPlan, LoadResult } from './load.types.js';

type Application = Awaited<ReturnType<typeof openApi>>['app'];

/**
 * A process of its own that calls the search instead of asking for it: the app on the same database, without its HTTP
 * and its guards.
 */
answerPlan<InProcessPlan, LoadResult>(async (plan) => {
  const settings = loadSettings();
  const { address, close } = await openDatabase(settings, () => undefined);
  try {
    const { app } = await openApi({ settings, address, log: makeLog(settings, 'bench'), metrics: new Metrics() });
    const search = plan.depth === 'service' ? callService(app, plan) : await callEngine(app, plan);
    const result = await runClosedLoop(plan, async (number) => {
      await search(plan.queries[number % plan.queries.length]!);
      return true;
    });
    await app.close();
    return result;
  } finally {
    await close();
  }
});

/**
 * All that the route does between its guards and its JSON: ranking, the texts from the database, the record of the
 * retrieval.
 */
function callService(app: Application, { tenantId, limit, lane }: InProcessPlan): (query: string) => Promise<unknown> {
  const service = app.get(RetrievalService, { strict: false });
  const caller: TenantCaller = { tenantId, tier: 'team', principal: 'bench', role: 'owner', authType: 'api_key' };
  const rest = { agentId: 'default-agent', corpusIds: [], includeCommons: true, limit, lane, synonyms: false };
  return (query) => service.retrieve(caller, { query, ...rest });
}

/**
 * The analysis of the query and the ranking alone, over the segments as the service has them in memory; no database.
 */
async function callEngine(
  app: Application,
  { tenantId, limit }: InProcessPlan,
): Promise<(query: string) => Promise<unknown>> {
  const segments = app.get(SegmentLoader, { strict: false });
  const { snapshot } = await app.get(SnapshotsService, { strict: false }).find(tenantId);
  const day = utcDay(new Date());
  return async (query) => {
    const languages = new Set(snapshot.shards.map(({ language }) => language));
    const terms = new Map(
      [...languages].map((language) => [language, queryTerms(analyzerFor(language).analyze(query))]),
    );
    const views = await segments.open(tenantId, snapshot.shards, ({ language }) =>
      terms.get(language)!.map(({ term }) => term),
    );
    return rankTop(groupByLanguage(views, terms, day), limit + 1);
  };
}
