import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Names that never lead to the public internet (RFC 6761, RFC 6762, ICANN's internal). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/i;

/**
 * An address in the public internet: not loopback, private, link-local (where clouds keep their metadata), multicast or
 * reserved, in any disguise.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const found = ipaddr.process(address);
  // Of IPv6 only 2000::/3 was ever given out: the rest, such as the old disguise ::127.0.0.1 and site-local fec0::,
  // leads nowhere public.
  const isGivenOut = found.kind() === 'ipv4' || found.match(GIVEN_OUT);
  return isGivenOut && found.range() === 'unicast';
}

const GIVEN_OUT = ipaddr.parseCIDR('2000::/3');

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** What is wrong with a target, as far as its text shows. */
export function faultOfTarget(target: string, isPrivateAllowed: boolean): string | undefined {
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username || url.password) return 'must not hold credentials; the signature identifies the sender';
  // Node.js would call the port of the scheme in its place.
  if (url.port === '0') return 'must not name port 0';
  if (isPrivateAllowed) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const host = hostOf(url);
  const isPrivate = ipaddr.isValid(host) ? !isPublicAddress(host) : LOCAL_NAME.test(host) || !host.includes('.');
  return isPrivate ? PRIVATE : undefined;
}

const PRIVATE = 'leads to a private, loopback or reserved address, which this server does not call';

/** The same, by where its name leads at this moment. */
export function faultOfName(target: string): Promise<string | undefined> {
  return new Promise((settle) => {
    resolve(hostOf(new URL(target)), { all: true }, (error, addresses) => {
      if (error) settle('has a host name that cannot be resolved');
      else settle(addresses.every(({ address }) => isPublicAddress(address)) ? undefined : PRIVATE);
    });
  });
}

export class TargetRefused extends Error {}

/**
 * Resolves a name for a connection and refuses where it leads to a private address: a name may change between the check
 * and the call.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new TargetRefused(`${hostname} ${PRIVATE}`), '', 0);
    }
    return options.all ? callback(null, addresses) : first(addresses, callback);
  });
};

function first(addresses: readonly LookupAddress[], callback: Parameters<LookupFunction>[2]): void {
  const [{ address, family }] = addresses as [LookupAddress];
  callback(null, address, family);
}
