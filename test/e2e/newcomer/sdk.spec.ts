import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NewcomersFolder, ROOT, sectionOf } from './first-answer.js';

const run = promisify(execFile);

let folder: NewcomersFolder;
beforeAll(async () => {
  folder = await NewcomersFolder.open();
});
afterAll(() => folder.close());

it('leads from a PDF to a proved answer by the client for TypeScript', async () => {
  const { path: cwd, svc } = folder;
  const { api_url, daemon_url, tools_url, tenant_id, api_key } = svc.credentials;
  const packages = join(cwd, 'packages');
  mkdirSync(packages);
  const servers = ['--api', api_url, '--daemon', daemon_url, '--tools', tools_url, '--out', packages];
  const { stdout: packed } = await run(process.execPath, [join(ROOT, 'scripts', 'client.mjs'), ...servers]);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const offline = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...offline, packed.trim()], { cwd });
  writeFileSync(join(cwd, 'first-answer.ts'), sectionOf('By the client for TypeScript', 'ts').block);
  const env = {
    ...process.env,
    ...{ SVC_API_URL: api_url, SVC_DAEMON_URL: daemon_url, SVC_TOOLS_URL: tools_url },
    ...{ SVC_TENANT_ID: tenant_id, SVC_API_KEY: api_key },
  };
  const { stdout } = await run(process.execPath, ['first-answer.ts'], { cwd, env, timeout: 60_000 });
  expect(stdout).toBe('1 holds\n');
});
