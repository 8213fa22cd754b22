import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';

/** The endpoint did not give what was asked of it. */
export class EmbeddingsUnavailable extends Error {
  constructor(
    message: string,
    /** Whether the same may be answered later: a time-out, a refusal to serve (429) or a fault (5xx). */
    readonly mayRecover: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface EmbeddingsAnswer {
  data?: { index?: number; embedding?: unknown }[];
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown };
}

export interface EmbeddedTexts {
  /** Of unit length, one a text, in order. */
  vectors: Float32Array[];
  /** What the endpoint says it took; undefined where it says nothing. */
  usage: EmbeddingTokens | undefined;
}

interface EmbeddingTokens {
  prompt: number;
  total: number;
}

interface EmbedOptions {
  /** Of one attempt. */
  timeoutMs: number;
  attempts: number;
  /** Aborted when the vectors are wanted no more. */
  signal?: AbortSignal;
}

/** A client of an OpenAI-compatible embeddings endpoint (POST /v1/embeddings). */
@Injectable()
export class EmbeddingsClient {
  private readonly address: string | undefined;
  private readonly settings;

  constructor(@Inject(SETTINGS) { retrieval }: Settings) {
    this.settings = retrieval;
    this.address = retrieval.embeddingsUrl && addressOf(retrieval.embeddingsUrl);
  }

  get isConfigured(): boolean {
    return this.address !== undefined;
  }

  get model(): string {
    return this.settings.embeddingsModel;
  }

  /**
   * What may recover is tried again.
   * @throws EmbeddingsUnavailable
   */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<EmbeddedTexts> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ask(texts, options);
      } catch (error) {
        const failure =
          error instanceof EmbeddingsUnavailable
            ? error
            : new EmbeddingsUnavailable('The embeddings endpoint did not answer', true, { cause: error });
        if (!failure.mayRecover || attempt >= options.attempts || options.signal?.aborted) throw failure;
        await sleep(100 * 2 ** attempt);
      }
    }
  }

  private async ask(texts: readonly string[], { timeoutMs, signal }: EmbedOptions): Promise<EmbeddedTexts> {
    if (!this.address) throw new EmbeddingsUnavailable('No embeddings endpoint is configured', false);
    const timeout = AbortSignal.timeout(timeoutMs);
    const { embeddingsApiKey } = this.settings;
    const response = await fetch(this.address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(embeddingsApiKey ? { authorization: `Bearer ${embeddingsApiKey}` } : {}),
      },
      body: JSON.stringify({ model: this.model, input: texts, encoding_format: 'float' }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) {
      const mayRecover = response.status === 429 || response.status >= 500;
      throw new EmbeddingsUnavailable(`The embeddings endpoint answered ${response.status}`, mayRecover);
    }
    const answer = (await response.json()) as EmbeddingsAnswer;
    return { vectors: vectorsOf(answer, texts.length), usage: usageOf(answer) };
  }
}

function addressOf(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  if (trimmed.endsWith('/embeddings')) return trimmed;
  return trimmed.endsWith('/v1') ? `${trimmed}/embeddings` : `${trimmed}/v1/embeddings`;
}

function vectorsOf({ data }: EmbeddingsAnswer, count: number): Float32Array[] {
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  data?.forEach(({ index, embedding }, i) => (vectors[index ?? i] = unitVector(embedding)));
  const [first] = vectors;
  return vectors.map((vector) => {
    if (vector && vector.length === first?.length) return vector;
    throw new EmbeddingsUnavailable('The embeddings endpoint answered something else than one vector a text', false);
  });
}

function usageOf({ usage }: EmbeddingsAnswer): EmbeddingTokens | undefined {
  const { prompt_tokens: prompt, total_tokens: total = prompt } = usage ?? {};
  return isCount(prompt) && isCount(total) ? { prompt, total } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function unitVector(embedding: unknown): Float32Array | undefined {
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  const values = embedding as unknown[];
  if (!values.every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  const vector = Float32Array.from(values as number[]);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : undefined;
}
