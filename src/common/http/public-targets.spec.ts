import { describe, expect, it } from 'vitest';
import { faultOfTarget, isPublicAddress, publicLookup, TargetRefused } from './public-targets.js';

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
