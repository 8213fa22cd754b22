import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const isPrivate = ipaddr.isValid(host) ? !isPublicAddress(host) : isLocalName(host);
  return isPrivate ? PRIVATE : undefined;
}

const PRIVATE = 'leads to a private, loopback or reserved address, which this server does not call';

const isLocalName = (host: string): boolean => LOCAL_NAME.test(host) || !host.includes('.');

/**
 * Who is asked where names lead: name servers, and not the operating system. That has two threads for the names of a
 * whole process, and whoever names hosts whose servers never answer would hold up those of everybody else
 * (docs/decisions/0430).
 */
export const nameServers = new Resolver({ timeout: 1_500, tries: 2 });

/** How long a name is waited for while its tenant waits, with a connection to the database. */
const NAME_MS = 2_000;

/** The same, by where its name leads at this moment. */
export async function faultOfName(target: string): Promise<string | undefined> {
  const host = hostOf(new URL(target));
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : PRIVATE;
  const fault = publicAddressesOf(host).then(
    () => undefined,
    (error: unknown) => (error instanceof TargetRefused ? PRIVATE : 'has a host name that cannot be resolved'),
  );
  const late = `has a host name that is not resolved within ${NAME_MS / 1000} seconds; send it again later`;
  return Promise.race([fault, sleep(NAME_MS, late, { ref: false })]);
}

/** The name leads to a private address. */
export class TargetRefused extends Error {}

/**
 * Resolves a name for a connection and refuses where it leads to a private address: a name may change between the check
 * and the call.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  publicAddressesOf(hostname).then(
    (found) => {
      const addresses = found.filter(({ family }) => !options.family || family === familyOf(options.family));
      const [first] = addresses;
      if (!first) callback(new Error(`${hostname} has no address of the family that was asked for`), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
  );
};

const familyOf = (family: number | 'IPv4' | 'IPv6'): number =>
  typeof family === 'number' ? family : family === 'IPv4' ? 4 : 6;

/** @throws TargetRefused where one of them is not public; Error where there is none */
async function publicAddressesOf(host: string): Promise<LookupAddress[]> {
  const refused = new TargetRefused(`${host} ${PRIVATE}`);
  if (isLocalName(host)) throw refused;
  const [four, six] = await Promise.allSettled([nameServers.resolve4(host), nameServers.resolve6(host)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refused;
  return addresses;
}
