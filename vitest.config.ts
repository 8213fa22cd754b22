import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,bench}/**/*.spec.ts', 'test/**/*.spec.ts'],
    globalSetup: ['test/kit/cluster.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    // What hangs, ends; what is slow on a busy machine does not fail.
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
