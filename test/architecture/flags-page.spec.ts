import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILD_FEATURES } from '../../src/common/config/setting.js';
import { SETTING_TABLE } from '../../src/common/config/settings.js';
import type { DaemonFlag } from '../../src/common/config/daemon/flag.js';
import { DAEMON_FLAGS } from '../../src/common/config/daemon/flag-table.js';
import type { RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { matches } from '../../src/common/route-auth/path-pattern.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON } from '../kit/daemon-contract.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';
import { ECHO } from '../kit/wat.js';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const EXTENSION = 'flags-page';
/** Scopes that are asked for nowhere else. */
const SCOPES = `${ALL_SCOPES} compute:embed provenance:write`;

/**
 * memory-daemon.md 4.12, and SVCD_STATUS_FEED of 4.9: the flags that open no address of their own, by what they do.
 * Those of the table of flags are not repeated here.
 */
const OTHERS: Record<string, string> = {
  SVCD_HANDOFF_OBSERVATIONS: 'POST /v1/workbench/handoff-v2 writes no observation',
  SVCD_QUOTA_HOSTED_SURFACES: 'every surface is local, and unlimited',
  SVCD_ASSEMBLY_CACHE: 'each context is assembled again from its rows',
  SVCD_CONSOLIDATION_SCHEDULER: 'no review is scheduled',
  SVCD_RETENTION_DAYS: 'nothing expires; compact-facts scrubs what was deleted alone',
  SVCD_ADMIN_FORCE_SEAL: 'POST /v1/admin/force-seal is refused',
  SVCD_EPHEMERAL_GC: 'a passport announces as many sessions as it likes',
  SVCD_OBS_RETENTION_DAYS: 'observed sessions are kept for ever',
};

/** How many flags 4.12 has, with the one of 4.9. */
const FLAGS_OF_THE_SPECIFICATION = 38;

const TENANT = 'flags';
/** What a route has to be asked for a flag to show. */
const BODIES: Record<string, object> = {
  SVCD_STREAM_RECEIPTS: { kind: 'stream', payload: 1 },
  SVCD_FEATURE_USAGE_RECEIPTS: { kind: 'usage_ping', payload: 1 },
};

let database: TestDatabase;
/** With all flags off; with all on; with those on whose routes stay while they are off. */
let off: TestDaemon;
let on: TestDaemon;
let partly: TestDaemon;

const flags: readonly DaemonFlag[] = Object.values(DAEMON_FLAGS);
const ofRoutes = flags.filter((flag) => flag.off === 'by route');

beforeAll(async () => {
  database = await freshDatabase();
  const without = (list: readonly DaemonFlag[]) => Object.fromEntries(list.map(({ env }) => [env, offValueOf(env)]));
  const env = { ...ALL_FLAGS_ON, SVC_BUILD_FEATURES: 'hosted-surfaces,wasm-extensions' };
  off = await startDaemon({ database, env: without(flags) });
  on = await startDaemon({ database, env });
  partly = await startDaemon({ database, env: { ...env, ...without(ofRoutes) } });
  const module_base64 = ECHO.toString('base64');
  const registered = await ask(on, 'POST', '/v1/extensions', { extension_id: EXTENSION, kind: 'wasm', module_base64 });
  expect(registered.status).toBe(201);
}, 120_000);
afterAll(async () => {
  for (const daemon of [partly, on, off]) await daemon.close();
  await database.drop();
});

const offValueOf = (env: string): string => (env.endsWith('_URL') ? '' : '0');

interface Seen {
  status: number;
  code: string;
  /** The answer, without what differs from request to request. */
  body: string;
  flag: unknown;
}

async function ask({ url }: TestDaemon, method: string, path: string, body: object = {}): Promise<Seen> {
  const stop = new AbortController();
  const headers = { 'x-svc-scopes': SCOPES, 'x-svc-tenant-id': TENANT, 'x-request-id': 'flags-page' };
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    signal: stop.signal,
  });
  const { status } = answer;
  const isStream = answer.headers.get('content-type')?.includes('event-stream') ?? false;
  const text = isStream ? 'a stream' : await answer.text();
  stop.abort();
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  const { code = '', flag, ...rest } = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
  const { request_id: _, instance: __, ...kept } = rest;
  return { status, code: code as string, flag, body: JSON.stringify(kept) };
}

const routesOn = (): readonly RouteRecord[] => on.app.get(RouteManifest).routes;
const routesAt = (patterns: readonly string[]): RouteRecord[] =>
  routesOn().filter(({ path }) => patterns.some((pattern) => matches(pattern, path)));
const askFor = (daemon: TestDaemon, { verb, path }: RouteRecord, body?: object): Promise<Seen> =>
  ask(daemon, verb, path.replace('/extensions/:id', `/extensions/${EXTENSION}`).replace(/:\w+|\*/g, 'x'), body);

interface Row {
  flag: string;
  byDefault: string;
  route: string;
  off: string;
  on: string;
}

const shown = ({ status, code }: Seen): string => (code === '' ? `${status}` : `${status} ${code}`);
const defaultOf = ({ schema }: DaemonFlag): string => {
  const value = schema.parse(undefined) as string | boolean | undefined;
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : (value ?? 'unset');
};

