import { ApiClient, type ApiAddress } from '../src/common/client/api-client.js';
import type { DocumentInput, RetrievalReply } from '../src/common/client/api-replies.js';
import { ingestDocuments } from '../src/common/client/ingest-documents.js';
import { countTokens } from '../src/common/tokens/tokenizer.js';
import type { Conversation, Turn } from './conversations.js';
import type { Answered } from './memory-measures.js';

/** What plain search returns at most. */
export const FACTS_TOP_K = 50;
export const PASSAGES_TOP_K = 10;
/** Context assembly gets this share of the tokens that plain search returned for the same question. */
const SHARE = 4;
const FACTS_A_REQUEST = 200;
const CORPUS = 'sessions';

/** More than all items together: what is found then is what any order of them could give. */
const UNBOUNDED = 1_000_000;

export type WayName =
  'facts' | 'passages' | 'context_of_facts' | 'context_of_passages' | 'context_of_both' | 'context_unbounded';
export type WayAnswers = Record<WayName, Answered>;

interface FoundItem {
  kind: string;
  text: string;
  tokens: number;
}

/** A conversation as it is remembered in a tenant: each turn a fact, each session a document. */
export class RememberedConversation {
  private readonly lineOf = new Map<string, Turn>();
  /** Milliseconds of each context with a bound. */
  readonly took: number[] = [];

  private constructor(
    private readonly conversation: Conversation,
    private readonly daemonUrl: string,
    private readonly address: ApiAddress,
  ) {
    for (const turn of conversation.turns) this.lineOf.set(lineText(turn), turn);
  }

  static async store(
    conversation: Conversation,
    daemonUrl: string,
    address: ApiAddress,
  ): Promise<RememberedConversation> {
    const remembered = new RememberedConversation(conversation, daemonUrl, address);
    await remembered.storeFacts();
    await ingestDocuments(new ApiClient(address), documentsOf(conversation), () => undefined);
    return remembered;
  }

  /** The same question by each way; the budgets of contexts are what plain search took for it, divided by four. */
  async ask(question: string): Promise<WayAnswers> {
    const facts = await this.searchFacts(question);
    const passages = await this.searchPassages(question);
    const quarterOf = (tokens: number): number => Math.max(1, Math.floor(tokens / SHARE));
    return {
      facts,
      passages,
      context_of_facts: await this.assemble(question, quarterOf(facts.tokens)),
      context_of_passages: await this.assemble(question, quarterOf(passages.tokens)),
      context_of_both: await this.assemble(question, quarterOf(facts.tokens + passages.tokens)),
      context_unbounded: await this.assemble(question, UNBOUNDED),
    };
  }

  private async storeFacts(): Promise<void> {
    const facts = this.conversation.turns.map((turn) => ({
      ...{ entity: entityOf(turn), key: turn.id, value: `${turn.date}: ${turn.text}` },
    }));
    for (let from = 0; from < facts.length; from += FACTS_A_REQUEST)
      await this.call('PUT', '/v1/facts/bulk', facts.slice(from, from + FACTS_A_REQUEST));
  }

  private async searchFacts(question: string): Promise<Answered> {
    const path = `/v1/facts?top_k=${FACTS_TOP_K}&query=${encodeURIComponent(question)}`;
    const reply = await this.call<{ facts: { entity: string; key: string; value: string }[] }>('GET', path);
    let tokens = 0;
    // As a context shows a fact, so that both are counted alike.
    for (const { entity, key, value } of reply.facts) tokens += await countTokens(`${entity} ${key}: ${value}`);
    return { turns: reply.facts.map(({ key }) => key), tokens, sent: await sentTokens(reply) };
  }

  private async searchPassages(query: string): Promise<Answered> {
    const request = { query, corpusIds: [CORPUS], limit: PASSAGES_TOP_K, lane: 'verified', includeCommons: false };
    const reply = await new ApiClient(this.address).post<RetrievalReply>('/v1/retrieve', request);
    let tokens = 0;
    for (const { content } of reply.results) tokens += await countTokens(content);
    const turns = [...new Set(reply.results.flatMap(({ content }) => this.turnsIn(content)))];
    return { turns, tokens, sent: await sentTokens(reply) };
  }

  private async assemble(task: string, token_budget: number): Promise<Answered> {
    const include = ['facts', 'passages'];
    const from = performance.now();
    const reply = await this.call<{ items: FoundItem[]; total_tokens: number }>('POST', '/v1/context', {
      ...{ task, token_budget, include },
    });
    if (token_budget < UNBOUNDED) this.took.push(performance.now() - from);
    const keys = new Map(this.conversation.turns.map((turn) => [`${entityOf(turn)} ${turn.id}:`, turn.id]));
    const turns = reply.items.flatMap(({ kind, text }) =>
      kind === 'facts' ? factTurn(text, keys) : this.turnsIn(text),
    );
    return { turns: [...new Set(turns)], tokens: reply.total_tokens, sent: await sentTokens(reply) };
  }

  /** The turns that stand in a passage whole, in their order. */
  private turnsIn(content: string): string[] {
    const text = flat(content);
    return [...this.lineOf].filter(([line]) => text.includes(line)).map(([, { id }]) => id);
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.daemonUrl}${path}`, {
      method,
      headers: {
        'x-svc-scopes': 'facts:write query:read',
        'x-svc-tenant-id': this.address.tenantId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** What an agent pays that reads the answer as it is sent. */
const sentTokens = (reply: object): Promise<number> => countTokens(JSON.stringify(reply));

const entityOf = ({ speaker }: Turn): string => `speaker:${speaker}`;
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const lineText = ({ speaker, text }: Turn): string => flat(`${speaker}: ${text}`);

function factTurn(text: string, keys: ReadonlyMap<string, string>): string[] {
  const end = text.indexOf(': ');
  const id = keys.get(text.slice(0, end + 1));
  return id === undefined ? [] : [id];
}

function documentsOf({ turns }: Conversation): DocumentInput[] {
  return [...Map.groupBy(turns, ({ session }) => session)].map(([session, said]) => ({
    ...{ corpusId: CORPUS, docId: session, title: `${session} ${said[0]!.date}` },
    content: said.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n'),
    url: `https://conversation.example/${encodeURIComponent(session)}`,
  }));
}
