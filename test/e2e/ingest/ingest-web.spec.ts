import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebClient } from '../../../src/cli/ingest/web-client.js';
import type { AcmeApi } from '../../kit/server-process.js';
import { documentsOf, startApiForCommand, startVerb, type Ended } from './ingest-command.js';

interface Page {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Sent packed to whoever does not say otherwise. */
  isPackable?: true;
}

let acme: AcmeApi;
let site: Server;
let origin: string;
/** What the site has, by path, and what it was asked. */
let pages: Record<string, Page>;
let asked: string[];

function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.headers['if-none-match'] ?? ''} ${request.url}`.trim());
  const { status = 200, headers = {}, body = '', isPackable }: Page = pages[request.url!] ?? { status: 404 };
  const isKnown = headers['etag'] !== undefined && headers['etag'] === request.headers['if-none-match'];
  const isPacked = isPackable && request.headers['accept-encoding'] !== 'identity';
  response.writeHead(isKnown ? 304 : status, {
    ...{ 'content-type': 'text/html; charset=utf-8', ...headers },
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  response.end(isKnown ? '' : isPacked ? gzipSync(body) : body);
}

beforeAll(async () => {
  acme = await startApiForCommand();
  site = createServer(answer).listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  site.close();
  await acme.close();
});
beforeEach(() => {
  [pages, asked] = [{}, []];
});

const ALLOWED = { SVC_INGEST_URL_HOSTS: '127.0.0.1', SVC_INGEST_PRIVATE_URLS: '1' };

const ingest = (words: string[], environment: Record<string, string> = ALLOWED): Promise<Ended> =>
  startVerb(acme, ['ingest', ...words], environment).ended;

const run = (...words: string[]): Promise<any> => runTo(0, words);

async function runTo(exitCode: number, words: string[], environment = ALLOWED): Promise<any> {
  const { code, stdout, stderr } = await ingest([...words, '--json'], environment);
  expect([code, stderr]).toEqual([exitCode, expect.anything()]);
  return JSON.parse(stdout);
}

const page = (title: string, headers: Record<string, string> = {}): Page => ({
  headers,
  body: `<!doctype html><title>${title}</title><main><p>What is said about ${title}.</p></main>`,
});
const listing = (...paths: string[]): Page => ({
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('')}</urlset>`,
});
const idOf = (path: string): string => `${new URL(origin).host}${path}`;

