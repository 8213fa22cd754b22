import { Injectable } from '@nestjs/common';
import { CborError } from '../../../evidence/cbor.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { firstError, RecordChecks } from '../../../common/evidence-log/record-checks.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { ShardMap } from '../../../common/routing/shard-map.js';
import { AnswersService, type CitedAnswer } from '../../knowledge/citations/answers.service.js';
import { AnswerUnknown, ShardUnknown } from './replay.problems.js';
import type { Attestation, ReplayedAnswer } from './replay.types.js';

/** Reads what was recorded of answers. Needs an open unit of work. */
@Injectable()
export class RecordedAnswersService {
  constructor(
    private readonly answers: AnswersService,
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
    private readonly shards: ShardMap,
  ) {}

  /** @throws AnswerUnknown */
  async read(answerId: string, version: number | undefined): Promise<ReplayedAnswer> {
    const newest = await this.answers.findAnswer(answerId);
    if (!newest)
      throw new AnswerUnknown({ answer_id: answerId }, 'POST /v1/citations of the tenant API records an answer');
    if (version === undefined || version === newest.answer.version) return { asked: newest, newest };
    const asked = await this.answers.findAnswerVersion(answerId, version);
    if (!asked)
      throw new AnswerUnknown(
        { answer_id: answerId },
        `Its versions are 1 to ${newest.answer.version}; ask for one of them`,
      );
    return { asked, newest };
  }

  /** Holds the rows of a version against its receipt, and checks the receipt itself from its bytes. */
  async attest(found: CitedAnswer): Promise<Attestation> {
    const stored = await this.records.find(found.answer.receiptId);
    if (!stored) return { receiptCheck: 'RECORD_MISSING', isAsAttested: false };
    const receiptCheck = firstError(await this.checks.check(stored));
    try {
      return { receiptCheck, isAsAttested: await this.answers.isAsAttested(found) };
    } catch (error) {
      // A receipt that cannot be read attests nothing; the check says so as well.
      if (error instanceof CborError) return { receiptCheck, isAsAttested: false };
      throw error;
    }
  }

  /** @throws ShardUnknown, ServiceUnavailable while the map of shards cannot be read */
  async checkShard(shardId: string | undefined): Promise<void> {
    if (shardId === undefined) return;
    const { localShard } = await this.shards.load().catch((error: Error) => {
      throw new ServiceUnavailable({ retryAfterSec: 5 }, `The file of SVCD_SHARD_MAP_FILE ${error.message}`);
    });
    if (shardId !== localShard)
      throw new ShardUnknown(
        { shard_id: shardId },
        `This daemon has the shard ${localShard}; leave shard_id out to use it`,
      );
  }
}
