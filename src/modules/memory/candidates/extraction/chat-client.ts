import { Inject, Injectable } from '@nestjs/common';
import { AnswerTooLong, readAtMost } from '../../../../common/http/bounded-answer.js';
import { isTimeout } from '../../../../common/http/failure-reason.js';
import { openaiAddress } from '../../../../common/http/openai-address.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';

/** A model's answers are not longer; what is more is not read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The endpoint gave no answer. The message names no text of the request or the answer. */
export class ChatUnavailable extends Error {}

interface ChatAnswer {
  choices?: { message?: { content?: unknown } }[];
}

/** A client of an OpenAI-compatible chat endpoint (POST /v1/chat/completions) that answers by a JSON Schema. */
@Injectable()
export class ChatClient {
  private readonly settings;
  private readonly address: string | undefined;

  constructor(@Inject(SETTINGS) { memory }: Settings) {
    this.settings = memory;
    this.address = memory.extractUrl && openaiAddress(memory.extractUrl, 'chat/completions');
  }

  /** Undefined where no endpoint is configured. */
  get model(): string | undefined {
    return this.address === undefined ? undefined : (this.settings.extractModel ?? 'default');
  }

  /** @returns the text of the answer @throws ChatUnavailable */
  async ask(prompt: string, text: string, schema: object): Promise<string> {
    try {
      return await this.post(prompt, text, schema);
    } catch (error) {
      if (error instanceof ChatUnavailable) throw error;
      if (error instanceof AnswerTooLong) throw new ChatUnavailable('answered too much', { cause: error });
      throw new ChatUnavailable(isTimeout(error) ? 'did not answer in time' : 'cannot be reached, or gave no JSON', {
        cause: error,
      });
    }
  }

  private async post(prompt: string, text: string, schema: object): Promise<string> {
    const { extractApiKey, extractTimeoutMs } = this.settings;
    const response = await fetch(this.address!, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(extractApiKey ? { authorization: `Bearer ${extractApiKey}` } : {}),
      },
      body: JSON.stringify({
        model: this.model,
        temperature: 0,
        messages: [
          { role: 'system', content: prompt },
          { role: 'user', content: text },
        ],
        response_format: { type: 'json_schema', json_schema: { name: 'memories', strict: true, schema } },
      }),
      signal: AbortSignal.timeout(extractTimeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ChatUnavailable(`answered ${response.status}`);
    }
    const bytes = await readAtMost(response, MAX_ANSWER_BYTES);
    const answer = JSON.parse(bytes.toString('utf8')) as ChatAnswer | null;
    const content = answer?.choices?.[0]?.message?.content;
    if (typeof content !== 'string') throw new ChatUnavailable('answered in another form');
    return content;
  }
}
