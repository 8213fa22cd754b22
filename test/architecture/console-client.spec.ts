import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';

const CONSOLE = join(import.meta.dirname, '..', '..', 'console', 'src');

let api: TestApi;
let daemon: TestDaemon;
let folder: string;
beforeAll(async () => {
  [api, daemon] = [await startApi(), await startDaemon()];
  folder = mkdtempSync(join(tmpdir(), 'svc-console-client-'));
});
afterAll(async () => {
  await api.close();
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** The operations and types that the console imports of a server. */
function importedOf(server: string, file: 'sdk' | 'types'): Set<string> {
  const statement = new RegExp(`import (?:type )?{([^}]*)} from '[./]+/generated/${server}/${file}\\.gen\\.ts'`, 'g');
  const sources = filesOf(CONSOLE).filter((name) => !name.startsWith('generated/'));
  const named = sources.flatMap((name) =>
    [...readFileSync(join(CONSOLE, name), 'utf8').matchAll(statement)].flatMap(([, names]) => names!.split(',')),
  );
  return new Set(named.map((name) => name.trim().replace(/ as .*/, '')).filter(Boolean));
}

/** `GET /v1/facts/list` of each operation that is imported. */
function operationsOf(document: any, imported: Set<string>): string[] {
  return Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([, { operationId }]) => imported.has(operationId))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

async function generate(server: 'api' | 'daemon', document: any): Promise<string> {
  const include = operationsOf(document, importedOf(server, 'sdk'));
  await createClient({
    input: document,
    output: { path: join(folder, server), entryFile: false },
    logs: { level: 'silent' },
    parser: { filters: { operations: { include }, orphans: false } },
    plugins: [
      { name: '@hey-api/typescript', comments: false, case: 'PascalCase' },
      '@hey-api/client-fetch',
      { name: '@hey-api/sdk', comments: false },
    ],
  });
  return join(folder, server);
}

/** Written by `vitest -u` when a route that the console uses, or its imports, changed. */
describe("the console's clients", () => {
  it.each([
    ['api', () => send(api.url, 'GET', '/openapi.json')],
    ['daemon', () => send(daemon.url, 'GET', '/v1/openapi.json')],
  ] as const)('are those of the OpenAPI document: %s', async (server, ask) => {
    const made = await generate(server, (await ask()).body);
    const kept = join(CONSOLE, 'generated', server);
    for (const name of filesOf(made))
      await expect(readFileSync(join(made, name), 'utf8')).toMatchFileSnapshot(join(kept, name));
    expect(filesOf(kept).sort()).toEqual(filesOf(made).sort());
  });
});
