import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const file = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const composition = parse(file, { merge: true });
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name!)),
];

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
    const apps = Object.keys(composition.services).filter((name) => name !== 'db');
    expect(apps).toEqual(['api', 'tools', 'daemon']);
    for (const app of apps) expect(section).toContain(`\`${app}\``);
    const ports = namesIn(JSON.stringify(composition.services), /"127\.0\.0\.1:(\d+):\d+"/g);
    for (const port of ports) expect(section).toMatch(new RegExp(`\\b${port}\\b`));
  });
});
