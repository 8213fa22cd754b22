import type { Address } from '../../common/contract/contract.js';
import { isReportedOff } from '../../common/contract/plane-reported-off.js';
import { bodyOf } from '../../common/problem/problem.filter.js';
import { REPLAYED_HEADER } from '../forwarded-headers.js';
import { parsedJson } from '../../common/http/parsed-json.js';
import { UpstreamUnavailable, type ServerAnswer } from '../server-connection.js';
import { RouteRefusal, type RouteReply, type ServerName } from './servers.js';

/** Which route was asked, for what is wrong with its answer. */
interface Asked {
  server: ServerName;
  address: Address;
  requestId: string;
}

/** What a route answered. @throws RouteRefusal for a refusal, a plane that is off, or a server that did not answer */
export async function replyOf<T extends object>(
  { server, address, requestId }: Asked,
  asked: Promise<Pick<ServerAnswer, 'status' | 'text' | 'headers'>>,
): Promise<RouteReply<T>> {
  const { status, text, headers } = await asked.catch((error: unknown) => {
    if (!(error instanceof UpstreamUnavailable)) throw error;
    const { status } = error.kind;
    throw new RouteRefusal(server, address, status, { ...bodyOf(error, requestId) });
  });
  const body = (parsedJson(text) ?? {}) as Record<string, unknown>;
  if (status >= 400 || isReportedOff(body)) throw new RouteRefusal(server, address, status, body);
  return { body: body as T, isReplayed: headers[REPLAYED_HEADER] === 'true' };
}
