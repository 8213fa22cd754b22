import { Injectable } from '@nestjs/common';
import { openFileCheckpoint } from '../../evidence/file-checkpoint.js';
import { invalid } from '../problem/common-problems.js';
import { ReceiptNotLogged } from './evidence-log.problems.js';
import { KeyRing } from './key-ring.js';
import { LogProofs } from './log-proofs.js';

/** Checkpoints that callers have kept, which those of their files are to be shown to extend. */
@Injectable()
export class EarlierCheckpoints {
  constructor(
    private readonly keys: KeyRing,
    private readonly proofs: LogProofs,
  ) {}

  /**
   * @param encoded the query parameter `earlier_checkpoint`: base64url of the text of a checkpoint
   * @returns the text, or nothing where none is given
   * @throws ValidationFailed, ReceiptNotLogged while the log has no head
   */
  async read(encoded: string | undefined): Promise<string[]> {
    if (encoded === undefined) return [];
    const text = Buffer.from(encoded, 'base64url').toString('utf8');
    try {
      await this.expectOurs(text);
    } catch (error) {
      if (error instanceof ReceiptNotLogged) throw error;
      const reason = `must be a checkpoint of this log, base64url of its text: ${(error as Error).message}`;
      throw invalid('query.earlier_checkpoint', reason);
    }
    return [text];
  }

  /** Of this log or of an earlier epoch, which only the record of the epoch can lead to. */
  private async expectOurs(text: string): Promise<void> {
    const keys = (await this.keys.list()).map(({ key }) => key);
    openFileCheckpoint(text, keys);
    await this.proofs.prove([], [text]);
  }
}
