import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { openaiAddress } from '../http/openai-address.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type SpanOptions, SpanKind, traced } from '../observability/tracing.js';
import { EmbeddingsUnavailable, readAnswer, type EmbeddedTexts, type EmbeddingsAnswer } from './embeddings-answer.js';

interface EmbedOptions {
  /** Of one attempt. */
  timeoutMs: number;
  attempts: number;
  /** Aborted when the vectors are wanted no more. */
  signal?: AbortSignal;
  /** Another than the one of the settings. */
  model?: string;
  /** What is asked for and must be answered; undefined: as the model gives. */
  dimensions?: number | undefined;
}

/** Seconds to wait that are believed of an endpoint. */
const MAX_RETRY_AFTER_SEC = 10;

/** A client of an OpenAI-compatible embeddings endpoint (POST /v1/embeddings). */
@Injectable()
export class EmbeddingsClient {
  private readonly address: string | undefined;
  private readonly settings;

  constructor(@Inject(SETTINGS) { retrieval }: Settings) {
    this.settings = retrieval;
    this.address = retrieval.embeddingsUrl && openaiAddress(retrieval.embeddingsUrl, 'embeddings');
  }

  get isConfigured(): boolean {
    return this.address !== undefined;
  }

  get model(): string {
    return this.settings.embeddingsModel;
  }

  /** Texts to one request. */
  get batch(): number {
    return this.settings.embeddingsBatch;
  }

  /** What may recover is tried again. Texts go as they are, in one request. @throws EmbeddingsUnavailable */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<EmbeddedTexts> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await traced(...this.spanOf(options), () => this.ask(texts, options));
      } catch (error) {
        const failure =
          error instanceof EmbeddingsUnavailable
            ? error
            : new EmbeddingsUnavailable('The embeddings endpoint did not answer', true, { cause: error });
        if (!failure.mayRecover || attempt >= options.attempts || options.signal?.aborted) throw failure;
        await sleep(Math.max(100 * 2 ** attempt, failure.retryAfterMs));
      }
    }
  }

  private spanOf({ model = this.model }: EmbedOptions): [string, SpanOptions] {
    const attributes = { 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': model };
    return [`embeddings ${model}`, { kind: SpanKind.CLIENT, attributes }];
  }

  private async ask(texts: readonly string[], options: EmbedOptions): Promise<EmbeddedTexts> {
    if (!this.address) throw new EmbeddingsUnavailable('No embeddings endpoint is configured', false);
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const { embeddingsApiKey, embeddingsEncoding, embeddingsDimensions } = this.settings;
    const { model = this.model, dimensions = 'dimensions' in options ? undefined : embeddingsDimensions } = options;
    const response = await fetch(this.address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(embeddingsApiKey ? { authorization: `Bearer ${embeddingsApiKey}` } : {}),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: embeddingsEncoding, dimensions }),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    if (!response.ok) throw refusalOf(response);
    return readAnswer((await response.json()) as EmbeddingsAnswer, texts.length, dimensions);
  }
}

function refusalOf({ status, headers }: Response): EmbeddingsUnavailable {
  const mayRecover = status === 429 || status >= 500;
  const failure = new EmbeddingsUnavailable(`The embeddings endpoint answered ${status}`, mayRecover);
  const seconds = Number(headers.get('retry-after') ?? 0);
  if (seconds > 0) failure.retryAfterMs = Math.min(seconds, MAX_RETRY_AFTER_SEC) * 1000;
  return failure;
}
