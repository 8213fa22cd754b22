import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.spec.ts'));

/** Every file with the files of ours it imports, static or dynamic. */
const imports = new Map(
  files.map((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const found = [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g)].map(([, path]) =>
      relative(ROOT, resolve(ROOT, dirname(file), `${path}.ts`)),
    );
    return [file, found];
  }),
);

/** `<domain>/<module>` of a file. */
const moduleOf = (file: string) => /^src\/modules\/([^/]+\/[^/]+)\//.exec(file)?.[1];
const OPEN_TO_OTHERS = /\.(module|service|guard|views|problems|events|types|dto)\.ts$/;

const offences = (rule: (from: string, to: string) => boolean) =>
  [...imports].flatMap(([from, targets]) => targets.filter((to) => rule(from, to)).map((to) => `${from} -> ${to}`));

describe('the modules', () => {
  it('finds the source', () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...imports.values()].flat().filter((file) => !files.includes(file))).toEqual([]);
  });

  it('another module is entered by its module, service, guards, views, problems, events, types or dto alone', () => {
    expect(
      offences(
        (from, to) =>
          moduleOf(to) !== undefined &&
          moduleOf(from) !== undefined &&
          moduleOf(from) !== moduleOf(to) &&
          !OPEN_TO_OTHERS.test(to),
      ),
    ).toEqual([]);
  });

  it('no import runs upward', () => {
    const level = (file: string): number =>
      [
        /^src\/(evidence|search|migrations)\//,
        /^src\/common\//,
        /^src\/guards\//,
        /^src\/modules\//,
        /^src\/rpc\//,
        /^src\/apps\//,
        /^src\/(cli\/|main\.ts)/,
      ].findIndex((folder) => folder.test(file));
    expect(files.filter((file) => level(file) < 0)).toEqual([]);
    expect(offences((from, to) => level(to) > level(from))).toEqual([]);
  });

  it('no two files bear one name, and no two folders outside of a domain and its library', () => {
    const doubled = (paths: string[]) =>
      paths.filter((path) => paths.some((other) => other !== path && basename(other) === basename(path)));
    expect(doubled(files.filter((file) => !/^src\/main\.ts$/.test(file)))).toEqual([]);
  });

  it('stores do not reach up to services, services not to controllers', () => {
    const height = (file: string) =>
      ['.store.ts', '.views.ts', '.service.ts', '.controller.ts'].findIndex((end) => file.endsWith(end)) >> 1;
    expect(
      offences(
        (from, to) =>
          moduleOf(from) === moduleOf(to) &&
          moduleOf(from) !== undefined &&
          /\.(store|service)\.ts$/.test(from) &&
          /\.(service|controller)\.ts$/.test(to) &&
          height(to) > height(from),
      ),
    ).toEqual([]);
    expect(offences((from, to) => /\.store\.ts$/.test(from) && /\.service\.ts$/.test(to))).toEqual([]);
  });

  it('there are no barrels', () => {
    expect(files.filter((file) => file.endsWith('/index.ts') && file !== 'src/migrations/index.ts')).toEqual([]);
  });

  it('there are no cycles', () => {
    expect(cycles()).toEqual([]);
  });

  it('every module has a file that says what it is for, in at most 8 lines', () => {
    const modules = files.filter((file) => /^src\/modules\/[^/]+\/[^/]+\/[^/]+\.module\.ts$/.test(file));
    expect(new Set(modules.map(moduleOf))).toEqual(new Set(files.map(moduleOf).filter(Boolean)));
    const undocumented = modules.filter((file) => {
      const text = /\/\*\*([\s\S]*?)\*\/\s*(?:@Global\(\)\s*)?@Module/.exec(
        readFileSync(join(ROOT, file), 'utf8'),
      )?.[1];
      return !text || text.trim().split('\n').length > 8;
    });
    expect(undocumented).toEqual([]);
  });

  it('ARCHITECTURE.md lists every module by its domain, every folder of the platform and every guard', () => {
    const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const tree = page.slice(page.indexOf('## The tree'), page.indexOf('## A module'));
    const modules = new Set(files.flatMap((file) => moduleOf(file) ?? []));
    const domains = new Set([...modules].map((one) => dirname(one)));
    const listed = [...tree.matchAll(/([a-z]+) \(([a-z,\s-]+)\)/g)]
      .filter(([, domain]) => domains.has(domain!))
      .flatMap(([, domain, names]) => names!.split(/,\s*/).map((name) => `${domain}/${name}`));
    expect(listed.sort()).toEqual([...modules].sort());
    const words = new Set(tree.match(/[a-z][a-z-]*/g));
    const parts = files.map((file) => /^src\/common\/([^/]+)\/|^src\/guards\/(.+)\.guard\.ts$/.exec(file));
    const names = new Set(parts.flatMap((found) => found?.[1] ?? found?.[2] ?? []));
    expect([...names].filter((name) => !words.has(name))).toEqual([]);
  });

  it('every file of rules has a spec next to it', () => {
    const rules = files.filter((file) => file.endsWith('.rules.ts'));
    expect(rules.length).toBeGreaterThan(40);
    expect(rules.filter((file) => !existsSync(join(ROOT, file.replace(/\.ts$/, '.spec.ts'))))).toEqual([]);
  });

  it('no test is skipped, focused or left to do, and nothing is silenced', () => {
    const all = globSync('{src,bench,test}/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('modules.spec.ts'));
    const bad = all.filter((file) =>
      /\b(it|test|describe)\.(skip|only|todo)\b|@ts-ignore|@ts-expect-error|(es|ox)lint-disable|\bas any\b|\bTODO\b|\bFIXME\b/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(bad).toEqual([]);
  });
});

/** Import cycles, each once, by depth-first search; type-only imports count, as they couple just the same. */
function cycles(): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  return found;
}
