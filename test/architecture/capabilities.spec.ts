import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeclaredSystems, type DeclaredSystem } from '../../src/common/contract/declared-systems.js';
import { idOf } from '../../src/modules/memory/capabilities/declared-capabilities.rules.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';

const ROOT = join(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'src/modules/memory/capabilities/tested-by.ts');

let daemon: TestDaemon;
let systems: readonly DeclaredSystem[];
beforeAll(async () => {
  daemon = await startDaemon();
  systems = await daemon.app.get(DeclaredSystems).read();
});
afterAll(() => daemon.close());

/** The folder of the module that has a controller. */
function foldersByController(): Map<string, string> {
  const files = globSync('src/**/*.controller.ts', { cwd: ROOT }).sort();
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^export class (\w+)/gm)].map(
        ([, name]): [string, string] => [name!, file.split('/').slice(0, 4).join('/')],
      ),
    ),
  );
}

/**
 * The specs of a module stand next to its source and in the folder of test/medium with its name, or that of its tag.
 */
function specsByCapability(): Record<string, string[]> {
  const folders = foldersByController();
  const specs: Record<string, Set<string>> = {};
  for (const { name: system, modules } of systems)
    for (const { tag, handler } of modules.flatMap(({ routes }) => routes)) {
      const folder = folders.get(handler.split('.')[0]!)!;
      const [root, , , module = ''] = folder.split('/');
      const own = folder.startsWith('src/modules/')
        ? [`${folder}/**/*.spec.ts`, `test/medium/${module}/**/*.spec.ts`]
        : [];
      if (root !== 'src') throw new Error(`${handler} stands nowhere`);
      const patterns = [...own, `test/medium/${tag.replaceAll(' ', '-')}/**/*.spec.ts`];
      const found = (specs[idOf(system, tag)] ??= new Set());
      for (const file of globSync(patterns, { cwd: ROOT })) found.add(file.replaceAll('\\', '/'));
    }
  return Object.fromEntries(
    Object.entries(specs)
      .filter(([, files]) => files.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, files]) => [id, [...files].sort()]),
  );
}

describe('what the capability registry says of tests', () => {
  it('is what there is; `-u` writes it', async () => {
    const text = `/** The specs of each capability. Made by test/architecture/capabilities.spec.ts. */
      export const TESTED_BY: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(specsByCapability())};`;
    const options = await resolveConfig(TARGET);
    await expect(await format(text, { ...options, filepath: TARGET })).toMatchFileSnapshot(TARGET);
  });

  it('is of all three apps', () => {
    expect(systems.map(({ name }) => name)).toEqual(['svc-api', 'svc-tools', 'svc-daemon']);
    for (const { name, modules } of systems)
      expect([name, modules.flatMap(({ routes }) => routes).length > 10]).toEqual([name, true]);
  });
});
