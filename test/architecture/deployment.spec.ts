import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTING_TABLE } from '../../src/common/config/settings.js';
import type { Setting } from '../../src/common/config/setting.js';
import { expressionsOf, faultOf } from '../kit/promql.js';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'deploy/helm/svc');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const SETTINGS = Object.values(SETTING_TABLE).flatMap((group) => Object.values(group) as Setting[]);
const VARIABLES = new Set(SETTINGS.map(({ env }) => env));
const unknown = (names: readonly string[]): string[] => names.filter((name) => !VARIABLES.has(name));

/** Where it is installed: elsewhere what it would find is looked for as far as that goes. */
const has = (program: string): boolean => spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-deployment-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the chart', () => {
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
  const templates = globSync('templates/*', { cwd: CHART }).map((file) => readFileSync(join(CHART, file), 'utf8'));
  const text = templates.join('\n');

  it('has values that its schema takes, and refuses what the schema does not know', () => {
    const isValid = new Ajv({ strict: false }).compile(schema);
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...values, replicas: 3 })).toBe(false);
    expect(isValid({ ...values, image: { ...values.image, digest: 'latest' } })).toBe(false);
  });

  it('has the version of the package', () => {
    const { appVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    expect(appVersion).toBe(JSON.parse(read('package.json')).version);
  });

  it('sets variables that there are, and each that production asks for', () => {
    const { common, apps } = values;
    const given = Object.values<any>(apps).flatMap((app) => [...Object.keys(app.env), ...app.secretEnv]);
    const inTemplates = [...text.matchAll(/\b(?:SVCD?|NODE)_[A-Z\d_]+/g)].map(([name]) => name);
    const names = [...Object.keys(common.env), ...common.secretEnv, ...given, ...inTemplates];
    expect(unknown(names)).toEqual([]);
    const environment = { NODE_ENV: 'production', ...apps.daemon.env };
    const required = SETTINGS.filter(({ requiredInProduction: one }) =>
      typeof one === 'function' ? one(environment) : one,
    );
    expect(required.length).toBeGreaterThan(3);
    expect(required.map(({ env }) => env).filter((env) => !names.includes(env))).toEqual([]);
  });

  it('takes secrets from secrets', () => {
    const { common, apps } = values;
    const plain = [common, ...Object.values<any>(apps)].flatMap((app) => Object.keys(app.env));
    const secrets = new Set(SETTINGS.filter(({ secret }) => secret).map(({ env }) => env));
    expect(plain.filter((name) => secrets.has(name))).toEqual([]);
  });

  it('names only values that there are', () => {
    const found = [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path!.slice(1));
    expect(found.length).toBeGreaterThan(30);
    const isThere = (path: string): boolean =>
      path.split('.').reduce<any>((value, name) => (value === undefined ? undefined : value[name]), values) !==
      undefined;
    expect(found.filter((path) => !isThere(path))).toEqual([]);
  });

  it('writes 0, false and large numbers of its values as they stand', () => {
    expect(text).not.toMatch(/\bmerge\b/);
    expect(text).toContain('set $all $name (include "svc.text" $value)');
  });

  it('closes each block that it opens', () => {
    for (const template of templates) {
      const actions = [...template.matchAll(/\{\{-?\s*(\w+)/g)].map(([, word]) => word!);
      const opened = actions.filter((word) => ['if', 'range', 'with', 'define'].includes(word));
      expect(actions.filter((word) => word === 'end')).toHaveLength(opened.length);
    }
  });

  it('has each app listen on the ports that its values name', () => {
    const variables = new Map([...text.matchAll(/"(\w+\.\w+)" "(SVC\w+_PORT)"/g)].map(([, port, env]) => [port, env]));
    const ports = Object.entries<any>(values.apps).flatMap(([app, of]) =>
      Object.entries<number>(of.ports).map(([port, number]) => [`${app}.${port}`, number] as const),
    );
    expect([...variables.keys()].sort()).toEqual(ports.map(([port]) => port).sort());
    expect(unknown([...variables.values()] as string[])).toEqual([]);
    expect(text).toContain('include "svc.ports" (dict "app" $name "ports" $app.ports)');
  });

  it('probes routes that every app has', () => {
    const probed = new Set([...text.matchAll(/path: (\/\w+z)\b/g)].map(([, path]) => path));
    expect([...probed].sort()).toEqual(['/healthz', '/readyz']);
    for (const golden of ['routes.txt', 'tools-routes.txt', 'daemon-routes.txt'])
      for (const path of probed) expect(read(`test/golden/${golden}`)).toContain(`GET ${path} `);
  });

  it.skipIf(!has('helm'))('is rendered by helm, with pods that may do little', () => {
    execFileSync('helm', ['lint', '--strict', CHART]);
    const all = ['ingress.enabled=true', 'ingress.hosts[0].host=a.example', 'ingress.hosts[0].app=api'];
    const more = ['serviceMonitor.enabled=true', 'checkpoints.existingClaim=kept', 'common.env.SVC_LOG_LEVEL=warn'];
    const zero = ['common.env.SVC_JOBS=1', 'apps.api.env.SVC_JOBS=0'];
    const set = [...all, ...more, ...zero].flatMap((value) => ['--set', value]);
    const rendered = execFileSync('helm', ['template', 'here', CHART, ...set], { encoding: 'utf8' });
    const objects = parseAllDocuments(rendered).map((document) => document.toJS());
    const kinds = Object.groupBy(objects, ({ kind }) => kind);
    expect(Object.entries(kinds).map(([kind, of]) => [kind, of!.length])).toEqual(
      expect.arrayContaining([
        ...['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'].map((kind) => [kind, 3]),
        ...['Job', 'Ingress', 'ServiceMonitor'].map((kind) => [kind, 1]),
      ]),
    );
    for (const { spec } of [...kinds['Deployment']!, ...kinds['Job']!]) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const names: string[] = container.env.map(({ name }: { name: string }) => name);
        expect([unknown(names), new Set(names).size]).toEqual([[], names.length]);
      }
    }
    const jobsOf = ({ spec }: (typeof objects)[number]) =>
      spec.template.spec.containers[0].env.find(({ name }: { name: string }) => name === 'SVC_JOBS').value;
    expect(kinds['Deployment']!.map(jobsOf).sort()).toEqual(['0', '1', '1']);
    const [migrate] = kinds['Job']!;
    const owners = [...kinds['Deployment']!, migrate].filter((one) => JSON.stringify(one).includes('SVC_DATABASE_URL'));
    expect(owners).toEqual([migrate]);
  });
});

