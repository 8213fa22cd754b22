import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  faultOfName,
  faultOfTarget,
  isPublicAddress,
  nameServers,
  publicLookup,
  TargetRefused,
} from './public-targets.js';

describe('where webhooks may lead', () => {
  it.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '1.1.1.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    'fec0::1',
    '64:ff9b:1::7f00:1',
    '5f00::1',
    '2002:7f00:1::',
    'not an address',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    'http://example.org/',
    'ftp://example.org/',
    'https://user:secret@example.org/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://localhost/',
    'https://api.localhost./',
    'https://metadata.google.internal/',
    'https://intranet/',
  ])('%s is refused', (url) => {
    expect(faultOfTarget(url, false)).toEqual(expect.any(String));
  });

  it('a public https address is taken, and loopback and http where private targets are allowed', () => {
    expect(faultOfTarget('https://hooks.example.org/x?y=1', false)).toBeUndefined();
    expect(faultOfTarget('http://127.0.0.1:9/', true)).toBeUndefined();
    expect(faultOfTarget('ftp://127.0.0.1/', true)).toEqual(expect.any(String));
  });

  it('a name that leads to a private address by the time of the call is refused then', async () => {
    const failure = await new Promise((settle) => publicLookup('localhost', { all: true }, settle));
    expect(failure).toBeInstanceOf(TargetRefused);
  });
});

it('no webhook leads to port 0, which is called as another one', () => {
  for (const target of ['http://127.0.0.1:0/', 'https://example.org:0/'])
    expect(faultOfTarget(target, true)).toBe('must not name port 0');
  expect(faultOfTarget('https://example.org:443/', false)).toBeUndefined();
});

describe('names', () => {
  const server = createSocket('udp4');
  const known = nameServers.getServers();
  /** Answers with the address that a name begins with, as in 10-0-0-1.example.org, and never of other names. */
  async function serve(): Promise<void> {
    server.on('message', (query, { port }) => {
      const end = query.indexOf(0, 12) + 5;
      const [first = ''] = query.toString('latin1', 13, end).split('\u0007');
      const octets = /^\d+-\d+-\d+-\d+/.exec(first)?.[0].split('-').map(Number);
      if (!octets) return;
      const isFour = query.readUInt16BE(end - 4) === 1;
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(0x81_80, 2);
      [1, isFour ? 1 : 0, 0, 0].forEach((count, place) => head.writeUInt16BE(count, 4 + 2 * place));
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...octets]);
      server.send(Buffer.concat([head, query.subarray(12, end), ...(isFour ? [record] : [])]), port, '127.0.0.1');
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    nameServers.setServers([`127.0.0.1:${server.address().port}`]);
  }
  afterEach(() => {
    nameServers.cancel();
    nameServers.setServers(known);
  });

  it('that nobody answers for hold up no other, and are waited for no longer than two seconds', async () => {
    await serve();
    const lookup = promisify(publicLookup) as (host: string, options: object) => Promise<unknown>;
    const silent = Array.from({ length: 40 }, (_, place) => lookup(`silent${place}.example.org`, { all: true }));
    const late = faultOfName('https://silent.example.org/');
    const found = await Promise.race([lookup('93-184-216-34.example.org', { all: true }), late]);
    expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await faultOfName('https://93-184-216-34.example.org/')).toBeUndefined();
    expect(await faultOfName('https://10-0-0-1.example.org/')).toContain('private');
    await expect(lookup('10-0-0-1.example.org', { all: false })).rejects.toBeInstanceOf(TargetRefused);
    expect(await late).toContain('within 2 seconds');
    nameServers.cancel();
    for (const one of await Promise.allSettled(silent)) expect(one.status).toBe('rejected');
    server.close();
  });
});
