import { dirname, join, relative, resolve, sep } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SOURCES = join(import.meta.dirname, 'src');
const COMPILED = join(import.meta.dirname, 'build');

/**
 * What these tests import of `src` is what the compiler made of it, loaded by Node.js itself: to transform thousands of
 * modules again for every file took a third of the time of all tests.
 */
const compiledSources = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  resolveId(source: string, importer?: string) {
    if (!importer || !source.startsWith('.')) return null;
    const path = relative(SOURCES, resolve(dirname(importer), source));
    return path.startsWith('..') || !path.endsWith('.js') ? null : { id: join(COMPILED, path), external: true };
  },
};

/** Projects run one after the other, the fast kinds first; within one, files run in so many processes. */
function project(
  order: number,
  name: string,
  { isCompiled, ...options }: { include: string[]; isCompiled: boolean; maxWorkers: number },
): TestProjectInlineConfiguration {
  return {
    extends: false,
    plugins: isCompiled ? [compiledSources] : [],
    test: {
      ...{ name, ...options },
      // The files of a process share its modules: to load the program again for each took half of their time.
      isolate: false,
      ...(isCompiled && {
        globalSetup: ['test/kit/build.ts'],
        setupFiles: ['test/kit/compile-cache.ts'],
        server: { deps: { external: [COMPILED + sep] } },
      }),
      sequence: { groupOrder: order },
      env: { NODE_ENV: 'test' },
      pool: 'forks',
      // What hangs, ends; what is slow on a busy machine does not fail.
      testTimeout: 240_000,
      hookTimeout: 240_000,
    },
  };
}

/** What takes minutes though the file is short; elsewhere the longer file takes longer. */
const LONGEST = [
  'test/e2e/evidence/python.spec.ts',
  'test/e2e/console/hostile-texts.spec.ts',
  'test/architecture/wide-bodies.spec.ts',
  'test/architecture/pathological-documents.spec.ts',
  'test/architecture/documents.spec.ts',
];

/** The longest begin first, so that a kind does not end with one process that is still at work on them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const place = ({ moduleId }: TestSpecification): number =>
      LONGEST.findIndex((file) => moduleId.endsWith(file)) + 1 || LONGEST.length + 1;
    return (await super.sort(files)).sort((a, b) => order(a) - order(b) || place(a) - place(b));
  }
}

const unit = ['{src,bench,console}/**/*.spec.ts'];
const inProcess = ['test/{architecture,medium}/**/*.spec.ts'];
const childProcesses = ['test/e2e/**/*.spec.ts'];

export default defineConfig({
  test: {
    // Of the whole run: one PostgreSQL for all projects.
    globalSetup: ['test/kit/temporary-folder.ts', 'test/kit/cluster.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project(0, 'unit', { include: unit, isCompiled: false, maxWorkers: 2 }),
      project(1, 'medium', { include: inProcess, isCompiled: true, maxWorkers: 3 }),
      // They wait for processes that start and end more than they compute.
      project(2, 'e2e', { include: childProcesses, isCompiled: true, maxWorkers: 4 }),
    ],
  },
});
