// Makes the package of clients/typescript: `npm run client -- [--api URL] [--daemon URL] [--tools URL] [--out FOLDER]`.
// Its operations and types are made of the OpenAPI documents of running servers, so that it fits what they are. Without
// addresses it asks the servers of `npm start`. It prints the file that `npm pack` wrote.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { pinnedNode, ROOT } from './pinned-node.mjs';

const SOURCE = join(ROOT, 'clients', 'typescript');
const KEY = 'x-idempotency-key';
const FORM = 'multipart/form-data';
const VERBS = ['get', 'put', 'post', 'patch', 'delete'];

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'http://127.0.0.1:8090' },
    daemon: { type: 'string', default: 'http://127.0.0.1:14800' },
    tools: { type: 'string', default: 'http://127.0.0.1:8091' },
    out: { type: 'string', default: join(ROOT, 'dist') },
  },
});
/** Each server with the address of its document and the class that has its operations. */
const SERVERS = {
  api: [`${values.api}/openapi.json`, 'TenantApi'],
  daemon: [`${values.daemon}/v1/openapi.json`, 'MemoryDaemon'],
  tools: [`${values.tools}/openapi.json`, 'ToolService'],
};

const folder = mkdtempSync(join(tmpdir(), 'svc-client-'));
try {
  cpSync(SOURCE, folder, { recursive: true });
  const keyed = {};
  const problems = new Set();
  for (const [server, [address, name]] of Object.entries(SERVERS)) {
    const document = await read(address);
    keyed[server] = operationsOf(document).flatMap(([method, path, operation]) =>
      takeKey(operation) ? [patternOf(`${method.toUpperCase()} ${path}`)] : [],
    );
    for (const type of problemTypesOf(document)) problems.add(type);
    await generate(document, name, join(folder, 'src', 'generated', server));
  }
  write('keyed.gen.ts', `export const KEYED = ${JSON.stringify(keyed)};`);
  write(
    'problem-types.gen.ts',
    `export type ProblemType = ${[...problems].map((type) => JSON.stringify(type)).join(' | ')};`,
  );
  run(pinnedNode(), [join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc'), '-p', folder]);
  mkdirSync(values.out, { recursive: true });
  const packed = run('npm', ['pack', '--silent', '--pack-destination', values.out], { cwd: folder });
  process.stdout.write(`${join(values.out, packed.trim())}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function read(address) {
  const answer = await fetch(address).catch((error) =>
    fail(`${address} did not answer (${error.message}); start svc first`),
  );
  if (!answer.ok) fail(`${address} answered ${answer.status}`);
  return answer.json();
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    VERBS.filter((method) => item[method]).map((method) => [method, path, item[method]]),
  );
}

/** Whether the route takes an idempotency key, which the client makes: callers may leave it out from here on. */
function takeKey({ parameters = [] }) {
  const found = parameters.find(({ name }) => name === KEY);
  if (found) found.required = false;
  return found !== undefined;
}

function patternOf(path) {
  return `^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`;
}

/** The types of problems that a server may answer. */
function problemTypesOf({ components }) {
  const found = JSON.stringify(components.responses ?? {}).matchAll(/"type":\{"type":"string","enum":(\[[^\]]*\])/g);
  return [...found].flatMap(([, types]) => JSON.parse(types));
}

function write(name, line) {
  writeFileSync(join(folder, 'src', 'generated', name), `${line}\n`);
}

/** Streams of events are read by src/events.ts. */
function isStream({ responses }) {
  return Object.keys(responses['200']?.content ?? {}).join() === 'text/event-stream';
}

async function generate(document, containerName, path) {
  for (const [method, address, operation] of operationsOf(document)) {
    if (isStream(operation)) delete document.paths[address][method];
    // Failures are thrown, as src/problem.ts has them.
    for (const status of Object.keys(operation.responses)) if (status >= '3') delete operation.responses[status];
    // Of several kinds of bodies a form has the members by name.
    const form = operation.requestBody?.content?.[FORM];
    if (form) operation.requestBody.content = { [FORM]: form };
  }
  await createClient({
    input: document,
    output: { path, entryFile: false, module: { extension: '.js' } },
    logs: { level: 'silent' },
    plugins: [
      { name: '@hey-api/typescript', case: 'PascalCase' },
      { name: '@hey-api/client-fetch', throwOnError: true },
      { name: '@hey-api/sdk', auth: false, responseStyle: 'data', operations: { strategy: 'single', containerName } },
    ],
  });
}

function run(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status !== 0) fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
