import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { nameServers, TargetRefused } from '../../../src/common/http/public-targets.js';
import { PeerAddresses } from '../../../src/modules/memory/peers/peer-addresses.service.js';
import { PeerClient } from '../../../src/modules/memory/peers/peer-client.service.js';

const productionSettings = (env: Record<string, string> = {}) => {
  const secrets = {
    SVC_SESSION_SECRET: 'x'.repeat(32),
    SVC_BOOTSTRAP_API_KEY: 'x'.repeat(32),
    SVC_SIGNING_KEY_FILE: 'k',
  };
  return loadSettings({ NODE_ENV: 'production', ...secrets, ...env });
};
const inProduction = (env: Record<string, string> = {}) => new PeerAddresses(productionSettings(env));
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

describe('what is asked of a peer without a signature', () => {
  const settings = productionSettings();
  const client = new PeerClient(settings, undefined as never, new PeerAddresses(settings));
  const fetchOf = (url: string) => client.fetchOf({ tenantId: 'acme', peerId: 'there', url });

  it('is asked of no address that is not called', () => {
    for (const url of ['http://peer.example', 'https://10.1.2.3', 'https://db.internal'])
      expect(() => fetchOf(url)).toThrow('is not called');
  });

  it('goes to no private address that its name leads to by then', async () => {
    const server = createSocket('udp4');
    const known = nameServers.getServers();
    // Every name has the address 10.0.0.1, and none of IPv6.
    server.on('message', (query, { port }) => {
      const end = query.indexOf(0, 12) + 5;
      const isFour = query.readUInt16BE(end - 4) === 1;
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(0x81_80, 2);
      [1, isFour ? 1 : 0, 0, 0].forEach((count, place) => head.writeUInt16BE(count, 4 + 2 * place));
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]);
      server.send(Buffer.concat([head, query.subarray(12, end), ...(isFour ? [record] : [])]), port, '127.0.0.1');
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    nameServers.setServers([`127.0.0.1:${server.address().port}`]);
    try {
      const url = 'https://peer.example.org';
      const failure = await fetchOf(url)(`${url}/v1/witness/checkpoint`, {}).catch((error: Error) => error.cause);
      expect(failure).toBeInstanceOf(TargetRefused);
    } finally {
      nameServers.setServers(known);
      server.close();
      await client.onApplicationShutdown();
    }
  });
});
