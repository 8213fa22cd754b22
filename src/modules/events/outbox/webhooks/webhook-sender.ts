import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { faultOfTarget, publicLookup } from '../../../../common/http/public-targets.js';

export interface Posting {
  url: string;
  /** webhook-id: the same for every attempt. */
  id: string;
  payload: string;
  /** Each signs: the present one and, after a rotation, the one before. */
  secrets: readonly string[];
  timeoutMs: number;
  isPrivateAllowed: boolean;
}

/** `status` null: there was no answer. `error` null: it was taken. */
export interface Answered {
  status: number | null;
  error: string | null;
}

/** Posts one webhook. Never throws; never follows a redirect; reads nothing of the answer but its status. */
export async function postWebhook(posting: Posting): Promise<Answered> {
  const fault = faultOfTarget(posting.url, posting.isPrivateAllowed);
  if (fault) return { status: null, error: `the address ${fault}` };
  try {
    const status = await post(posting);
    return { status, error: status >= 200 && status < 300 ? null : complaint(status) };
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === 'AbortError' || name === 'TimeoutError') {
      return { status: null, error: `no answer within ${posting.timeoutMs} ms` };
    }
    return { status: null, error: (code && !message.includes(code) ? `${code}: ${message}` : message).slice(0, 500) };
  }
}

const complaint = (status: number): string =>
  status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`;

function post({ url, id, payload, secrets, timeoutMs, isPrivateAllowed }: Posting): Promise<number> {
  const timestamp = new Date();
  const body = Buffer.from(payload);
  return new Promise((resolve, reject) => {
    // A scheme is written in letters of any case, maybe after white space.
    const target = new URL(url);
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(isPrivateAllowed ? {} : { lookup: publicLookup }),
      headers: {
        'content-type': 'application/json',
        'content-length': body.byteLength,
        'user-agent': 'svc-webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, payload)).join(' '),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}
