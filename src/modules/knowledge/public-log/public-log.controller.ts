import { Controller, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyone, ok, okBytes, type DocumentedParameter } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  ConsistencyProof,
  ConsistencyQuery,
  InclusionProof,
  InclusionQuery,
  LogEpochs,
  SigningKeys,
} from './public-log.dto.js';
import { LeafUnknown, TileUnknown } from './public-log.problems.js';
import { PublicLogService } from './public-log.service.js';
import { RestOfPath } from './rest-of-path.decorator.js';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const TILE_PATH: DocumentedParameter = {
  name: 'path',
  in: 'path',
  required: true,
  description: '`<L>/<N>[.p/<W>]` for hashes, `entries/<N>[.p/<W>]` for entries, as C2SP tlog-tiles writes them.',
  schema: { type: 'string', examples: ['0/x001/x234/067'] },
};
const CHECKPOINT =
  'svc.example.com/log\n42\nXwyaTh0rTDqOf2pbTD0uH18Mmk4dK0w6jn9qW0w9Lh8=\n\n\u2014 svc.example.com/log 5f0c9a4e...\n';
const tag = 'evidence';

@Controller()
export class EvidenceController {
  constructor(private readonly log: PublicLogService) {}

  @Route('GET /tlog/checkpoint', {
    tag,
    summary: 'Get the transparency log checkpoint',
    description: 'A C2SP tlog-checkpoint: origin, size and root hash, signed with Ed25519.',
    access: anyone(),
    reply: okBytes('text/plain; charset=utf-8', { type: 'string', examples: [CHECKPOINT] }),
  })
  async readLogCheckpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('cache-control', 'no-cache');
    return this.log.checkpoint();
  }

  @Route('GET /tlog/tile/*', {
    tag,
    summary: 'Get a log tile or entry bundle',
    description:
      'C2SP tlog-tiles. Entries hold digests of records and nothing of any tenant; docs/formats/transparency-log.md.',
    access: anyone(),
    parameters: [TILE_PATH],
    reply: okBytes('application/octet-stream'),
    problems: [TileUnknown],
  })
  async readLogTile(@RestOfPath() path: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Uint8Array> {
    const bytes = await this.log.tile(path);
    void reply.header('cache-control', IMMUTABLE);
    return bytes;
  }

  @Route('GET /tlog/proof/inclusion', {
    tag,
    summary: 'Get an inclusion proof',
    description: 'Proves that a record is in the log.',
    access: anyone(),
    reply: ok(InclusionProof),
    problems: [LeafUnknown],
    tried: { parameters: { leaf: 0 } },
  })
  async proveInclusion(@Query() query: InclusionQuery): Promise<InclusionProof> {
    return this.log.proveInclusion(query);
  }

  @Route('GET /tlog/proof/consistency', {
    tag,
    summary: 'Get a consistency proof',
    description: 'Proves that a newer log extends an older one.',
    access: anyone(),
    reply: ok(ConsistencyProof),
  })
  async proveConsistency(@Query() query: ConsistencyQuery): Promise<ConsistencyProof> {
    return this.log.proveConsistency(query);
  }

  @Route('GET /tlog/epochs', {
    tag,
    summary: 'List the epochs of the log',
    description: 'What the log was before each restore, and the record that leads from one to the next.',
    access: anyone(),
    reply: ok(LogEpochs),
  })
  async listEpochs(): Promise<LogEpochs> {
    return this.log.epochs();
  }

  @Route('GET /.well-known/jwks.json', {
    tag,
    summary: 'Get the evidence signing keys as JWKS',
    access: anyone(),
    reply: ok(SigningKeys),
  })
  async readKeySet(): Promise<SigningKeys> {
    return this.log.signingKeys();
  }

  @Route('GET /v1/auth/keys', {
    tag,
    summary: 'List the evidence signing keys and their validity',
    access: anyone(),
    reply: ok(SigningKeys),
  })
  async listEvidenceKeys(): Promise<SigningKeys> {
    return this.log.signingKeys();
  }
}
