import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { loadSettings } from '../../../src/common/config/settings.js';
import { apiOptions } from '../../../src/apps/api-options.js';
import { CoreModule } from '../../../src/apps/core.module.js';
import { EvidenceModule } from '../../../src/common/evidence-log/evidence-log.module.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';

/** The evidence module on a database, without HTTP and without job workers. */
export interface EvidenceApp {
  context: INestApplicationContext;
  evidence: EvidenceService;
  sequencer: LogSequencer;
  keys: KeyRing;
  tenancy: Tenancy;
  dataDir: string;
  close(): Promise<void>;
}

export async function openEvidence(databaseUrl: string, env: Record<string, string> = {}): Promise<EvidenceApp> {
  const dataDir = env.SVC_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'svc-evidence-'));
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: dataDir,
    SVC_LOG_LEVEL: 'error',
    SVC_JOBS: 'false',
    SVC_DATABASE_POOL_SIZE: '8',
    ...env,
  });
  const parts = {
    settings,
    address: { ownerUrl: databaseUrl },
    log: makeLog(settings, 'test'),
    metrics: new Metrics(),
  };
  const context = await NestFactory.createApplicationContext(
    { module: class EvidenceTestModule {}, imports: [CoreModule.of(parts, apiOptions(parts)), EvidenceModule] },
    { logger: false, abortOnError: false },
  );
  return {
    context,
    evidence: context.get(EvidenceService),
    sequencer: context.get(LogSequencer),
    keys: context.get(KeyRing),
    tenancy: context.get(Tenancy),
    dataDir,
    close: async () => {
      await context.close();
      if (env.SVC_DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A plain receipt of a test. */
export const sampleEvent = (n: number, stream?: string) => ({
  kind: 'test.happened',
  actor: 'key:test',
  authMode: 'api_key',
  subject: `subject-${String(n)}`,
  body: { n, note: 'a body' },
  stream,
});
