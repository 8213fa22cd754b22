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
    '',
    `## ${GROUP_TITLES[group]}`,
    '',
    '| variable | default | meaning |',
    '| --- | --- | --- |',
    ...Object.values(members).map(row),
  ]);
  return `${[...head, ...tables].join('\n')}\n`;
}

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
