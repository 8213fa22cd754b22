import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../src/common/client/api-client.js';
import { countTokens } from '../src/common/tokens/tokenizer.js';
import { CountingAgent, type JourneyAddress, type StepCost, type ToolReply } from './journey-agent.js';
import { keyWords, rankOf, resultsIn } from './journey-findings.js';
import type { JourneyPlan, PlannedFact, PlannedQuestion } from './journey-plan.js';

/** The servers of a journey, and what others do meanwhile. */
export interface JourneyWorld extends JourneyAddress {
  /** The key of another owner, who approves; without one no approval is asked for. */
  otherKey?: string;
  /** Waits until the facts can be found in every way that the server has. */
  factsReady?(): Promise<void>;
}

interface FoundQuestion {
  ask: string;
  /** Of the first search, as the model saw it; 0: not among the results. */
  rank: number;
  /** Of the first eight, whatever the budget showed. */
  wideRank: number;
  calls: number;
  answered: boolean;
  fit: string;
}

interface FoundFact {
  ask: string;
  rank: number;
  shown: number;
}

/** What a journey came to. */
export interface JourneyReport {
  name: string;
  documents: { count: number; tokens: number };
  tools: { count: number; tokens: number };
  calls: number;
  tokens: number;
  context: number;
  questions: FoundQuestion[];
  withoutAnswer: { ask: string; fit: string }[];
  facts: FoundFact[];
  /** What has to be so, by what it is. */
  holds: Record<string, boolean>;
  steps: StepCost[];
}

const AGENT = 'scout';
const CORPUS = 'journey';
const WAIT_MS = 60_000;

/** Plays the job of an agent: everything by tools, but for what other people do. */
export async function runJourney(plan: JourneyPlan, world: JourneyWorld): Promise<JourneyReport> {
  const agent = await CountingAgent.connect(world);
  try {
    return await new Journey(plan, world, agent).run();
  } finally {
    await agent.close();
  }
}

class Journey {
  private readonly holds: Record<string, boolean> = {};
  private readonly factIds = new Map<string, string>();

  constructor(
    private readonly plan: JourneyPlan,
    private readonly world: JourneyWorld,
    private readonly agent: CountingAgent,
  ) {}

  async run(): Promise<JourneyReport> {
    const { plan, agent } = this;
    await this.ingestAll();
    const questions: FoundQuestion[] = [];
    for (const question of plan.questions) questions.push(await this.answer(question));
    const withoutAnswer: JourneyReport['withoutAnswer'] = [];
    for (const ask of plan.without_answer) withoutAnswer.push(await this.lookInVain(ask));
    for (const fact of plan.facts) await this.remember(fact);
    await this.world.factsReady?.();
    const facts: FoundFact[] = [];
    for (const fact of plan.facts) facts.push(await this.recall(fact));
    await this.replace();
    await this.followChange();
    if (this.world.otherKey !== undefined) await this.askForApproval(this.world.otherKey);
    await this.comeBack();
    const sum = (of: (step: StepCost) => number) => agent.steps.reduce((all, step) => all + of(step), 0);
    const texts = await Promise.all(plan.documents.map(({ content }) => countTokens(content)));
    return {
      ...{ name: plan.name, documents: { count: texts.length, tokens: texts.reduce((all, one) => all + one, 0) } },
      ...{ tools: agent.tools, calls: sum(({ calls }) => calls), context: agent.context },
      tokens: agent.tools.tokens + sum(({ tokensIn, tokensOut }) => tokensIn + tokensOut),
      ...{ questions, withoutAnswer, facts, holds: this.holds, steps: agent.steps },
    };
  }

  private async ingestAll(): Promise<void> {
    for (const { docId, title, content } of this.plan.documents)
      await this.agent.task('ingest the documents', async () => {
        const given = { corpus_id: CORPUS, doc_id: docId, title, content, wait_seconds: 30 };
        const { data, text } = await this.agent.call('ingest', given, ['content']);
        if (data['status'] !== 'completed') throw new Error(`ingest ${docId}: ${text}`);
        return { note: docId, value: undefined };
      });
  }

  private answer({ ask, passage }: PlannedQuestion): Promise<FoundQuestion> {
    return this.agent.task('questions', async () => {
      const first = await this.agent.call('search', { query: ask });
      const rank = rankOf(first, passage);
      const wide = await this.agent.uncounted('search', { query: ask, limit: 8, token_budget: 20_000 });
      const fit = String(first.data['fit']);
      const again = fit === 'strong' ? undefined : await this.agent.call('search', { query: keyWords(ask) });
      const answered = rank > 0 || (again !== undefined && rankOf(again, passage) > 0);
      const value = { ask, rank, wideRank: rankOf(wide, passage), calls: again ? 2 : 1, answered, fit };
      return { note: answered ? `${ask} ${passage}` : ask, value };
    });
  }

  private lookInVain(ask: string): Promise<{ ask: string; fit: string }> {
    return this.agent.task('questions without an answer', async () => {
      const { data } = await this.agent.call('search', { query: ask });
      return { note: `${ask} Nothing.`, value: { ask, fit: String(data['fit']) } };
    });
  }

