import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { readAtMost } from '../http/bounded-answer.js';
import { retryAfterMs } from '../http/retry-after.js';
import { openaiAddress } from '../http/openai-address.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type SpanOptions, SpanKind, traced } from '../observability/tracing.js';
import {
  EmbeddingsUnavailable,
  readAnswer,
  refusedTexts,
  type EmbeddedTexts,
  type EmbeddingsAnswer,
} from './embeddings-answer.js';

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

/** How long an endpoint is waited for that asks for it. */
const MAX_RETRY_AFTER_MS = 10_000;
/** 16,384 dimensions as decimal numbers of 24 characters. What is longer is not read. */
const MAX_BYTES_A_VECTOR = 400_000;
const MAX_OTHER_BYTES = 1024 * 1024;

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
        await pause(Math.max(100 * 2 ** attempt, failure.retryAfterMs), options.signal);
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
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(embeddingsApiKey ? { authorization: `Bearer ${embeddingsApiKey}` } : {}),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: embeddingsEncoding, dimensions }),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw refusalOf(response);
    }
    const bytes = await readAtMost(response, texts.length * MAX_BYTES_A_VECTOR + MAX_OTHER_BYTES);
    return readAnswer(JSON.parse(bytes.toString('utf8')) as EmbeddingsAnswer, texts.length, dimensions);
  }
}

/** Ends early, without an error, when the vectors are wanted no more: the next attempt says so. */
const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);

/** What an endpoint answers that takes no work just now. */
const BUSY = [429, 503];
/** How endpoints refuse texts: too many tokens by their own count, an empty one, what they do not take. */
const OF_TEXTS = [400, 413, 422];

function refusalOf({ status, headers }: Response): EmbeddingsUnavailable {
  const mayRecover = status === 429 || status >= 500;
  const message = `The embeddings endpoint answered ${status}`;
  if (OF_TEXTS.includes(status)) return refusedTexts(message);
  const failure = new EmbeddingsUnavailable(message, mayRecover);
  failure.mayBeOfTexts = mayRecover && !BUSY.includes(status);
  failure.retryAfterMs = Math.min(retryAfterMs(headers.get('retry-after')) ?? 0, MAX_RETRY_AFTER_MS);
  return failure;
}