describe('the units of systemd', () => {
  const units = ['svc@.service', 'svc-migrate.service', 'svc.target'];
  const hardening = (unit: string): string[] =>
    read(`deploy/systemd/${unit}`)
      .split('\n')
      .filter((line) => /^(NoNew|Capab|Ambient|Protect|Private|Restrict|Lock|SystemCall|UMask|RemoveIPC)/.test(line));

  it('may do equally little', () => {
    const [servers, migrations] = [hardening('svc@.service'), hardening('svc-migrate.service')];
    expect(servers.length).toBeGreaterThan(20);
    expect(migrations).toEqual(servers);
  });

  it('set variables that there are', () => {
    const names = units.flatMap((unit) =>
      [...read(`deploy/systemd/${unit}`).matchAll(/\b(?:SVCD?|NODE)_[A-Z\d_]+/g)].map(([name]) => name),
    );
    expect(unknown(names)).toEqual([]);
  });

  it.skipIf(!has('systemd-analyze'))('are units that systemd takes and calls safe', () => {
    for (const unit of units) {
      const here = read(`deploy/systemd/${unit}`).replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`);
      writeFileSync(join(folder, unit), here.replaceAll(/^(User|Group)=svc$/gm, '$1=root'));
    }
    copyFileSync(join(folder, 'svc@.service'), join(folder, 'svc@api.service'));
    const analyze = (...given: string[]) => spawnSync('systemd-analyze', given, { encoding: 'utf8', cwd: folder });
    for (const unit of ['svc@api.service', 'svc-migrate.service', 'svc.target']) {
      const { status, stderr } = analyze('verify', `./${unit}`);
      const own = stderr.split('\n').filter((line) => line.includes('svc'));
      expect([unit, status, own]).toEqual([unit, 0, []]);
    }
    for (const unit of ['svc@.service', 'svc-migrate.service']) {
      const path = join(folder, `rated-${unit.replace('@', '')}`);
      writeFileSync(path, read(`deploy/systemd/${unit}`));
      // Of 100: what needs the network and no capability can hardly be rated lower.
      const { status, stdout } = analyze('security', '--offline=true', '--threshold=15', '--no-pager', path);
      expect([basename(path), status, stdout.split('\n').at(-2)]).toEqual([basename(path), 0, expect.anything()]);
    }
  });
});

describe('what Prometheus and Grafana read', () => {
  const rules = parse(read('deploy/prometheus/rules.yml')).groups.flatMap(({ rules: own }: any) => own);

  it('are expressions of PromQL', () => {
    const all = [...expressionsOf('rules'), ...expressionsOf('dashboard')];
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((one) => faultOf(one) !== undefined)).toEqual([]);
    expect(faultOf('sum by (le (rate(x[5m]))')).toBeDefined();
  });

  it('says of each alert what it is and which page helps', () => {
    const names = rules.map(({ alert }: any) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
      const [page, anchor] = annotations.runbook.split('#');
      const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect([alert, headings]).toEqual([alert, expect.arrayContaining([anchor])]);
    }
  });

  it.skipIf(!has('promtool'))('pass promtool', () => {
    execFileSync('promtool', ['check', 'rules', '--lint=all', join(ROOT, 'deploy/prometheus/rules.yml')]);
    execFileSync('promtool', ['check', 'config', '--syntax-only', join(ROOT, 'deploy/prometheus/scrape.yml')]);
  });
});
