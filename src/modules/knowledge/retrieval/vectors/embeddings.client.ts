import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';

/** The endpoint did not give what was asked of it. */
export class EmbeddingsUnavailable extends Error {}

interface EmbeddingsAnswer {
  data?: { index?: number; embedding?: unknown }[];
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
   * Vectors of unit length, one a text, in order. Time-outs, refusals to serve (429) and faults (5xx) are tried again.
   * @throws EmbeddingsUnavailable
   */
  async embed(texts: readonly string[], options: { timeoutMs: number; attempts: number }): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ask(texts, options.timeoutMs);
      } catch (error) {
        const mayRecover = !(error instanceof EmbeddingsUnavailable) || error.cause === 'try again';
        if (!mayRecover || attempt >= options.attempts) {
          throw error instanceof EmbeddingsUnavailable
            ? error
            : new EmbeddingsUnavailable('The embeddings endpoint did not answer', { cause: error });
        }
        await sleep(100 * 2 ** attempt);
      }
    }
  }

  private async ask(texts: readonly string[], timeoutMs: number): Promise<Float32Array[]> {
    if (!this.address) throw new EmbeddingsUnavailable('No embeddings endpoint is configured');
    const { embeddingsApiKey } = this.settings;
    const response = await fetch(this.address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(embeddingsApiKey ? { authorization: `Bearer ${embeddingsApiKey}` } : {}),
      },
      body: JSON.stringify({ model: this.model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      const isPassing = response.status === 429 || response.status >= 500;
      const cause = isPassing ? 'try again' : undefined;
      throw new EmbeddingsUnavailable(`The embeddings endpoint answered ${response.status}`, { cause });
    }
    return vectorsOf((await response.json()) as EmbeddingsAnswer, texts.length);
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
    throw new EmbeddingsUnavailable('The embeddings endpoint answered with something else than one vector a text');
  });
}

function unitVector(embedding: unknown): Float32Array | undefined {
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  const values = embedding as unknown[];
  if (!values.every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  const vector = Float32Array.from(values as number[]);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : undefined;
}
