import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { DAEMON_FLAGS } from '../../../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { EmbeddingsUnavailable, type EmbeddedTexts } from '../../../common/embeddings/embeddings-answer.js';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import { readBodyAs } from '../../../common/fields/contract.pipe.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { invalid, ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { CreditMeter } from '../../operations/credits/credit-meter.service.js';
import { type CapabilityDisabled, type EmbeddingList, EmbedRequest, type EmbeddingUsage } from './compute.dto.js';
import { EmbeddingsRefused } from './compute.problems.js';

/** How long a request of the endpoint may take. */
const TIMEOUT_MS = 12_000;
const ATTEMPTS = 2;
const RETRY_AFTER_SEC = 5;
/** So many texts, or fewer, cost a credit. */
const TEXTS_A_CREDIT = 64;

/** Embeds texts at the configured endpoint. */
@Injectable()
export class ComputeService {
  constructor(
    private readonly client: EmbeddingsClient,
    private readonly meter: CreditMeter,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * @param body not looked at while the capability is disabled
   * @throws ValidationFailed, CreditsExhausted, EmbeddingsRefused, ServiceUnavailable
   */
  async embed(caller: DaemonCaller, body: unknown, deadline: AbortSignal): Promise<EmbeddingList | CapabilityDisabled> {
    const disabled = this.findDisabled();
    if (disabled) return disabled;
    const { input, model = this.client.model, encoding_format } = readBodyAs(EmbedRequest, body);
    if (model !== this.client.model)
      throw invalid('body.model', `must be ${this.client.model} (SVC_EMBEDDINGS_MODEL), or be left out`);
    const texts = typeof input === 'string' ? [input] : input;
    const cost = { credits: Math.ceil(texts.length / TEXTS_A_CREDIT), reason: 'embedding' as const };
    const { done: parts, credits } = await this.meter.run(caller, cost, () => this.embedInBatches(texts, deadline));
    const write = encoding_format === 'base64' ? base64Of : (vector: Float32Array) => [...vector];
    const vectors = parts.flatMap((part) => part.vectors);
    const data = vectors.map((vector, index) => ({ object: 'embedding' as const, index, embedding: write(vector) }));
    return { object: 'list', data, model, usage: sumOf(parts), ...(credits && { credits }) };
  }

  private findDisabled(): CapabilityDisabled | undefined {
    const isOn = this.settings.flags.compute;
    const { isConfigured } = this.client;
    if (isOn && isConfigured) return undefined;
    const { env } = DAEMON_FLAGS.compute;
    const missing = [...(isOn ? [] : [`${env}=1`]), ...(isConfigured ? [] : ['SVC_EMBEDDINGS_URL'])].join(' and ');
    return {
      enabled: false,
      capability: 'compute:embed',
      flag: env,
      endpoint_configured: isConfigured,
      detail: `Embedding is disabled; set ${missing} and start the daemon again`,
    };
  }

  private async embedInBatches(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedTexts[]> {
    const parts: EmbeddedTexts[] = [];
    try {
      for (let from = 0; from < texts.length; from += this.client.batch)
        parts.push(
          await this.client.embed(texts.slice(from, from + this.client.batch), {
            timeoutMs: TIMEOUT_MS,
            attempts: ATTEMPTS,
            signal,
          }),
        );
      return parts;
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error;
      this.log.warn({ error }, 'the embeddings endpoint did not embed what POST /v1/compute/embed was sent');
      if (error.mayRecover) throw new ServiceUnavailable({ retryAfterSec: RETRY_AFTER_SEC }, error.message);
      throw new EmbeddingsRefused({}, error.message);
    }
  }
}

const base64Of = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Null where the endpoint left it out of an answer: a sum of the others would be wrong. */
function sumOf(parts: readonly EmbeddedTexts[]): EmbeddingUsage | null {
  const counted = parts.flatMap(({ usage }) => usage ?? []);
  if (counted.length < parts.length) return null;
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    prompt_tokens: sum(counted.map(({ prompt }) => prompt)),
    total_tokens: sum(counted.map(({ total }) => total)),
  };
}
