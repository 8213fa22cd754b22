import { Injectable } from '@nestjs/common';
import { logName, parseCheckpoint } from '../../../evidence/checkpoint.js';
import { findCosignature } from '../../../evidence/cosignature.js';
import type { KeyChain } from '../../../evidence/key-chain.js';
import { noteLine, parseNote } from '../../../evidence/signed-note.js';
import { openWitnessStatement, type WitnessStatement } from '../../../evidence/witness-statement.js';
import { CosignedHeadsStore } from '../../../common/evidence-log/cosigned-heads.store.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { OwnHeads } from './own-heads.service.js';
import { logKeysOf, SKEW_SECONDS } from './peer-keys.rules.js';
import type { CosignatureTaken, HandedCosignature } from './peer-logs.dto.js';
import { CheckpointMalformed, CheckpointRefused, PeerLogKeyUnknown } from './peer-logs.problems.js';
import { PeerLogs } from './peer-logs.service.js';
import { PeerLogsStore } from './peer-logs.store.js';

/** Takes the lines of peers under heads of this server's own log, to be kept like those of any witness. */
@Injectable()
export class HandedCosignatures {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly own: OwnHeads,
    private readonly logs: PeerLogs,
  ) {}

  /** @throws CheckpointMalformed, PeerLogKeyUnknown for a witness that no peer is, CheckpointRefused */
  async take(handed: HandedCosignature): Promise<CosignatureTaken> {
    const { head, signer } = read(handed);
    const statement = await this.crossTenant.run('watch peer log', (query) => this.learn(query, handed, signer));
    const found = findCosignature(head.note, statement.witness);
    if (!found || found.seconds > Date.now() / 1000 + SKEW_SECONDS)
      throw new CheckpointRefused({ origin: head.origin }, 'It has no line by this witness that holds');
    const own = await this.own.findOwn(head);
    if (!own) throw new CheckpointRefused({ origin: head.origin }, 'It is no checkpoint of the log of this server');
    const { origin, size, root, kid, text } = own;
    const kept = { origin, size, root, kid, checkpoint: text, cosignatures: '' };
    await this.crossTenant.run('cosign log', (query) =>
      new CosignedHeadsStore(query).add(statement.verifierKey, kept, noteLine(found.line)),
    );
    return { witness: statement.witness.name, size };
  }

  /** The witness that a peer is, by the keys of its log that are known here and those that it shows with it. */
  private async learn(query: Query, { statements, witness }: HandedCosignature, signer: string) {
    const store = new PeerLogsStore(query);
    for (const { logId } of await store.listWatched(logName(signer))) {
      const { chain } = await this.logs.learn(query, await store.lock(logId), { statements, witness });
      const statement = open(witness, chain);
      if (statement) return statement;
    }
    throw new PeerLogKeyUnknown({ origin: signer }, 'No log of a peer that is known here vouches for the witness');
  }
}

/** @returns undefined where no key of the log signed the note */
function open(witness: string, chain: KeyChain): WitnessStatement | undefined {
  try {
    return openWitnessStatement(witness, logKeysOf(chain, Date.now() / 1000));
  } catch {
    return undefined;
  }
}

function read({ checkpoint, witness }: HandedCosignature) {
  try {
    return { head: parseCheckpoint(checkpoint), signer: parseNote(witness).signatures[0]!.name };
  } catch (error) {
    throw new CheckpointMalformed({}, (error as Error).message);
  }
}
