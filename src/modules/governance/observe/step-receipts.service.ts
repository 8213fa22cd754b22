import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EvidenceRecords, type StoredRecord } from '../../../common/evidence-log/evidence-records.js';
import { RecordChecks } from '../../../common/evidence-log/record-checks.js';
import { namedDigest } from '../../../evidence/digest.js';
import { openReceipt } from '../../../evidence/receipt.js';
import type { RuleFinding } from './conformance.rules.js';
import type { ObserveStepRow } from './observe-step.entity.js';
import { closeDigest, openDigest } from './steps.rules.js';

/** Signatures between which others get a turn. */
const TURN = 50;

/** A record that steps name. */
export interface CheckedRecord {
  readonly stored: StoredRecord;
  /** What is wrong with it; undefined where nothing is. */
  readonly fault: string | undefined;
}

/** Verifies the receipts that steps name, and that a step is what its own receipts bind. */
@Injectable()
export class StepReceipts {
  constructor(
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
  ) {}

  /** The records of these steps by their ids, in the open unit of work. */
  async check(steps: readonly ObserveStepRow[]): Promise<Map<string, CheckedRecord>> {
    const stored = await this.records.findMany([...new Set(steps.flatMap(receiptIdsOf))]);
    const checked = new Map<string, CheckedRecord>();
    for (let from = 0; from < stored.length; from += TURN) {
      const part = stored.slice(from, from + TURN);
      const reports = await this.checks.checkForms(part);
      for (const [place, { record, signature }] of reports.entries()) {
        const fault = [record, signature].find(({ ok }) => ok === false)?.detail;
        checked.set(part[place]!.receiptId, { stored: part[place]!, fault });
      }
      await nextTurn();
    }
    return checked;
  }
}

const receiptIdsOf = ({ openReceipt: opened, closeReceipt, receiptId, mutationReceiptId }: ObserveStepRow): string[] =>
  [opened, closeReceipt, receiptId, mutationReceiptId].filter((id) => id !== null);

/** @param isArchived then what was in it is gone, and its digest alone is held against the receipt */
export function receiptFindings(
  step: ObserveStepRow,
  records: ReadonlyMap<string, CheckedRecord>,
  isArchived: boolean,
): RuleFinding[] {
  const faults = [
    ...receiptIdsOf(step).map((id) => faultOf(id, records)),
    ...(step.auto ? [] : [unbound(step, records, isArchived)]),
  ];
  return faults
    .filter((detail) => detail !== undefined)
    .map((detail) => ({ rule: 'receipts_verify', nodeId: step.nodeId, detail }));
}

function faultOf(id: string, records: ReadonlyMap<string, CheckedRecord>): string | undefined {
  const found = records.get(id);
  if (!found) return `The receipt ${id} is not there.`;
  return found.fault === undefined ? undefined : `The receipt ${id}: ${found.fault}.`;
}

/** Each step must be what the receipts of its opening and its close say, by their digests. */
function unbound(
  step: ObserveStepRow,
  records: ReadonlyMap<string, CheckedRecord>,
  isArchived: boolean,
): string | undefined {
  if (step.openReceipt === null) return 'It has no receipt of its opening.';
  const opened = isArchived ? step.openDigest : openDigest(step);
  if (digestIn(records.get(step.openReceipt)) !== nameOf(opened))
    return 'It is not what the receipt of its opening says.';
  if (step.status === 'open') return undefined;
  if (step.closeReceipt === null) return 'It has no receipt of its close.';
  const closed = isArchived ? step.closeDigest : closeDigest(step);
  return digestIn(records.get(step.closeReceipt)) === nameOf(closed)
    ? undefined
    : 'It is not what the receipt of its close says.';
}

const nameOf = (digest: Buffer | null): string | undefined => (digest ? namedDigest('sha256', digest) : undefined);

/** One that is not there, or cannot be read, is found by itself. */
function digestIn(found: CheckedRecord | undefined): unknown {
  if (found?.stored.family !== 'execution') return null;
  try {
    return openReceipt(found.stored.record).payload.body['digest'];
  } catch {
    return null;
  }
}
