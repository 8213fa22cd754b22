import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { PeerAddresses } from '../../../src/modules/memory/peers/peer-addresses.service.js';

const inProduction = (env: Record<string, string> = {}) => {
  const secrets = {
    SVC_SESSION_SECRET: 'x'.repeat(32),
    SVC_BOOTSTRAP_API_KEY: 'x'.repeat(32),
    SVC_SIGNING_KEY_FILE: 'k',
  };
  return new PeerAddresses(loadSettings({ NODE_ENV: 'production', ...secrets, ...env }));
};
const elsewhere = (env: Record<string, string> = {}) => new PeerAddresses(loadSettings({ NODE_ENV: 'test', ...env }));
const PRIVATE = { SVCD_SYNC_ALLOW_PRIVATE_PEERS: '1' };
const HTTP = { SVCD_SYNC_ALLOW_HTTP: '1' };

describe('the address of a peer', () => {
  it.each([['https://peer.example'], ['https://peer.example:8443/memory'], ['https://203.0.112.7']])(
    'may be %s',
    (url) => expect([inProduction(), elsewhere()].map((one) => one.faultOf(url))).toEqual([undefined, undefined]),
  );

  it.each([
    ['https://127.0.0.1'],
    ['https://[::1]'],
    ['https://10.1.2.3'],
    ['https://169.254.169.254'],
    ['https://db.internal'],
  ])('is private in production: %s', (url) => {
    expect(inProduction().faultOf(url)).toContain('SVCD_SYNC_ALLOW_PRIVATE_PEERS');
    expect([inProduction(PRIVATE).faultOf(url), elsewhere().faultOf(url)]).toEqual([undefined, undefined]);
  });

  it('is http:// on this machine alone, unless a setting says otherwise', () => {
    const [own, other] = ['http://127.0.0.1:14800', 'http://peer.example'];
    expect(inProduction().faultOf(own)).toContain('SVCD_SYNC_ALLOW_PRIVATE_PEERS');
    expect([inProduction(PRIVATE).faultOf(own), elsewhere().faultOf(own)]).toEqual([undefined, undefined]);
    expect([inProduction(PRIVATE), elsewhere()].map((one) => one.faultOf(other))).toEqual([
      expect.stringContaining('SVCD_SYNC_ALLOW_HTTP=1'),
      expect.stringContaining('SVCD_SYNC_ALLOW_HTTP=1'),
    ]);
    expect([inProduction(HTTP).faultOf(other), elsewhere(HTTP).faultOf(other)]).toEqual([undefined, undefined]);
    expect(inProduction(HTTP).faultOf('http://10.1.2.3')).toContain('SVCD_SYNC_ALLOW_PRIVATE_PEERS');
  });

  it.each([
    ['ftp://peer.example'],
    ['https://u:p@peer.example'],
    ['https://peer.example/?q'],
    ['https://peer.example/#f'],
  ])('is not %s', (url) => expect(elsewhere(HTTP).faultOf(url)).toBeDefined());
});
