import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/common/database/embedded/embedded.js';
import { createKeyFile } from '../../src/common/evidence-log/key-files.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Database `svc` as a role that owns it and may create roles and databases: `inject('adminUrl')`. */
    adminUrl: string;
    /** The same server as a superuser. */
    superuserUrl: string;
    /** One signing key for all processes of the tests: several apps on a database are a fleet. */
    signingKeyFile: string;
  }
}

/**
 * Vitest global set-up: one throw-away embedded cluster for the whole run, or the PostgreSQL of SVC_TEST_DATABASE_URL
 * (a role that may create roles and databases). Its files go with the folder of the run. Returns the tear-down.
 */
export default async function startCluster(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  provideSigningKey(project);
  const given = process.env['SVC_TEST_DATABASE_URL'];
  if (given) {
    project.provide('adminUrl', given);
    project.provide('superuserUrl', process.env['SVC_TEST_SUPERUSER_URL'] ?? given);
    return undefined;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  chmodSync(dataDir, 0o711); // for root: the server's user may pass through, so the cluster can lie inside
  const server = await startEmbedded({ dataDir, throwAway: true, log: () => undefined });
  project.provide('adminUrl', server.url);
  project.provide('superuserUrl', server.superuserUrl);
  return () => server.stop();
}

function provideSigningKey(project: TestProject): void {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-test-key-')), 'signing-key.pem');
  createKeyFile(file);
  project.provide('signingKeyFile', file);
}
