import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  anyone,
  ok,
  okBytes,
  type DocumentedBody,
  type DocumentedResponse,
} from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { HandedCosignatures } from './handed-cosignatures.service.js';
import { OwnHeads } from './own-heads.service.js';
import { CosignatureTaken, HandedCosignature, HeadQuery, OriginPath, OwnHead } from './peer-logs.dto.js';
import { CheckpointMalformed, CheckpointRefused, PeerLogKeyUnknown, PeerLogUnknown } from './peer-logs.problems.js';
import { PeerWitness } from './peer-witness.service.js';

/** More than 63 lines of a proof and 64 signature lines have. */
const MAX_BODY_BYTES = 32 * 1024;
/** Statements of a long chain of keys go with a line that is handed over. */
const MAX_HANDED_BYTES = 1024 * 1024;
const PER_SECOND = 50;
const TEXT = 'text/plain; charset=utf-8';
const LINE = '\u2014 witness.example.com 5f0c9a4e...\n';
const COSIGNED = `svc.example.com/log\n42\nXwyaTh0rTDqOf2pbTD0uH18Mmk4dK0w6jn9qW0w9Lh8=\n\n\u2014 svc.example.com/log 5f0c9a4e...\n${LINE}`;
const SIZE_TYPE = 'text/x.tlog.size';

const REQUEST: DocumentedBody = {
  description: 'C2SP tlog-witness: `old <size>`, lines of the consistency proof, an empty line, the checkpoint.',
  required: true,
  content: { 'text/plain': { schema: { type: 'string' } } },
};
const OTHER_SIZE: DocumentedResponse = {
  description: 'The witness has signed another size last: that size in decimal and a newline.',
  content: { [SIZE_TYPE]: { schema: { type: 'string' } } },
};
const tag = 'system';
const problems = [CheckpointMalformed, PeerLogKeyUnknown, CheckpointRefused];

@Controller()
export class PeerLogsController {
  constructor(
    private readonly witness: PeerWitness,
    private readonly own: OwnHeads,
    private readonly handed: HandedCosignatures,
  ) {}

  @Route('POST /v1/witness/add-checkpoint', {
    tag,
    summary: 'Cosign a checkpoint of a known log',
    description:
      'C2SP tlog-witness, with /v1/witness as its submission prefix: the signature line of this server under the checkpoint. Only of logs of peers that are known here.',
    access: anyone(),
    extension: true,
    reply: okBytes(TEXT, { type: 'string', examples: [LINE] }),
    problems: [...problems, PeerLogUnknown],
    body: 'any',
    bodyLimit: MAX_BODY_BYTES,
    ratePerSecond: PER_SECOND,
    requestBody: REQUEST,
    responses: { 409: OTHER_SIZE },
  })
  async addCheckpoint(@RawBody() body: Buffer, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const answer = await this.witness.addCheckpoint(body);
    if ('line' in answer) return answer.line;
    void reply.status(409).header('content-type', SIZE_TYPE);
    return `${answer.size}\n`;
  }

  @Route('GET /v1/witness/:originHash/checkpoint', {
    tag,
    summary: 'Get the newest cosigned checkpoint of a log',
    description: 'C2SP tlog-witness, with /v1/witness as its monitoring prefix.',
    access: anyone(),
    extension: true,
    reply: okBytes(TEXT, { type: 'string', examples: [COSIGNED] }),
    problems: [PeerLogUnknown],
    ratePerSecond: PER_SECOND,
  })
  async readCheckpoint(@Param() { originHash }: OriginPath): Promise<string> {
    return this.witness.readCheckpoint(originHash);
  }

  @Route('GET /v1/witness/checkpoint', {
    tag,
    summary: 'Show the newest checkpoint to a peer',
    description:
      'The newest checkpoint of this server, that it extends the one that the caller has seen, and what leads from its first key to those that signed it.',
    access: anyone(),
    extension: true,
    reply: ok(OwnHead),
    ratePerSecond: PER_SECOND,
  })
  async showHead(@Query() query: HeadQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<OwnHead> {
    void reply.header('cache-control', 'no-store');
    return this.own.show(query);
  }

  @Route('POST /v1/witness/cosignatures', {
    tag,
    summary: 'Hand over a cosignature of this log',
    description:
      'The line of a peer under a checkpoint of this server, with what vouches for the peer as a witness. It is kept like those of other witnesses, and stands in packs and exports.',
    access: anyone(),
    extension: true,
    reply: ok(CosignatureTaken),
    problems,
    bodyLimit: MAX_HANDED_BYTES,
    ratePerSecond: PER_SECOND,
  })
  async takeCosignature(@Body() body: HandedCosignature): Promise<CosignatureTaken> {
    return this.handed.take(body);
  }
}