describe('svc ingest of web pages', { timeout: 180_000 }, () => {
  it('unpacks what a server packs without being asked, and names what it cannot read', async () => {
    const { body } = page('Zebras');
    const packed = (coding: string, bytes: Buffer): Page => ({ headers: { 'content-encoding': coding }, body: bytes });
    pages = {
      '/br': packed('br', brotliCompressSync(body!)),
      '/gzip': packed('gzip', gzipSync(body!)),
      '/bomb': packed('gzip', gzipSync(Buffer.alloc(40 * 1024 * 1024, 'a'))),
      '/zstd': packed('zstd', Buffer.from('packed')),
      '/false': packed('gzip', Buffer.from('not packed')),
    };
    const addresses = Object.keys(pages).map((path) => `${origin}${path}`);
    const report = await runTo(1, [...addresses, '--corpus', 'packed']);
    expect(report.sent.sort()).toEqual([idOf('/br'), idOf('/gzip')]);
    expect(report.failed.map(({ name, reason }: any) => [name, reason]).sort()).toEqual([
      [idOf('/bomb'), expect.stringMatching(/^larger than/)],
      [idOf('/false'), expect.stringContaining('is not packed as gzip')],
      [idOf('/zstd'), 'is packed as zstd, which is not read'],
    ]);
  });

  it('reads what the sitemaps of a site list, and on the next run only what changed', async () => {
    pages = {
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: `User-agent: *\nDisallow: /private/\n\nSitemap: ${origin}/index.xml\n`,
      },
      '/index.xml': {
        headers: { 'content-type': 'application/xml' },
        body: `<sitemapindex><sitemap><loc>${origin}/one.xml</loc></sitemap><sitemap><loc>${origin}/two.xml.gz</loc></sitemap></sitemapindex>`,
      },
      '/one.xml': listing('/guide/start', '/guide/private-not', '/private/plan', '/guide/gone', '/elsewhere'),
      '/two.xml.gz': { ...listing('/guide/latin', '/guide/picture', '/private/guide') },
      '/guide/start': page('Start', { etag: '"1"' }),
      '/guide/private-not': page('Not private', { etag: '"p"' }),
      '/private/plan': page('Plan'),
      '/elsewhere': page('Elsewhere'),
      '/guide/latin': {
        headers: { 'content-type': 'text/html; charset=iso-8859-1' },
        body: Buffer.from('<title>Gr\u00fc\u00dfe</title><p>Sch\u00f6ne Gr\u00fc\u00dfe</p>', 'latin1'),
      },
      '/guide/picture': { headers: { 'content-type': 'image/png' }, body: 'PNG' },
    };
    pages['/two.xml.gz']!.body = gzipSync(pages['/two.xml.gz']!.body!);
    const first = await run(`${origin}/guide/`, '--corpus', 'guide');
    expect(first.sent.sort()).toEqual(['/guide/latin', '/guide/private-not', '/guide/start'].map(idOf));
    expect(first.left_out).toEqual([
      { name: idOf('/guide/gone'), reason: 'answered 404' },
      { name: idOf('/guide/picture'), reason: 'of the type image/png, which is not taken' },
    ]);
    const stored = await documentsOf(acme, 'guide');
    expect(stored.get(idOf('/guide/latin'))).toMatchObject({ title: 'Gr\u00fc\u00dfe' });
    expect(stored.get(idOf('/guide/start'))).toMatchObject({
      url: `${origin}/guide/start`,
      metadata: { source: { root: `${origin}/guide/`, etag: '"1"' } },
    });
    expect(asked).not.toContain('/elsewhere');
    asked = [];
    pages['/guide/start'] = page('Start again', { etag: '"2"' });
    expect(await run(`${origin}/guide/`, '--corpus', 'guide')).toMatchObject({
      sent: [idOf('/guide/start')],
      unchanged: 2,
    });
    expect(asked).toContain('"p" /guide/private-not');
    const whole = await run(`${origin}/index.xml`, '--corpus', 'whole');
    expect(whole.left_out).toContainEqual({ name: idOf('/private/plan'), reason: 'robots.txt forbids it' });
    expect(asked).not.toContain('/private/plan');
  });

  it('deletes pages that are gone, and none that cannot be read now', async () => {
    pages = { '/sitemap.xml': listing('/a', '/b', '/c', '/d'), '/robots.txt': { status: 403 } };
    for (const path of ['/a', '/b', '/c', '/d']) pages[path] = page(path);
    expect((await run(`${origin}/`, '--corpus', 'gone')).sent).toHaveLength(4);
    pages['/sitemap.xml'] = listing('/a', '/b', '/c');
    pages['/b'] = { status: 410 };
    pages['/c'] = { status: 500 };
    const { deleted, left_out } = await run(`${origin}/`, '--corpus', 'gone', '--prune', '--yes');
    expect([deleted.sort(), left_out.length]).toEqual([[idOf('/b'), idOf('/d')], 2]);
    pages['/sitemap.xml'] = { status: 500 };
    const failed = await ingest([`${origin}/`, '--corpus', 'gone', '--prune', '--yes']);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/sitemap .*sitemap.xml cannot be read: answered 500/),
    ]);
    expect([...(await documentsOf(acme, 'gone')).keys()].sort()).toEqual([idOf('/a'), idOf('/c')]);
  });

  it('takes no page for gone because nothing lists pages', async () => {
    const index = `<sitemapindex><sitemap><loc>${origin}/part.xml</loc></sitemap></sitemapindex>`;
    pages = { '/sitemap.xml': { body: index }, '/part.xml': listing('/g/', '/g/a', '/g/b') };
    for (const path of ['/g/', '/g/a', '/g/b']) pages[path] = page(path);
    expect((await run(`${origin}/g/`, '--corpus', 'unlisted')).sent).toHaveLength(3);
    const prune = [`${origin}/g/`, '--corpus', 'unlisted', '--prune', '--yes'];
    delete pages['/part.xml'];
    expect(await ingest(prune)).toMatchObject({ code: 1, stderr: expect.stringMatching(/part.xml .*answered 404/) });
    for (const sitemap of [listing(), { status: 404 }]) {
      pages['/sitemap.xml'] = sitemap;
      expect(await run(...prune)).toMatchObject({ unchanged: 1, deleted: [] });
    }
    pages['/g/'] = { status: 404 };
    expect(await run(...prune)).toMatchObject({ deleted: [idOf('/g/')] });
    expect([...(await documentsOf(acme, 'unlisted')).keys()].sort()).toEqual([idOf('/g/a'), idOf('/g/b')]);
  });

  it('leaves out a page in a character set that is not read, and takes the others', async () => {
    pages = {
      '/sitemap.xml': listing('/k/one', '/k/two', '/k/three'),
      '/k/one': { ...page('One'), headers: { 'content-type': 'text/html; charset=iso-2022-kr' } },
      '/k/two': { headers: { 'content-type': 'text/html' }, body: '<meta charset="hz-gb-2312"><p>Two' },
      '/k/three': page('Three'),
    };
    const reason = 'in a character set that is not read';
    expect(await run(`${origin}/k/`, '--corpus', 'sets')).toMatchObject({
      sent: [idOf('/k/three')],
      left_out: [idOf('/k/one'), idOf('/k/two')].map((name) => ({ name, reason })),
    });
  });

  it('asks for pages without a coding, and obeys the first 500 KiB of robots.txt', async () => {
    const rules = `User-agent: *\nDisallow: /r/private\n${'# filling\n'.repeat(60_000)}Disallow: /r/late\n`;
    pages = {
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: rules },
      '/sitemap.xml': listing('/r/open', '/r/private', '/r/late'),
    };
    for (const path of ['/r/open', '/r/private', '/r/late']) pages[path] = { ...page(path), isPackable: true };
    expect(await run(`${origin}/r/`, '--corpus', 'rules')).toMatchObject({
      sent: [idOf('/r/open'), idOf('/r/late')],
      left_out: [{ name: idOf('/r/private'), reason: 'robots.txt forbids it' }],
    });
  });

  it('reads one page, follows redirects of allowed hosts, and waits for a busy server', async () => {
    pages = {
      '/old': { status: 301, headers: { location: '/new' } },
      '/new': page('New'),
      '/loop': { status: 302, headers: { location: '/loop' } },
      '/away': { status: 302, headers: { location: 'http://localhost:9/secret' } },
      '/metadata': { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } },
      '/busy': { status: 503, headers: { 'retry-after': '0' } },
      '/large': { body: 'x'.repeat(2 * 1024 * 1024) },
    };
    const named = ['/old', '/loop', '/away', '/metadata', '/busy', '/large'].map((path) => origin + path);
    const { sent, failed } = await runTo(1, [...named, '--corpus', 'single', '--max-size', '1']);
    expect(sent).toEqual([idOf('/old')]);
    const reasons = Object.fromEntries(failed.map(({ name, reason }: any) => [name, reason]));
    expect(reasons).toEqual({
      [idOf('/loop')]: 'leads on more than 5 times',
      [idOf('/away')]: expect.stringContaining('localhost is none of the hosts of SVC_INGEST_URL_HOSTS'),
      [idOf('/metadata')]: expect.stringContaining('169.254.169.254 is none of the hosts'),
      [idOf('/busy')]: 'answered 503',
      [idOf('/large')]: 'larger than 1024 KiB',
    });
    expect(asked.filter((one) => one === '/busy')).toHaveLength(3);
  });

  it('forbids everything where robots.txt cannot be had', async () => {
    pages = { '/robots.txt': { status: 500 }, '/a': page('A') };
    const { failed } = await runTo(1, [`${origin}/a`, '--corpus', 'robots']);
    const reason = 'robots.txt cannot be read: answered 500';
    expect([failed, asked]).toEqual([[{ name: idOf('/a'), reason }], ['/robots.txt']]);
  });

  it('reads nothing that the operator did not allow', async () => {
    pages = { '/a': page('A') };
    const refused = async (address: string, environment: Record<string, string>, sentence: RegExp): Promise<void> => {
      const { code, stderr } = await ingest([address, '--corpus', 'refused'], environment);
      expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    };
    const { port } = new URL(origin);
    await refused(`${origin}/a`, {}, /127\.0\.0\.1 is none of the hosts of SVC_INGEST_URL_HOSTS/);
    await refused(`${origin}/a`, { SVC_INGEST_URL_HOSTS: '127.0.0.1' }, /must begin with https/);
    await refused(
      `https://127.0.0.1:${port}/a`,
      { SVC_INGEST_URL_HOSTS: '127.0.0.1' },
      /private, loopback or reserved/,
    );
    await refused(`http://user:secret@127.0.0.1:${port}/a`, ALLOWED, /must not hold credentials/);
    expect(asked).toEqual([]);
    // A public name that leads to this machine: refused when it is connected to, or not resolved where there is no DNS.
    const hosts = { SVC_INGEST_URL_HOSTS: 'localtest.me', SVC_INGEST_PRIVATE_URLS: '' };
    const { failed } = await runTo(1, ['https://localtest.me/a', '--corpus', 'refused'], hosts);
    const reason = expect.stringMatching(/^robots.txt cannot be read: is not reached: /);
    expect(failed).toEqual([{ name: 'localtest.me/a', reason }]);
  });

  it('fails where none of a site that was named can be read', async () => {
    pages = { '/sitemap.xml': listing('/n/a', '/n/b'), '/n/a': { status: 500 }, '/n/b': { status: 500 } };
    expect(await runTo(1, [`${origin}/n/`, '--corpus', 'none'])).toMatchObject({
      failed: [{ name: `${origin}/n/`, reason: 'all 2 of it were left out' }],
      left_out: ['/n/a', '/n/b'].map((path) => ({ name: idOf(path), reason: 'answered 500' })),
    });
  });

  it('gives up a page that drips', async () => {
    const dripping = createServer((request, response) => {
      if (request.url === '/robots.txt') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/plain' });
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    }).listen(0, '127.0.0.1');
    await once(dripping, 'listening');
    const rules = { hosts: ['127.0.0.1'], isPrivateAllowed: true, maxBytes: 1024 * 1024, answerMs: 3_000 };
    const client = new WebClient(rules);
    const { port } = dripping.address() as AddressInfo;
    await expect(client.read(`http://127.0.0.1:${port}/a`)).rejects.toThrow(
      'ends early: The operation was aborted due to timeout',
    );
    await client.close();
    dripping.closeAllConnections();
    dripping.close();
  });
});
