import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Projects run one after the other, the fast kinds first; within one, files run in so many processes. */
function project(
  order: number,
  name: string,
  options: { include: string[]; isolate: boolean; maxWorkers: number },
): TestProjectInlineConfiguration {
  return {
    extends: false,
    test: {
      ...{ name, ...options },
      sequence: { groupOrder: order },
      env: { NODE_ENV: 'test' },
      pool: 'forks',
      // What hangs, ends; what is slow on a busy machine does not fail.
      testTimeout: 120_000,
      hookTimeout: 240_000,
    },
  };
}

const unit = ['{src,bench,console}/**/*.spec.ts'];
const inProcess = ['test/{architecture,medium}/**/*.spec.ts'];
const childProcesses = ['test/e2e/**/*.spec.ts'];

export default defineConfig({
  test: {
    // Of the whole run: one PostgreSQL for all projects.
    globalSetup: ['test/kit/cluster.ts'],
    projects: [
      project(0, 'unit', { include: unit, isolate: false, maxWorkers: 2 }),
      project(1, 'medium', { include: inProcess, isolate: true, maxWorkers: 3 }),
      // They wait for processes that start and end more than they compute.
      project(2, 'e2e', { include: childProcesses, isolate: true, maxWorkers: 4 }),
    ],
  },
});
