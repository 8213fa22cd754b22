import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,bench}/**/*.spec.ts', 'test/**/*.spec.ts'],
    globalSetup: ['test/kit/cluster.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
