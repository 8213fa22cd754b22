import { SETTING_TABLE } from './settings.js';
import type { Setting } from './setting.js';

const GROUP_TITLES: Record<keyof typeof SETTING_TABLE, string> = {
  process: 'Process',
  api: 'Tenant API',
  tools: 'Tool service',
  oidc: 'Sign-in at an identity provider',
  people: 'People of the identity provider',
  daemon: 'Memory daemon',
  memory: 'Memory',
  sync: 'Tenant sync',
  extensions: 'Extensions',
  upstreams: 'Engine and hosted endpoint',
  flags: 'Planes of the memory daemon',
  tracing: 'Tracing',
  hook: 'Git hook',
  ingest: 'svc ingest',
  database: 'Database',
  bootstrap: 'First start',
  evidence: 'Evidence',
  retrieval: 'Retrieval',
  jobs: 'Background jobs',
  agents: 'Agents that register themselves',
  economy: 'Payments',
  feedback: 'Feedback',
  mail: 'Mail',
  outbox: 'Events',
  shield: 'Shield',
  features: 'Features',
  bench: 'Benchmarks',
};

/** What no server reads: of clients, benchmarks, builds and tests. */
const OTHERS: readonly [string, string, string][] = [
  ['SVC_TOOLS_URL', 'unset', '`SvcClient.fromEnvironment()` of the client for TypeScript: the tool service.'],
  ['SVC_TOKEN', 'unset', 'The same client: a bearer in the place of SVC_API_KEY. Secret.'],
  [
    'SVC_LEDGER_OPERATIONS',
    '`2000`',
    'Operations of `test/e2e/economy/ledger.spec.ts`; `npm run bench:credits` sets 100000.',
  ],
  ['SVC_BUILD_COMMIT', 'that of git', 'The commit that `npm run build` writes into the program.'],
  ['SVC_CONSOLE_DAEMON', '`http://127.0.0.1:14800`', 'The daemon behind `npm run console:dev`.'],
  [
    'SVC_TEST_DATABASE_URL',
    'an embedded one',
    'The PostgreSQL of the tests, by a user who may create databases and roles.',
  ],
  [
    'SVC_TEST_SUPERUSER_URL',
    '`SVC_TEST_DATABASE_URL`',
    'The same PostgreSQL by a superuser, as whom tests change rows behind the back of the server.',
  ],
  ['SVC_TEST_ROLLING_ROUNDS', '`1`', 'Rounds of `test/e2e/processes/rolling-restart.spec.ts`.'],
  ['SVC_TEST_SYNC_SEEDS', '`6`', 'Histories of `test/medium/sync/partitions.spec.ts`.'],
  ['SVC_TEST_SYNC_FIRST', '`1`', 'The seed of the first of them.'],
  ['SVC_WRITE_VECTORS', 'unset', 'With `1` the tests of `docs/formats` write its vectors again.'],
  [
    'SVC_WRITE_PICTURES',
    'unset',
    'The folder that `test/e2e/console/pictures.spec.ts` writes the pictures of the console into.',
  ],
];

const groups = () => Object.entries(SETTING_TABLE) as [keyof typeof SETTING_TABLE, Record<string, Setting>][];

/** docs/env.md, from the table of settings. */
export function settingsPage(): string {
  const head = [
    '# Settings',
    '',
    'Every setting is an environment variable. All errors are reported together when a process starts. This page is printed from `src/common/config/settings.ts` by `npm run docs:env`; a test compares the two.',
    'Flags are `1` or `0`. An empty value counts as unset.',
  ];
  const tables = groups().flatMap(([group, members]) => [
    ...headOf(GROUP_TITLES[group]),
    ...Object.values(members).map(row),
  ]);
  const others = OTHERS.map(([name, value, about]) => `| \`${name}\` | ${value} | ${about} |`);
  return `${[...head, ...tables, ...headOf('Other programs'), ...others].join('\n')}\n`;
}

const headOf = (title: string): string[] => [
  '',
  `## ${title}`,
  '',
  '| variable | default | meaning |',
  '| --- | --- | --- |',
];

function row(one: Setting): string {
  const notes = [
    one.requiredInProduction === true && 'Required with NODE_ENV=production.',
    one.secret && 'Secret.',
  ].filter(Boolean);
  return `| \`${one.env}\` | ${one.shownDefault ?? defaultOf(one)} | ${[one.about, ...notes].join(' ').replaceAll('|', '\\|')} |`;
}

/** The default as it would be written in the environment; undefined where there is none. */
function written(one: Setting): string | undefined {
  const value = one.schema.parse(undefined) as string | number | boolean | unknown[] | undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',');
  return value === undefined ? undefined : String(typeof value === 'boolean' ? Number(value) : value);
}

function defaultOf(one: Setting): string {
  const value = written(one);
  return value === undefined ? 'unset' : `\`${value}\``;
}

/** .env.example: every variable, commented out at its default. */
export function settingsExample(): string {
  const lines = groups().flatMap(([group, members]) => [
    '',
    `# ${GROUP_TITLES[group]}`,
    ...Object.values(members).map((one) => `# ${one.env}=${one.shownDefault ? '' : (written(one) ?? '')}`),
  ]);
  return `${['# Copy to .env and load it as you like (docker compose reads it; for npm start: set -a; . ./.env). See docs/env.md.', ...lines].join('\n')}\n`;
}
