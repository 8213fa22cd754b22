import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import type { UploadBody } from '../../../../common/http/uploaded-file.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { IngestAccepted } from '../ingest.dto.js';
import { lastsMsOf } from '../ingest.rules.js';
import type { IngestJob } from '../ingest.types.js';
import type { IngestFileMembers } from './ingest-files.dto.js';
import { sentFileOf } from './ingest-files.rules.js';
import { IngestFilesStore } from './ingest-files.store.js';

const MIB = 1024 * 1024;

/** Accepts files: what is accepted is durable, and will end completed or failed. */
@Injectable()
export class IngestFilesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IngestFilesStore,
    private readonly jobs: Jobs,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ValidationFailed, PayloadTooLarge */
  accept(caller: TenantCaller, query: IngestFileMembers, body: UploadBody): Promise<IngestAccepted> {
    const sent = sentFileOf(query, body, this.settings.api.maxFileMib * MIB);
    return this.tenancy.run(caller.tenantId, async () => {
      const ingestId = uuid();
      const { principal: acceptedBy, authType: authMode, agentSession = null } = caller;
      await this.store.record({ ...sent, ingestId, acceptedBy, authMode, agentSession });
      const job: IngestJob = { tenantId: caller.tenantId, ingestIds: [ingestId] };
      await this.jobs.send('ingest.file', job, { lastsMs: lastsMsOf(sent.content.length) });
      return { ingestId, status: 'queued' };
    });
  }
}
