import type { FastifyRequest } from 'fastify';
import parseForwarded from 'forwarded-parse';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address range: its first address and how many leading bits count. */
export type Network = [Address, number];

/** Of an IPv6 address only these bits count: a client with one address of a /64 has them all. */
const IPV6_BITS = 64;

/**
 * Reads addresses and CIDR ranges separated by commas.
 * @throws Error naming the first that is neither
 */
export function parseNetworks(list: string): Network[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseNetwork);
}

function parseNetwork(entry: string): Network {
  const isRange = entry.includes(':') ? ipaddr.IPv6.isValidCIDR(entry) : ipaddr.IPv4.isValidCIDRFourPartDecimal(entry);
  if (isRange) return unmapped(ipaddr.parseCIDR(entry));
  const address = parseAddress(entry);
  if (!address) throw new Error(`${JSON.stringify(entry)} is no address and no CIDR range`);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** ::ffff:10.0.0.0/104 is 10.0.0.0/8. */
function unmapped([address, bits]: Network): Network {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
}
const MAPPED_BITS = 96;

/**
 * An IPv4 address in an IPv6 one (::ffff:192.0.2.1) counts as the IPv4 address. Short forms such as `10.1` are no
 * addresses here.
 */
function parseAddress(text: string): Address | undefined {
  const isAddress = text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isAddress ? ipaddr.process(text) : undefined;
}

/** Where a request comes from. */
export interface ClientLocation {
  /** What limits are counted by: an IPv4 address, or the /64 of an IPv6 one. */
  key: string;
  address: Address | undefined;
  /**
   * false: a trusted proxy sent the request on and did not name its client in a way that can be trusted; the address is
   * that proxy's.
   */
  isCertain: boolean;
}

/** Where requests come from, seen past the proxies that are trusted, and past the tool service. */
export class ClientAddresses {
  /**
   * @param vouchedFor the address that a part of this server itself says a request is made for
   * @param readsForwarded whether proxies may also say it by Forwarded (RFC 7239)
   */
  constructor(
    private readonly trusted: readonly Network[],
    private readonly vouchedFor: (request: FastifyRequest) => string | undefined = () => undefined,
    private readonly readsForwarded = false,
  ) {}

  /**
   * The address that limits are counted by: an IPv4 address, or the /64 of an IPv6 one. X-Forwarded-For is read from
   * its end, and only as far as every hop is a trusted proxy: what a client itself wrote into it is never trusted.
   */
  of(request: FastifyRequest): string {
    return this.vouchedFor(request) ?? this.locate(request).key;
  }

  /**
   * The same with what is known of it. Where X-Forwarded-For and Forwarded both came and name two clients, one of them
   * was written by the client itself and passed on by a proxy that knows only the other: neither is trusted, and the
   * request counts as the proxy's.
   */
  locate({ headers, socket }: FastifyRequest): ClientLocation {
    const peer = socket.remoteAddress;
    const listed = headers['x-forwarded-for'];
    const forwarded = this.readsForwarded ? headers.forwarded : undefined;
    const byList = listed === undefined ? undefined : this.trace(peer, [listed].flat().join(',').split(','));
    const byForwarded = forwarded === undefined ? undefined : this.trace(peer, hopsOf(forwarded));
    if (byList && byForwarded && byList.key !== byForwarded.key) return { ...this.trace(peer, []), isCertain: false };
    return byForwarded ?? byList ?? this.trace(peer, []);
  }

  /** @param forwarded the entries of X-Forwarded-For, in their order */
  find(peer: string | undefined, forwarded: readonly string[]): string {
    return this.trace(peer, forwarded).key;
  }

  private trace(peer: string | undefined, hops: readonly string[]): ClientLocation {
    let address = peer === undefined ? undefined : parseAddress(peer);
    let isCertain = address !== undefined;
    for (const entry of [...hops].reverse()) {
      if (!address || !isWithin(this.trusted, address)) break;
      const hop = parseAddress(withoutPort(entry.trim()));
      isCertain = hop !== undefined;
      if (!hop) break;
      address = hop;
    }
    return { key: address ? keyOf(address) : 'unknown', address, isCertain };
  }
}

export const isWithin = (networks: readonly Network[], address: Address): boolean =>
  networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));

/** The hops that Forwarded names, in their order: as text that is no address where it hides them, or cannot be read. */
function hopsOf(forwarded: string): string[] {
  try {
    return parseForwarded(forwarded).map((element) => element['for'] ?? 'unknown');
  } catch {
    return ['unknown'];
  }
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`; the port may be hidden, as `_port`. */
function withoutPort(entry: string): string {
  return /^\[(.*)\](?::[\w.-]+)?$/.exec(entry)?.[1] ?? /^([\d.]+):[\w.-]+$/.exec(entry)?.[1] ?? entry;
}

function keyOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().map((byte, index) => (index < IPV6_BITS / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(prefix).toString()}/${IPV6_BITS}`;
}
