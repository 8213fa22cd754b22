/**
 * A service instance in a process of its own, from the build: writes receipts in endless small units of work, four at a time,
 * and prints the ids of those that were acknowledged, one a line. It is made to be killed.
 */
import { NestFactory } from '@nestjs/core';
import { loadSettings } from '../../../build/common/config/settings.js';
import { CoreModule } from '../../../build/apps/core.module.js';
import { tenantApiContract } from '../../../build/common/contract/tenant-api-contract.js';
import { EvidenceModule } from '../../../build/common/evidence-log/evidence-log.module.js';
import { EvidenceService } from '../../../build/common/evidence-log/evidence.service.js';
import { makeLog } from '../../../build/common/observability/log.js';
import { Metrics } from '../../../build/common/observability/metrics.js';
import { Tenancy } from '../../../build/common/tenancy/tenancy.js';

const [ownerUrl, actor, dataDir] = process.argv.slice(2);
const settings = loadSettings({
  SVC_DATA_DIR: dataDir,
  SVC_JOBS: 'false',
  SVC_LOG_LEVEL: 'silent',
  SVC_LOG_INTERVAL_MS: '50',
});
const parts = { settings, address: { ownerUrl }, log: makeLog(settings, 'writer'), metrics: new Metrics() };
class Writer {}
const app = await NestFactory.createApplicationContext(
  { module: Writer, imports: [CoreModule.of(parts, { contract: tenantApiContract({}) }), EvidenceModule] },
  { logger: false, abortOnError: false },
);
const tenancy = app.get(Tenancy);
const evidence = app.get(EvidenceService);

async function write(worker) {
  for (let n = 0; ; n++) {
    const happened = { kind: 'test.happened', actor, authMode: 'api_key', subject: `s-${n}`, body: { n } };
    const tenant = `shared-${worker % 2}`;
    const recorded = await tenancy.run(tenant, async () => {
      const receipts = evidence.draftRetrievals(tenant, [{ actor, authMode: 'api_key', body: { n } }]);
      await evidence.recordRetrievals(tenant, receipts);
      return evidence.recordMany([happened, { ...happened, stream: 'side' }]);
    });
    process.stdout.write(recorded.map((receipt) => `${receipt.receiptId}\n`).join(''));
  }
}

await Promise.all([0, 1, 2, 3].map(write));
