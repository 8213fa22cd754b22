import { Injectable } from '@nestjs/common';
import { OpenApiDocuments } from '../../../common/contract/openapi.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { ApiDrift, ApiDriftRequest } from './api-drift.dto.js';
import { countOperations, driftOf } from './api-drift.rules.js';
import type { Drift } from './drift.types.js';
import { counted, judge } from './judgement.rules.js';
import type { JsonObject } from './schema-drift.rules.js';
import type { Finding } from './workbench.types.js';

/** Breaking changes that are findings of their own. */
const MAX_FINDINGS = 100;

/** What a client that was made for an older manifest meets here. */
@Injectable()
export class ApiDriftService {
  constructor(private readonly documents: OpenApiDocuments) {}

  /** @throws ValidationFailed for what has no operation */
  async compare({ manifest, limit }: ApiDriftRequest): Promise<ApiDrift> {
    const sent = manifest as JsonObject;
    const live = JSON.parse(JSON.stringify(this.documents.listed)) as JsonObject;
    const sentOperations = countOperations(sent);
    if (sentOperations === 0)
      throw invalid('body.manifest', 'has no operation: send what GET /v1/openapi.json answered, with its paths');
    const changes = driftOf(sent, live);
    const breaking = changes.filter((change) => change.breaking);
    return {
      schema: 'svc.workbench.api-drift/1',
      breaking: breaking.length > 0,
      breaking_count: breaking.length,
      compatible_count: changes.length - breaking.length,
      sent_operations: sentOperations,
      live_operations: countOperations(live),
      changes: changes.slice(0, limit),
      ...judge(
        breaking.slice(0, MAX_FINDINGS).map(findingOf),
        `${counted(breaking.length, 'breaking change')}, ${counted(changes.length - breaking.length, 'other')}`,
      ),
    };
  }
}

const findingOf = ({ change, where, detail }: Drift): Finding => ({
  ...{ id: `drift.${change}`, severity: 'fail', subject: where, evidence: [{ kind: 'route', ref: where, detail }] },
  fix: 'Change the client, and make its types again of GET /v1/openapi.json',
});
