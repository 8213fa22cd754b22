import { Injectable } from '@nestjs/common';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { ShardMap } from '../../../common/routing/shard-map.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import { AnswerUnknown, ShardUnknown } from './replay.problems.js';
import type { ReplayedAnswer } from './replay.types.js';

/** Reads what was recorded of answers. Needs an open unit of work. */
@Injectable()
export class RecordedAnswersService {
  constructor(
    private readonly answers: AnswersService,
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
