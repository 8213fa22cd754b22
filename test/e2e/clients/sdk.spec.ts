import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { blocksOf } from '../../kit/markdown.js';
import { startTools, type TestTools } from '../../kit/tools.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const EXAMPLES = join(ROOT, 'clients', 'typescript', 'examples');
const run = promisify(execFile);
const node = process.execPath;

let api: TestApi;
let daemon: TestDaemon;
let tools: TestTools;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
  tools = await startTools(api);
  folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'));
  const servers = ['--api', api.url, '--daemon', daemon.url, '--tools', tools.url, '--out', folder];
  const { stdout: packed } = await run(node, [join(ROOT, 'scripts', 'client.mjs'), ...servers]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const offline = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...offline, packed.trim()], { cwd: folder });
  mkdirSync(join(folder, 'programs'));
  for (const [name, source] of programs()) writeFileSync(join(folder, 'programs', name), source);
});
afterAll(async () => {
  await tools.close();
  await daemon.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The examples of the package and the blocks of its page, by the names of their files. */
function programs(): [name: string, source: string][] {
  const page = readFileSync(join(ROOT, 'docs', 'sdk.md'), 'utf8');
  const blocks = blocksOf(page, 'ts');
  const examples = readdirSync(EXAMPLES).map((name) => [name, readFileSync(join(EXAMPLES, name), 'utf8')] as const);
  return [...examples.map(([name, text]): [string, string] => [name, text]), ...blocks.map(named)];
}
const named = (source: string, place: number): [string, string] => [`block-${place + 1}.ts`, source];

const environment = (): Record<string, string> => ({
  ...{ SVC_API_URL: api.url, SVC_DAEMON_URL: daemon.url, SVC_TOOLS_URL: tools.url },
  ...{ SVC_TENANT_ID: api.tenant.tenantId, SVC_API_KEY: api.tenant.apiKey },
});

/** Runs a program of the project, and returns what it printed. */
async function runProgram(name: string, more: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, ...environment(), ...more };
  return (await run(node, [join(folder, 'programs', name)], { env, timeout: 60_000 })).stdout;
}

/** Runs lines of a program with the client at hand as `svc`. */
function runLines(lines: string, more: Record<string, string> = {}): Promise<string> {
  const source = `import { itemsOf, SvcClient, SvcProblem, ToolFailure } from '@svc/client';\nconst svc = SvcClient.fromEnvironment();\n${lines}`;
  writeFileSync(join(folder, 'programs', 'lines.ts'), source);
  return runProgram('lines.ts', more);
}

describe('the package of the client', () => {
  it('depends on nothing, and holds the methods and types of all three servers', () => {
    const installed = join(folder, 'node_modules', '@svc', 'client');
    const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({});
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@svc']);
    expect(readdirSync(join(installed, 'dist', 'generated')).sort()).toEqual(
      expect.arrayContaining(['api', 'daemon', 'tools']),
    );
  });

  it('is typed strictly: the examples and the page compile, and what is wrong does not', async () => {
    const types = join(ROOT, 'node_modules', '@types');
    const options = {
      ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [types], lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'] },
    };
    const config = join(folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: options, include: ['programs'] }));
    const compile = () => run(node, [join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc'), '-p', config]);
    expect(await compile().catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' });
    const wrong = join(folder, 'programs', 'wrong.ts');
    writeFileSync(
      wrong,
      "import { SvcClient } from '@svc/client';\nawait new SvcClient({}).api.retrievePassages({ body: { q: 1 } });\n",
    );
    const { stdout } = await compile().catch((error: { stdout: string }) => error);
    rmSync(wrong);
    expect(stdout).toMatch(/wrong\.ts.*TS2/);
  });

  it('runs its examples, in this order', async () => {
    expect(await runProgram('ingest-and-retrieve.ts')).toContain('28 days of leave');
    expect(await runProgram('pages.ts')).toBe('leave\n');
    expect(await runProgram('facts.ts')).toContain('Lisbon');
    expect(await runProgram('problems.ts')).toBe('ValidationFailed 400 body.query\n');
    expect(await runProgram('tools.ts')).toContain('28 days of leave');
    expect(await runProgram('events.ts')).toBe('fact.stored\n');
    expect(readdirSync(EXAMPLES)).toHaveLength(6);
  });

  it('runs the blocks of docs/sdk.md', async () => {
    const tenant = api.tenant.tenantId;
    expect(tenant).toBe('acme');
    const printed = [];
    for (const [name] of programs().filter(([name]) => name.startsWith('block-'))) printed.push(await runProgram(name));
    expect(printed).toEqual([
      expect.stringMatching(/^1 \d+\.\d+\.\d+/),
      'DocumentUnknown true\n',
      'object\n',
      expect.stringContaining('office city\n'),
    ]);
  });

  it('throws what a tool answers, and that nothing answers', async () => {
    const lines = `
      const failed = await svc.callTool('no_such_tool').catch((error: unknown) => error);
      console.log(failed instanceof ToolFailure && failed.code);
      const silent = await new SvcClient({ api: 'http://127.0.0.1:1', retry: { attempts: 1 } }).api.listCorpora().catch((error: unknown) => error);
      console.log(silent instanceof SvcProblem && silent.status);
      const refused = svc.followEvents({ signal: AbortSignal.timeout(30_000) });
      console.log(await refused.next().then(() => 'events', (error: SvcProblem) => error.status));`;
    expect(await runLines(lines, { SVC_DAEMON_URL: api.url })).toBe('-32601\n0\n404\n');
  });
});

describe('a request that fails', () => {
  let server: Server;
  let url: string;
  const seen: { method: string; key: string | undefined }[] = [];
  /** What is answered in turn; `cut` ends the connection without an answer. */
  let answers: (number | 'cut')[] = [];

  beforeAll(async () => {
    server = createServer((request, reply) => {
      seen.push({ method: request.method!, key: request.headers['x-idempotency-key'] as string | undefined });
      const status = answers.shift() ?? 200;
      if (status === 'cut') return void request.socket.destroy();
      if (status === 200 && request.url === '/v1/events/stream') {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        return void reply.write('id: 7\nevent: fact.stored\ndata: {}\n\n');
      }
      reply.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      reply.end(JSON.stringify(status === 200 ? { corpora: [] } : { type: 'Busy', status, retryable: true }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const WRITE = "await svc.api.deleteDocument({ path: { corpusId: 'a', docId: 'b' } });";
  const POST = "await svc.api.createApiKey({ body: { name: 'ci' } });";
  const STORED = "await svc.daemon.storeFact({ body: { entity: 'e', key: 'k', value: 'v' } });";
  const TOOL = "await svc.callTool('comment_work', { body: 'once' });";
  const UNKEYED = "await svc.daemon.assembleContext({ body: { task: 'x' } });";

  /** @returns what it came to, and the requests that were made */
  async function send(lines: string, ...inTurn: (number | 'cut')[]): Promise<[string, (typeof seen)[number][]]> {
    seen.length = 0;
    answers = inTurn;
    const guarded = `try { ${lines} console.log('done'); } catch (error) { console.log((error as SvcProblem).status ?? (error as Error).name); }`;
    const printed = await runLines(guarded, { SVC_API_URL: url, SVC_DAEMON_URL: url, SVC_TOOLS_URL: url });
    return [printed.trim(), [...seen]];
  }

  it('goes out again with the same key after 429, 503, 409 of its key, and a cut connection', async () => {
    for (const lines of [WRITE, POST]) {
      const [outcome, requests] = await send(lines, 429, 503, 'cut');
      expect([outcome, requests.length]).toEqual(['done', 4]);
      expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
      expect(requests[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect((await send(POST, 409))[0]).toBe('done');
  });

  it('has a key of its own with each call, or the one that is given', async () => {
    const [, requests] = await send(
      `${POST} ${POST} ${POST.replace("'ci' }", "'ci' }, headers: { 'x-idempotency-key': 'chosen-by-me' }")}`,
    );
    expect(new Set(requests.map(({ key }) => key)).size).toBe(3);
    expect(requests[2]!.key).toBe('chosen-by-me');
  });

  it('has its key behind a proxy with a path as well', async () => {
    const there = "const svc = SvcClient.fromEnvironment({ api: process.env['SVC_API_URL'] + '/behind/' });";
    const [outcome, requests] = await send(`${there} ${WRITE}`);
    expect([outcome, requests[0]!.key]).toEqual(['done', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('is thrown once it was sent four times', async () => {
    expect(await send('await svc.api.listCorpora();', 503, 503, 503, 503)).toMatchObject(['503', { length: 4 }]);
  });

  it('does not go out again where that could have a second effect', async () => {
    for (const lines of [UNKEYED, STORED, TOOL]) {
      expect(await send(lines, 503)).toMatchObject(['503', { length: 1 }]);
      expect(await send(lines, 'cut')).toMatchObject(['0', { length: 1 }]);
      expect(await send(lines, 429)).toMatchObject(['done', { length: 2 }]);
    }
    expect((await send(UNKEYED))[1][0]!.key).toBeUndefined();
    expect((await send(TOOL))[1][0]!.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('goes out again as a call of a tool that takes the key of its effect', async () => {
    const [outcome, requests] = await send(TOOL.replace("'once'", "'once', idempotency_key: 'chosen-by-me'"), 'cut');
    expect([outcome, requests.map(({ key }) => key)]).toEqual(['done', ['chosen-by-me', 'chosen-by-me']]);
  });

  it('of a stream goes out again while the server has no place for it', async () => {
    const lines = 'for await (const { id } of svc.followEvents()) { console.log(id); break; }';
    expect(await send(lines, 503, 'cut', 429)).toMatchObject(['7\ndone', { length: 4 }]);
  });

  it('is ended by its signal, as fetch says it', async () => {
    expect(await send('await svc.api.listCorpora({ signal: AbortSignal.abort() });')).toEqual(['AbortError', []]);
  });

  it('does not go out again because it is wrong', async () => {
    expect(await send(WRITE, 400)).toMatchObject(['400', { length: 1 }]);
  });
});