  private remember({ entity, key, value }: Omit<PlannedFact, 'ask'>): Promise<void> {
    return this.agent.task('facts', async () => {
      const { data, text } = await this.agent.call('remember', { entity, key, value, agent_id: AGENT });
      if (typeof data['id'] !== 'string') throw new Error(`remember: ${text}`);
      this.factIds.set(`${entity} ${key}`, data['id']);
      return { note: '', value: undefined };
    });
  }

  private recall({ entity, key, ask }: PlannedFact): Promise<FoundFact> {
    return this.agent.task('facts in other words', async () => {
      const reply = await this.agent.call('search', { query: ask, in: 'facts' });
      const shown = resultsIn(reply);
      const rank = shown.findIndex(({ id }) => id === this.factIds.get(`${entity} ${key}`)) + 1;
      return { note: '', value: { ask, rank, shown: shown.length } };
    });
  }

  private replace(): Promise<void> {
    const { entity, key, value } = this.plan.replaced;
    const before = this.plan.facts.find((fact) => fact.entity === entity && fact.key === key)!;
    return this.agent.task('a fact that is replaced', async () => {
      const { text } = await this.agent.call('remember', { entity, key, value, agent_id: AGENT });
      this.holds['remember shows what it replaced'] = text.includes(before.value);
      const found = await this.agent.call('search', { query: `${entity} ${key}`, in: 'facts' });
      this.holds['only the new value is found'] = found.text.includes(value) && !found.text.includes(before.value);
      return { note: value, value: undefined };
    });
  }

  /** A fact with a source, and an answer that is proved and watched; then somebody changes the document. */
  private followChange(): Promise<void> {
    const { agent, plan } = this;
    const { from, to, question } = plan.changed;
    const { ask, passage } = plan.questions[question]!;
    return agent.task('a source that changes', async () => {
      const wide = await agent.uncounted('search', { query: passage, in: 'documents', limit: 8, token_budget: 20_000 });
      const source = resultsIn(wide)[rankOf(wide, passage) - 1];
      if (!source) throw new Error(`search does not find "${passage}" by its own words`);
      const fact = { entity: 'journey', key: 'learnt', value: passage, sources: [source.id], agent_id: AGENT };
      const { data: kept } = await agent.call('remember', fact);
      const given = { text: `${ask} ${passage}`, cites: [source.id], prove: 'light', watch: true, agent_id: AGENT };
      const { data: recorded } = await agent.call('record_answer', given);
      this.holds['an answer is proved when it is recorded'] = recorded['verdict'] === 'holds';
      await this.change();
      const read = await agent.call('read', { id: kept['id'] });
      this.holds['a fact says that its source changed'] = /CHANGED|REPLACED|DELETED/.test(read.text);
      const proof = await agent.call('prove', { id: recorded['id'], agent_id: AGENT });
      this.holds['a new proof sees the change'] = proof.data['verdict'] === 'drifted';
      await this.untilNews(to);
      const news = await agent.call('whats_new', { agent_id: AGENT });
      this.holds['whats_new has the old and the new text'] = news.text.includes(from) && news.text.includes(to);
      return { note: to, value: undefined };
    });
  }

  private async change(): Promise<void> {
    const { document, from, to } = this.plan.changed;
    const { docId, title, content } = this.plan.documents.find((one) => one.docId === document)!;
    const given = { corpus_id: CORPUS, doc_id: docId, title, content: content.replace(from, to), wait_seconds: 30 };
    const { data, text } = await this.agent.uncounted('ingest', given);
    if (data['status'] !== 'completed') throw new Error(`ingest ${docId}: ${text}`);
  }

  /** Alerts are made by a job. */
  private async untilNews(text: string): Promise<void> {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(100)) {
      const reply = await this.agent.uncounted('whats_new', { agent_id: AGENT, token_budget: 20_000 });
      if (reply.text.includes(text)) return;
    }
  }

  private askForApproval(otherKey: string): Promise<void> {
    const owner = new ApiClient(this.world);
    const other = new ApiClient({ ...this.world, apiKey: otherKey });
    const [id] = [...this.factIds.values()];
    return this.agent.task('an approval', async () => {
      const order = {
        scope: 'action',
        target: 'forget',
        mode: 'require_approval',
        reason: 'What is forgotten is reviewed',
      };
      await owner.post('/v1/shield/kill-switches', order);
      const asked = await this.agent.call('forget', { fact_id: id });
      const approval = approvalIn(asked);
      this.holds['the message of a refusal names the approval'] = approval !== undefined;
      if (approval !== undefined) {
        const decision = { decision: 'approve', reason: 'It is out of date' };
        await other.post(`/v1/shield/approvals/${approval}/resolve`, decision);
      }
      const again = await this.agent.call('forget', { fact_id: id });
      this.holds['once approved the same call goes through'] = !again.isError;
      return { note: again.text, value: undefined };
    });
  }

  private async comeBack(): Promise<void> {
    await this.agent.task('a new session', async () => {
      const who = await this.agent.call('start_session', {});
      this.holds['start_session lists the agent'] = who.text.includes(AGENT);
      const known = await this.agent.call('start_session', { agent_id: AGENT });
      const [fact] = this.plan.facts.slice(-1);
      this.holds['start_session has facts, and what changed'] =
        known.text.includes(fact!.value) && known.text.includes(this.plan.changed.to);
      return { note: '', value: undefined };
    });
  }
}

/** The model has the message alone. */
const approvalIn = ({ text }: ToolReply): string | undefined =>
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0];
