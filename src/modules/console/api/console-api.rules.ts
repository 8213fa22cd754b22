import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

const BEGINNING = '/console/api';
/** What of the API the console may ask: no documents, no metrics, and nothing of the transparency log. */
const PATH = /^\/(?:v1|frontdoor)\/[^?#\\]*$/;

/** Two dots next to a slash, each spelt as it is or encoded. */
const CLIMBS = /(?:\/|%2f|%5c)(?:\.|%2e){2}|(?:\.|%2e){2}(?:\/|%2f|%5c)/i;

/**
 * The path at the API that a request is for, as the client spelt it.
 * @param url path and query, as they came
 * @returns undefined where it is none that is passed on: another address, or one with segments such as `..`
 */
export function pathAtApi(url: string): string | undefined {
  const [whole = ''] = url.split('?', 1);
  const path = whole.startsWith(`${BEGINNING}/`) ? whole.slice(BEGINNING.length) : '';
  // The parser of URLs takes segments of dots away, however they are spelt.
  return PATH.test(path) && !CLIMBS.test(path) && new URL(path, 'http://api').pathname === path ? path : undefined;
}

/** What of a request goes on as it is. Neither a credential of the daemon, nor what a client says of its way here. */
const PASSED_ON = [
  'accept',
  'host',
  'last-event-id',
  'origin',
  'sec-fetch-site',
  'x-idempotency-key',
  'x-shield-approval-token',
] as const;

/** @param own what the daemon itself says in the request */
export function headersToApi(came: IncomingHttpHeaders, own: OutgoingHttpHeaders): IncomingHttpHeaders {
  const passed = PASSED_ON.flatMap((name) => (came[name] === undefined ? [] : [[name, came[name]] as const]));
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...passed, ...given]) as IncomingHttpHeaders;
}

/** Of the connection between the two servers, or what the daemon says itself in every answer. */
const NOT_RETURNED = new Set([
  'connection',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'strict-transport-security',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

/** What of the API's answer comes back. */
export const headersFromApi = <H extends object>(headers: H): H =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_RETURNED.has(name))) as H;
