import { Injectable } from '@nestjs/common';
import { type Checkpoint, logName, withLines } from '../../../evidence/checkpoint.js';
import { cosignatureLine } from '../../../evidence/cosignature.js';
import type { NoteSignature } from '../../../evidence/signed-note.js';
import { WitnessKeys } from '../../../common/evidence-log/witness-keys.js';
import type { OwnWitness } from '../../../common/evidence-log/witness-key-file.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import type { Observed, PeerLog } from './peer-logs.types.js';
import { PeerLogsStore } from './peer-logs.store.js';

/** Keeps and cosigns heads that were found in order, in an open transaction that has locked the log. */
@Injectable()
export class PeerHeads {
  constructor(private readonly witnessKeys: WitnessKeys) {}

  /** @param lines of the log, which hold */
  async accept(query: Query, log: PeerLog, head: Checkpoint, lines: readonly NoteSignature[]): Promise<Observed> {
    const { origin, size, root, note } = head;
    const checkpoint = withLines(note, lines);
    const witness = await this.findWitness(query, log, origin);
    const isNamed = typeof witness !== 'string';
    const line = isNamed ? cosignatureLine(note.text, witness, witness.signer, Math.floor(Date.now() / 1000)) : null;
    await new PeerLogsStore(query).keep(log.logId, { origin, size, root, checkpoint, cosignature: line });
    return { origin, size, checkpoint, line, reason: isNamed ? null : witness };
  }

  /** What the log is cosigned as; a sentence that says why it is not. */
  async findWitness(query: Query, log: PeerLog, origin: string): Promise<OwnWitness | string> {
    const { own, logs } = await new PeerLogsStore(query).readNames(log.name);
    if (own === null) return 'The log of this server has not begun';
    if (logName(own) === log.name)
      return `${log.name} is the name of this server's own log: one of the two needs another SVC_LOG_ORIGIN`;
    if (logs > 1)
      return `Several logs with the name ${log.name} are known here: each needs an SVC_LOG_ORIGIN of its own`;
    if (log.forkedOrigin === origin) return `Two logs were seen under ${origin}: it is not cosigned any more`;
    return this.witnessKeys.find(own) ?? 'This server has no witness key (SVC_WITNESS_KEY_FILE)';
  }
}
