import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { buffer } from 'node:stream/consumers';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { claim, makeProject, must, publish, storeFact } from '../dossiers/given.js';

const ROOT = join(import.meta.dirname, '../../..');
/** What would break a page, run in it, or read files of whoever builds it. */
const NASTY = [
  '{{ constructor.constructor("return process")() }} {{ a',
  '<script setup>throw 1</script> <Nope :x="y"> </div> <!-- open',
  '[gone](./nowhere.md) ![x](./none.png) <a href="./lost.html">',
  '<!--@include: ./secret.txt--> <<< ./secret.txt',
  '::: danger\n# Forged heading {#overview}\n```\n---\n[[toc]]\n<!--@include: ./secret.txt-->\n{{ x }}\n</template>',
];

let daemon: TestDaemon;
let call: DaemonCall;
/** Below the root, where the generator finds its own packages. */
let folder: string;
let pages: Map<string, string>;
beforeAll(async () => {
  daemon = await startDaemon();
  call = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
  await makeProject(call, 'site', { name: 'Site {{ x }} <b>' });
  for (const [place, text] of NASTY.entries()) await storeFact(call, 'site', `decision:${place}`, text);
  await storeFact(call, 'site', NASTY[1]!.slice(0, 200), 'as a key');
  await must(call('POST', '/v1/work', { project_id: 'site', title: `- [ ] ${NASTY[2]}`, created_by_passport: 'ada' }));
  await publish(call, 'site', 'd', [claim('loose')], { open_questions: NASTY });
  await must(call('POST', '/v1/projects/site/storybook'));
  folder = mkdtempSync(join(ROOT, 'node_modules', '.storybook-site-'));
  writeFileSync(join(folder, 'secret.txt'), 'the secret of this machine');
  await unzip(await zipped());
  const vitepress = join(dirname(createRequire(import.meta.url).resolve('vitepress/package.json')), 'bin/vitepress.js');
  const built = spawnSync(process.execPath, [vitepress, 'build', folder], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 240_000,
  });
  expect(built.status, `${built.stdout}\n${built.stderr}`).toBe(0);
  const site = join(folder, '.vitepress/dist');
  pages = new Map(globSync('*.html', { cwd: site }).map((name) => [name, readFileSync(join(site, name), 'utf8')]));
}, 300_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await daemon.close();
});

async function zipped(): Promise<Buffer> {
  const answer = await fetch(`${daemon.url}/v1/projects/site/storybook?format=zip`, {
    headers: { 'x-svc-scopes': ALL_SCOPES },
  });
  return Buffer.from(await answer.arrayBuffer());
}

async function unzip(bytes: Buffer): Promise<void> {
  const zip = await fromBufferPromise(bytes, { strictFileNames: true });
  for await (const entry of zip.eachEntry()) {
    const file = join(folder, entry.fileName);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await buffer(await zip.openReadStreamPromise(entry)));
  }
}

type Node = DefaultTreeAdapterTypes.Node;
function* elements(node: Node): Generator<DefaultTreeAdapterTypes.Element> {
  if ('tagName' in node) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* elements(child);
}
const attributesOf = (html: string, name: string): string[] =>
  [...elements(parse(html))].flatMap(({ attrs }) =>
    attrs.filter((attr) => attr.name === name).map(({ value }) => value),
  );

describe('the zip of a storybook', () => {
  it('is built by VitePress as it is: a page for each section', () => {
    const names = [
      'overview',
      'people',
      'decisions',
      'timeline',
      'work',
      'risks',
      'open-questions',
      'evidence',
      'index',
    ];
    expect([...pages.keys()]).toEqual(expect.arrayContaining(names.map((name) => `${name}.html`)));
  });

  it('has whole links: every page and every place that one leads to is there', () => {
    let seen = 0;
    for (const [name, html] of pages) {
      if (name === '404.html') continue;
      for (const href of attributesOf(html, 'href').filter(
        (one) => /^[./#]/.test(one) && !one.startsWith('/assets/'),
      )) {
        if (/\.(css|js|woff2)$/.test(href)) continue;
        const { pathname, hash } = new URL(href, `http://x/${name}`);
        const file = pathname === '/' ? 'index.html' : relative('/', pathname);
        expect([name, href, pages.has(file)]).toEqual([name, href, true]);
        if (hash)
          expect([name, href, attributesOf(pages.get(file)!, 'id')]).toEqual([
            name,
            href,
            expect.arrayContaining([decodeURIComponent(hash.slice(1))]),
          ]);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(40);
  });

  it('shows what others wrote as text: nothing of it runs, is markup, or reads files', () => {
    const all = [...pages.values()].join('\n');
    expect([...pages].filter(([, html]) => html.includes('the secret of this machine')).map(([name]) => name)).toEqual(
      [],
    );
    expect(pages.get('decisions.html')).toContain('{<code>{</code> constructor.constructor(&quot;');
    expect(pages.get('decisions.html')).toContain('{{ x }}');
    expect([...elements(parse(all))].filter(({ tagName }) => tagName === 'nope')).toEqual([]);
    expect(
      [...pages].flatMap(([, html]) => attributesOf(html, 'href')).filter((href) => /nowhere|lost|none/.test(href)),
    ).toEqual([]);
    expect(pages.get('decisions.html')!.match(/<h1/g)).toHaveLength(1);
    expect(existsSync(join(folder, 'storybook.json'))).toBe(true);
  });

  it('is the same bytes each time', async () => {
    expect(Buffer.compare(await zipped(), await zipped())).toBe(0);
  });
});
