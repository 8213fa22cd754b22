import { describe, expect, it } from 'vitest';
import { loadSettings, SettingsInvalid } from '../config/settings.js';
import type { FastifyRequest } from 'fastify';
import { ClientAddresses, parseNetworks } from './client-address.js';

const behind = (networks: string) => new ClientAddresses(parseNetworks(networks));
const PROXIES = '10.0.0.0/8, 2001:db8:aaaa::/48, 192.0.2.7';

describe('the client address', () => {
  it.each<[string, string, string, string[], string]>([
    ['is the peer', '', '203.0.113.5', [], '203.0.113.5'],
    ['is the peer, whatever it claims', '', '203.0.113.5', ['1.2.3.4'], '203.0.113.5'],
    ['is the peer, when it is no proxy of ours', PROXIES, '203.0.113.5', ['1.2.3.4'], '203.0.113.5'],
    ['is what a trusted proxy saw', PROXIES, '10.1.2.3', ['203.0.113.5'], '203.0.113.5'],
    ['is not what the client itself wrote before that', PROXIES, '10.1.2.3', ['1.2.3.4', '203.0.113.5'], '203.0.113.5'],
    ['is found past several proxies', PROXIES, '10.1.2.3', ['1.2.3.4', '203.0.113.5', '192.0.2.7'], '203.0.113.5'],
    ['is not found past one that is not trusted', PROXIES, '10.1.2.3', ['203.0.113.5', '192.0.2.8'], '192.0.2.8'],
    ['is the proxy, when it says nothing readable', PROXIES, '10.1.2.3', ['1.2.3.4', 'unknown'], '10.1.2.3'],
    ['is the outermost proxy, when all are trusted', PROXIES, '10.1.2.3', ['10.9.9.9'], '10.9.9.9'],
    ['may come with a port', PROXIES, '10.1.2.3', ['203.0.113.5:4711'], '203.0.113.5'],
    ['may be a mapped one', PROXIES, '::ffff:10.1.2.3', ['::ffff:203.0.113.5'], '203.0.113.5'],
    ['is found past proxies given as mapped ones', '::ffff:10.0.0.0/104', '10.1.2.3', ['203.0.113.5'], '203.0.113.5'],
    ['is an IPv6 /64', '', '2001:db8:1:2:3:4:5:6', [], '2001:db8:1:2::/64'],
    ['is the same /64 for its neighbour', PROXIES, '2001:db8:aaaa::1', ['[2001:db8:1:2::9]:443'], '2001:db8:1:2::/64'],
    ['is not guessed from a short form', PROXIES, '10.1.2.3', ['203.5'], '10.1.2.3'],
    ['keeps the zone of a link out', '', 'fe80::1%eth0', [], 'fe80::/64'],
  ])('%s', (_what, networks, peer, forwarded, expected) => {
    expect(behind(networks).find(peer, forwarded)).toBe(expected);
  });

  it('is unknown on a socket without one', () => {
    expect(behind('').find(undefined, ['1.2.3.4'])).toBe('unknown');
  });

  it.each(['10.0.0.0/33', '10.0/8', '10.0.0', 'proxy.example', '10.0.0.1, ::1/129', '10.0.0.0/8;::1'])(
    'refuses the setting %s at the start',
    (value) => {
      expect(() => loadSettings({ SVC_TRUSTED_PROXIES: value })).toThrow(SettingsInvalid);
      expect(() => loadSettings({ SVC_TRUSTED_PROXIES: value })).toThrow(/SVC_TRUSTED_PROXIES: .* is no address/);
    },
  );

  it('takes a list with spaces and a closing comma', () => {
    expect(loadSettings({ SVC_TRUSTED_PROXIES: ' 10.0.0.0/8 , ::1, ' }).api.trustedProxies).toHaveLength(2);
    expect(loadSettings({}).api.trustedProxies).toBeUndefined();
  });
});

describe('the client address behind proxies that may write Forwarded', () => {
  const locate = (peer: string, headers: Record<string, string>, networks = PROXIES) => {
    const addresses = new ClientAddresses(parseNetworks(networks), undefined, true);
    const { key, isCertain } = addresses.locate({
      headers,
      socket: { remoteAddress: peer },
    } as unknown as FastifyRequest);
    return [key, isCertain];
  };

  it.each<[string, string, Record<string, string>, string, boolean]>([
    ['is what Forwarded says', '10.1.2.3', { forwarded: 'for=203.0.113.5;proto=https' }, '203.0.113.5', true],
    [
      'is not what the client wrote before that',
      '10.1.2.3',
      { forwarded: 'for=1.2.3.4, for=203.0.113.5' },
      '203.0.113.5',
      true,
    ],
    ['may be quoted, with a port', '10.1.2.3', { forwarded: 'For="203.0.113.5:4711"' }, '203.0.113.5', true],
    ['may have a hidden port', '10.1.2.3', { forwarded: 'for="203.0.113.5:_p.1-x"' }, '203.0.113.5', true],
    ['is an IPv6 /64 in brackets', '10.1.2.3', { forwarded: 'for="[2001:db8:1:2::9]:443"' }, '2001:db8:1:2::/64', true],
    [
      'is found past several proxies',
      '10.1.2.3',
      { forwarded: 'for=203.0.113.5, for=192.0.2.7;by=_x' },
      '203.0.113.5',
      true,
    ],
    ['is the peer, whatever it forwards', '203.0.113.9', { forwarded: 'for=1.2.3.4' }, '203.0.113.9', true],
    ['is the proxy, when that hides it', '10.1.2.3', { forwarded: 'for=_hidden' }, '10.1.2.3', false],
    ['is the proxy, when that does not say', '10.1.2.3', { forwarded: 'by=10.1.2.3' }, '10.1.2.3', false],
    [
      'is the proxy, when a quote was left open',
      '10.1.2.3',
      { forwarded: 'for="1.2.3.4, for="203.0.113.5"' },
      '10.1.2.3',
      false,
    ],
    ['is the proxy, when it calls itself', '10.1.2.3', {}, '10.1.2.3', true],
    [
      'is what both say',
      '10.1.2.3',
      { forwarded: 'for=203.0.113.5', 'x-forwarded-for': '203.0.113.5' },
      '203.0.113.5',
      true,
    ],
    [
      'is the proxy, when the two differ',
      '10.1.2.3',
      { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '203.0.113.5' },
      '10.1.2.3',
      false,
    ],
    [
      'is the peer, when it is no proxy and the two differ',
      '203.0.113.9',
      { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '1.1.1.1' },
      '203.0.113.9',
      true,
    ],
  ])('%s', (_what, peer, headers, key, isCertain) => {
    expect(locate(peer, headers)).toEqual([key, isCertain]);
  });

  it('does not read Forwarded where it is not said to', () => {
    const addresses = new ClientAddresses(parseNetworks(PROXIES));
    const request = { headers: { forwarded: 'for=1.2.3.4' }, socket: { remoteAddress: '10.1.2.3' } };
    expect(addresses.of(request as unknown as FastifyRequest)).toBe('10.1.2.3');
  });
});
