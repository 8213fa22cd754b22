import { Controller, Query, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { anyone, ok, okBytes } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { ConsistencyProof, ConsistencyQuery, InclusionProof, InclusionQuery, SigningKeys } from './evidence.dto.js';
import { LeafUnknown, TileUnknown } from './evidence.problems.js';
import { PublicLogService } from './public-log.service.js';
import { RestOfPath } from './rest-of-path.decorator.js';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const TILE_PATH = '`<L>/<N>[.p/<W>]` for hashes, `entries/<N>[.p/<W>]` for entries, as C2SP tlog-tiles writes them.';
const tag = 'evidence';

@Controller()
export class EvidenceController {
  constructor(private readonly log: PublicLogService) {}

  @Route('GET /tlog/checkpoint', {
    tag,
    summary: 'The signed head of the transparency log',
    description: 'A C2SP tlog-checkpoint: origin, size and root hash, signed with Ed25519.',
    access: anyone(),
    reply: okBytes('text/plain; charset=utf-8'),
  })
  async readCheckpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('cache-control', 'no-cache');
    return this.log.checkpoint();
  }

  @ApiParam({ name: 'path', description: TILE_PATH, schema: { type: 'string' }, example: '0/x001/x234/067' })
  @Route('GET /tlog/tile/*', {
    tag,
    summary: 'A tile of the log, or a bundle of its entries',
    description:
      'C2SP tlog-tiles. Entries hold digests of records and nothing of any tenant; docs/formats/transparency-log.md.',
    access: anyone(),
    reply: okBytes('application/octet-stream'),
    problems: [TileUnknown],
  })
  async readTile(@RestOfPath() path: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Uint8Array> {
    const bytes = await this.log.tile(path);
    void reply.header('cache-control', IMMUTABLE);
    return bytes;
  }

  @Route('GET /tlog/proof/inclusion', {
    tag,
    summary: 'Proof that a record is in the log',
    access: anyone(),
    reply: ok(InclusionProof),
    problems: [LeafUnknown],
  })
  async proveInclusion(@Query() query: InclusionQuery): Promise<InclusionProof> {
    return this.log.proveInclusion(query);
  }

  @Route('GET /tlog/proof/consistency', {
    tag,
    summary: 'Proof that a newer log extends an older one',
    access: anyone(),
    reply: ok(ConsistencyProof),
  })
  async proveConsistency(@Query() query: ConsistencyQuery): Promise<ConsistencyProof> {
    return this.log.proveConsistency(query);
  }

  @Route('GET /.well-known/jwks.json', {
    tag,
    summary: 'Public keys that sign evidence, as a JSON Web Key Set',
    access: anyone(),
    reply: ok(SigningKeys),
  })
  async wellKnownKeys(): Promise<SigningKeys> {
    return this.log.signingKeys();
  }

  @Route('GET /v1/auth/keys', {
    tag,
    summary: 'Public keys that sign evidence, with their validity',
    access: anyone(),
    reply: ok(SigningKeys),
  })
  async listKeys(): Promise<SigningKeys> {
    return this.log.signingKeys();
  }
}
