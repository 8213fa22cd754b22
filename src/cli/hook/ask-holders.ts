import { UserError } from '../../common/user-error.js';
import type { HookConfig } from './hook-config.js';

/** Most paths of one request (docs/punchcards.md). */
const BATCH = 1000;

/** A path that somebody else holds, as the server names it. */
export interface HeldByOther {
  path: string;
  resource: string;
  mode: string;
  holder_passport: string;
  expires_at_unix_ms: number;
}

/** `isOff`: the server has no punchcards, so that there is nothing to check. */
export type Holders = { isOff: true } | { isOff: false; isEnforced: boolean; held: HeldByOther[] };

interface CheckReply {
  enforce: boolean;
  held: HeldByOther[];
}

/** @throws UserError where the server cannot be asked */
export async function askHolders(config: HookConfig, paths: readonly string[]): Promise<Holders> {
  const signal = AbortSignal.timeout(config.timeoutMs);
  const held: HeldByOther[] = [];
  let isEnforced = false;
  for (let start = 0; start < paths.length; start += BATCH) {
    const reply = await ask(config, paths.slice(start, start + BATCH), signal);
    if (reply === undefined) return { isOff: true };
    isEnforced = reply.enforce;
    held.push(...reply.held);
  }
  return { isOff: false, isEnforced, held };
}

async function ask(config: HookConfig, paths: string[], signal: AbortSignal): Promise<CheckReply | undefined> {
  const { url, token, tenant, repo, passport } = config;
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(tenant === undefined ? {} : { 'x-svc-tenant-id': tenant }),
  };
  const body = JSON.stringify({ paths, repo, passport });
  const address = `${url}/v1/punchcards/check-many`;
  try {
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' });
    if (response.status === 501) return undefined;
    if (!response.ok) throw new UserError(await refusalOf(response, url));
    return readReply(await response.json(), url);
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(reasonOf(error as Error, config), { cause: error });
  }
}

function readReply(reply: unknown, url: string): CheckReply {
  const { enforce, held } = (reply ?? {}) as Partial<CheckReply>;
  if (typeof enforce === 'boolean' && Array.isArray(held)) return { enforce, held };
  throw new UserError(`${url} is not a memory daemon that knows punchcards; check svc.url`);
}

async function refusalOf(response: Response, url: string): Promise<string> {
  const { detail } = ((await response.json().catch(() => undefined)) ?? {}) as { detail?: unknown };
  const said = typeof detail === 'string' ? `: ${detail}` : '';
  const remedy = [401, 403].includes(response.status) ? '. Set SVC_HOOK_TOKEN, or svc.tokenFile of git config' : '';
  return `${url} answers ${response.status}${said}${remedy}`;
}

function reasonOf(error: Error, { url, timeoutMs }: HookConfig): string {
  if (error.name === 'TimeoutError') return `${url} did not answer within ${timeoutMs / 1000} s (svc.timeout)`;
  const cause = error.cause instanceof Error ? error.cause : error;
  return `${url} cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}. Start the daemon, or check svc.url`;
}
