import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runJourney, type JourneyReport } from '../../../bench/journey.js';
import { readJourney } from '../../../bench/journey-plan.js';
import { startAgent, type TestAgent } from '../../kit/agent.js';
import { startEmbeddings, type EmbeddingsServer } from '../../kit/embeddings.js';
import { embedMeaning, MEANING_DIMENSIONS } from '../../kit/word-meanings.js';
import { settled } from '../memory-vectors/given.js';
import { anotherKey } from '../shield/given.js';

const FOLDERS = resolve(import.meta.dirname, '../../../bench/data');

async function journeyOf(agent: TestAgent, name: string, hasVectors: boolean): Promise<JourneyReport> {
  const { tenantId, apiKey } = await agent.api.addTenant(name);
  const { apiKey: otherKey } = await anotherKey(agent.api, { ...agent.api.tenant, tenantId });
  const factsReady = hasVectors ? () => settled(agent.api, tenantId) : undefined;
  const at = { url: agent.api.url, mcpUrl: `${agent.tools.url}/mcp`, tenantId, apiKey };
  return runJourney(readJourney(resolve(FOLDERS, name)), { ...at, otherKey, factsReady });
}

const isFirst = ({ rank }: { rank: number }): boolean => rank === 1;
const isInThree = ({ rank }: { rank: number }): boolean => rank >= 1 && rank <= 3;

/** What no journey may cost, and what has to be so in each. */
function expectBounds({ tools, tokens, context, questions, facts, holds }: JourneyReport): void {
  expect(tools.count).toBe(15);
  expect(tools.tokens).toBeLessThanOrEqual(2_000);
  expect(tokens).toBeLessThanOrEqual(40_000);
  expect(context).toBeLessThanOrEqual(16_000);
  for (const { calls } of questions) expect(calls).toBeLessThanOrEqual(2);
  expect(facts.filter(({ shown }) => shown === 0)).toEqual([]);
  expect(Object.entries(holds).filter(([, isSo]) => !isSo)).toEqual([]);
  expect(Object.keys(holds)).toHaveLength(10);
}

describe('an agent that knows only the tools, without an embeddings endpoint', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent();
  });
  afterAll(() => agent.close());

  /**
   * As measured (docs/agents.md): less is a step back. The project's own pages are edited all the time, and what is
   * written moves what is found: of them one less will do.
   */
  it.each([
    ['handbook', { questions: 11, facts: 12 }],
    ['runbook', { questions: 10, facts: 8 }],
    ['own-docs', { questions: 5, facts: 5 }],
  ])('does its job in %s', async (name, least) => {
    const report = await journeyOf(agent, name, false);
    expectBounds(report);
    expect(report.questions.filter(isInThree).length).toBeGreaterThanOrEqual(least.questions);
    expect(report.facts.filter(isFirst).length).toBeGreaterThanOrEqual(least.facts);
  });
});

describe('with an endpoint that knows words of one meaning', () => {
  let endpoint: EmbeddingsServer;
  let agent: TestAgent;
  beforeAll(async () => {
    endpoint = await startEmbeddings();
    endpoint.manner.embed = embedMeaning;
    const env = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: `words-${MEANING_DIMENSIONS}` };
    agent = await startAgent({ env });
  });
  afterAll(async () => {
    await agent.close();
    await endpoint.close();
  });

  it.each([
    ['handbook', 10],
    ['runbook', 10],
    ['own-docs', 6],
  ])('does its job in %s', async (name, least) => {
    const report = await journeyOf(agent, name, true);
    expectBounds(report);
    expect(report.questions.filter(isInThree).length).toBeGreaterThanOrEqual(least);
    expect(report.facts.filter(isFirst).length).toBeGreaterThanOrEqual(9);
  });
});
