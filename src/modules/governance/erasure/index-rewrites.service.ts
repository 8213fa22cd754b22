import { Injectable } from '@nestjs/common';
import { Jobs } from '../../../common/jobs/jobs.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Asks for segments of the index of documents to be made again, without what was erased. */
@Injectable()
export class IndexRewrites {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly jobs: Jobs,
  ) {}

  /** In the open unit of work; one that waits already is not asked for twice. */
  async request(shardId: string): Promise<void> {
    const job = { tenantId: this.tenancy.tenant, shardId, isWhole: true };
    await this.jobs.send('index.merge', job, { singletonKey: `whole ${shardId}` });
  }
}