/** What each route of a flag answers, with the flag off and on. */
async function rowsOf(flag: DaemonFlag): Promise<Row[]> {
  const byDefault = defaultOf(flag);
  const rows: Row[] = [];
  const body = BODIES[flag.env];
  let differences = 0;
  for (const route of routesAt(flag.paths)) {
    const without = flag.off === 'by route' ? partly : off;
    const was = await askFor(without, route, body);
    const is = await askFor(on, route, body);
    if (flag.off === 404)
      expect([route.address, was]).toEqual([route.address, expect.objectContaining({ status: 404, flag: flag.env })]);
    if (flag.off === 501)
      expect([route.address, was]).toEqual([route.address, expect.objectContaining({ status: 501, flag: flag.env })]);
    if (flag.off === 'reported')
      expect([route.address, was]).toEqual([route.address, expect.objectContaining({ status: 200, flag: flag.env })]);
    if (flag.off !== 'by route') expect([route.address, is.flag === flag.env]).toEqual([route.address, false]);
    // An answer with a time in it is never the same twice, and shows nothing.
    const isStable = was.body === (await askFor(without, route, body)).body;
    if (was.status !== is.status || (isStable && was.body !== is.body)) differences += 1;
    rows.push({ flag: flag.env, byDefault, route: route.address, off: shown(was), on: shown(is) });
  }
  if (flag.paths.length > 0)
    expect([flag.env, 'makes a difference', differences > 0]).toEqual([flag.env, 'makes a difference', true]);
  return rows;
}

async function rowsOfFeature(feature: string, routes: RouteRecord[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const route of routes) {
    const [was, is] = [await askFor(off, route), await askFor(on, route)];
    expect([route.address, was.flag, is.flag === 'SVC_BUILD_FEATURES']).toEqual([
      route.address,
      'SVC_BUILD_FEATURES',
      false,
    ]);
    rows.push({
      flag: `SVC_BUILD_FEATURES=${feature}`,
      byDefault: 'off',
      route: route.address,
      off: shown(was),
      on: shown(is),
    });
  }
  expect([feature, rows.length > 0]).toEqual([feature, true]);
  return rows;
}

/** The text of the product, without what declares settings. */
const sources = (): string =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/\.spec\.ts$|^common[\\/]config[\\/]/.test(file))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n');

const settingsByName = new Map(
  Object.values(SETTING_TABLE).flatMap((group) =>
    Object.entries(group).map(([member, { env }]) => [env, member] as const),
  ),
);

const cell = (text: string): string => text.replaceAll('|', '\\|');

describe('every flag of the specification', { timeout: 300_000 }, () => {
  it('is listed', () => {
    const named = new Set([...flags.map(({ env }) => env), ...Object.keys(OTHERS), ...BUILD_FEATURES]);
    expect([...named]).toHaveLength(FLAGS_OF_THE_SPECIFICATION);
  });

  it('that opens no address is read by the product', () => {
    const code = sources();
    const silent = [...flags.filter(({ paths }) => paths.length === 0).map(({ env }) => env), ...Object.keys(OTHERS)];
    for (const env of silent) {
      const member = settingsByName.get(env);
      expect([env, new RegExp(`\\b${member}\\b`).test(code)]).toEqual([env, true]);
    }
    expect(code).toContain("features.includes('otel')");
  });

  it('does what docs/flags.md says, with each of its routes asked off and on (-u writes it)', async () => {
    const rows: Row[] = [];
    rows.push(...(await rowsOfFeature('hosted-surfaces', routesAt(['/v1/gpu1/*', '/v1/cloud/*']))));
    rows.push(...(await rowsOfFeature('wasm-extensions', routesAt(['/v1/extensions/:id/dispatch']))));
    for (const flag of flags) rows.push(...(await rowsOf(flag)));
    expect([on.mcpUrl === '', off.mcpUrl === '']).toEqual([false, true]);
    await expect(page(rows)).toMatchFileSnapshot('../../docs/flags.md');
  });
});

function page(rows: Row[]): string {
  const table = rows.map(
    ({ flag, byDefault, route, off: was, on: is }) =>
      `| \`${flag}\` | ${byDefault} | \`${cell(route)}\` | ${was} | ${is} |`,
  );
  const isElsewhere = (env: string): boolean => flags.some((flag) => flag.env === env && flag.paths.length > 0);
  const others = Object.entries(OTHERS)
    .filter(([env]) => !isElsewhere(env))
    .map(([env, effect]) => `| \`${env}\` | ${effect} |`);
  return [
    '# Flags of the memory daemon',
    '',
    'What each route behind a flag answers while the flag is off, and while it is on, to a caller with every scope who sends an empty body and names things that there are not. `test/architecture/flags-page.spec.ts` starts daemons, asks every route, and writes this page (`-u`); a flag that changes nothing fails there. What the settings mean is in [env.md](env.md).',
    '',
    '| flag | default | route | off | on |',
    '| --- | --- | --- | --- | --- |',
    ...table,
    '',
    '## Flags without a route of their own',
    '',
    '`SVC_BUILD_FEATURES=otel` is off by default: no `x-trace-id` and no spans ([tracing.md](tracing.md)). `SVCD_MCP_ENABLED` is on by default; off, the MCP listener is not opened.',
    '',
    '| setting | off or unset |',
    '| --- | --- |',
    ...others,
    '',
  ].join('\n');
}
