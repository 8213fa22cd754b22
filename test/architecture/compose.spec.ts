import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Setting } from '../../src/common/config/setting.js';
import { SETTING_TABLE } from '../../src/common/config/settings.js';

const ROOT = join(import.meta.dirname, '../..');
const file = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const composition = parse(file, { merge: true });
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name!)),
];

const SETTINGS = Object.values(SETTING_TABLE).flatMap((group) => Object.values(group) as Setting[]);
const VARIABLES = new Set(SETTINGS.map(({ env }) => env));
const apps = Object.entries<any>(composition.services).filter(([name]) => name !== 'db');

/** What `docker compose` refuses to go without, in any of the services. */
const demanded = namesIn(JSON.stringify(composition.services), /\$\{(\w+):\?/g).sort();

describe('compose.yaml', () => {
  it('demands secrets, as its leading comment names them', () => {
    const [comment] = /^(?:#.*\n)+/.exec(file)!;
    expect(demanded.length).toBeGreaterThan(3);
    expect(namesIn(comment, /^# {3}([A-Z][A-Z\d_]+) /gm).sort()).toEqual(demanded);
  });

  it('is started in docs/operations.md with all of them and no others', () => {
    const [command] = /^ {4}.*docker compose up.*$/m.exec(page)!;
    expect(namesIn(command, /([A-Z][A-Z\d_]+)=/g).sort()).toEqual(demanded);
  });

  it('runs the apps that docs/operations.md says it does', () => {
    const start = page.indexOf('\n## Containers\n');
    const section = page.slice(start, page.indexOf('\n## ', start + 1));
    expect(apps.map(([app]) => app)).toEqual(['api', 'tools', 'daemon']);
    for (const [app] of apps) expect(section).toContain(`\`${app}\``);
    const ports = namesIn(JSON.stringify(composition.services), /"127\.0\.0\.1:(\d+):\d+"/g);
    for (const port of ports) expect(section).toMatch(new RegExp(`\\b${port}\\b`));
  });

  it('sets variables that there are, and passes on the one of the same name', () => {
    for (const [app, { environment }] of apps) {
      expect([app, Object.keys(environment).filter((name) => !VARIABLES.has(name))]).toEqual([app, []]);
      const passed = Object.entries<string>(environment).flatMap(([name, value]) =>
        [...value.matchAll(/\$\{(\w+)/g)].map(([, from]) => [name, from]),
      );
      expect(passed.filter(([name, from]) => name !== from && from !== 'POSTGRES_PASSWORD')).toEqual([]);
    }
  });

  it('gives each app what production asks for', () => {
    for (const [app, { environment }] of apps) {
      const mode = String(environment.SVCD_AUTH_MODE ?? '').replace(/^\$\{\w+:-(.*)\}$/, '$1');
      const given = { NODE_ENV: 'production', ...environment, SVCD_AUTH_MODE: mode };
      const required = SETTINGS.filter(({ requiredInProduction: one }) =>
        typeof one === 'function' ? one(given) : one,
      );
      const lacking = required.map(({ env }) => env).filter((name) => !environment[name]);
      expect([app, lacking]).toEqual([app, []]);
    }
  });

  it('lets the apps reach each other at ports they have', () => {
    const ports: Record<string, string> = { api: '8090', tools: '8091', daemon: '14800' };
    for (const [, { environment }] of apps)
      for (const name of ['SVC_API_URL', 'SVC_DAEMON_URL']) {
        const { hostname, port } = new URL(environment[name]);
        expect(port).toBe(ports[hostname]);
      }
  });
});
