import { Injectable } from '@nestjs/common';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { parseCose } from '../../evidence/cose.js';
import { blake3, namedDigest } from '../../evidence/digest.js';
import {
  EvidenceRecords,
  type Neighbours,
  type StoredExecution,
  type StoredRecord,
  type StoredRetrieval,
} from './evidence-records.js';
import { KeyRing } from './key-ring.js';
import type { KnownKey } from './known-keys.js';
import { logLeafHash, type RecordType } from '../../evidence/log-entry.js';
import { LogReader } from './log-reader.js';
import { LogSequencer } from './log-sequencer.js';
import { verifyInclusion } from '../../evidence/merkle.js';
import { openReceipt, openRetrieval, type OpenReceipt, type ReceiptPayload } from '../../evidence/receipt.js';
import type { RecordError } from './record-errors.types.js';
import { signatureFaultOf, unlikeReceipt, unlikeRetrieval } from './record-faults.js';

/** One finding. `ok` null: the question does not arise, and `detail` says why. */
export interface RecordFinding {
  readonly ok: boolean | null;
  readonly code: RecordError;
  readonly detail: string;
}

/** What was found of one stored record, each part by itself. */
export interface RecordReport {
  /** The form, the identity, and the columns of the row held against it. */
  readonly record: RecordFinding;
  readonly signature: RecordFinding & { readonly kid: string | null };
  readonly chain: RecordFinding;
  readonly log: RecordFinding & { readonly leafIndex: number | null; readonly treeSize: number | null };
  /** As the record says; null when it cannot be read. */
  readonly authMode: string | null;
}

/** What a record shows by itself. */
export type RecordForm = Pick<RecordReport, 'record' | 'signature' | 'authMode'>;

/** The first thing that is wrong, in the order in which one rests on the other. */
export const firstError = (report: RecordReport): RecordError =>
  [report.record, report.signature, report.chain, report.log].find(({ ok }) => ok === false)?.code ?? 'OK';

const good = (detail: string): RecordFinding => ({ ok: true, code: 'OK', detail });
const bad = (code: RecordError, detail: string): RecordFinding => ({ ok: false, code, detail });
const moot = (detail: string): RecordFinding => ({ ok: null, code: 'OK', detail });

/** Checks stored records again from their bytes: signature, chain and log. No earlier result is trusted. */
@Injectable()
export class RecordChecks {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly records: EvidenceRecords,
    private readonly keys: KeyRing,
    private readonly sequencer: LogSequencer,
  ) {}

  /** In the open unit of work of the record's tenant. Waits for a record that was just committed to get its leaf. */
  async check(stored: StoredRecord): Promise<RecordReport> {
    const [report] = await this.checkAll([stored]);
    return report!;
  }

  /** As {@link check}, of each. */
  async checkAll(records: readonly StoredRecord[]): Promise<RecordReport[]> {
    const keys = await this.keys.list();
    const reports: RecordReport[] = [];
    for (const stored of records)
      reports.push(
        stored.family === 'execution'
          ? await this.checkExecution(stored, keys)
          : await this.checkRetrieval(stored, keys),
      );
    return reports;
  }

  /** Form, row and signature alone, of many records in one go: nothing of chain and log. */
  async checkForms(records: readonly StoredRecord[]): Promise<RecordForm[]> {
    const keys = await this.keys.list();
    return records.map((stored) =>
      stored.family === 'execution' ? this.executionForm(stored, keys) : this.retrievalForm(stored),
    );
  }

  private async checkExecution(stored: StoredExecution, keys: readonly KnownKey[]): Promise<RecordReport> {
    const log = await this.checkLog('execution', stored.record, keys);
    const { opened, ...form } = this.executionForm(stored, keys);
    const chain = opened ? await this.checkChain(opened) : bad('CHAIN_BROKEN', 'not readable');
    return { ...form, chain, log };
  }

  private async checkRetrieval(stored: StoredRetrieval, keys: readonly KnownKey[]): Promise<RecordReport> {
    const chain = moot('retrieval receipts stand outside the chain');
    return { ...this.retrievalForm(stored), chain, log: await this.checkLog('retrieval', stored.record, keys) };
  }

  private executionForm(stored: StoredExecution, keys: readonly KnownKey[]): RecordForm & { opened?: OpenReceipt } {
    let opened: OpenReceipt;
    try {
      opened = openReceipt(stored.record);
    } catch (error) {
      const unread = bad('RECORD_MALFORMED', `the receipt cannot be read: ${reason(error)}`);
      const signature = { ...bad('SIGNATURE_INVALID', 'there is no receipt to hold it against'), kid: null };
      return { record: unread, signature, authMode: null };
    }
    return {
      record: judge(unlikeReceipt(stored, this.tenancy.tenant, opened), 'what was signed'),
      signature: { ...checkSignature(opened, keys), kid: opened.kid },
      authMode: opened.payload.auth_mode,
      opened,
    };
  }

  private retrievalForm(stored: StoredRetrieval): RecordForm {
    const signature = { ...moot('retrieval receipts are unsigned: their digest and the log hold them'), kid: null };
    try {
      const opened = openRetrieval(stored.record);
      const { receiptId, payload } = opened;
      const unlike = unlikeRetrieval(stored, this.tenancy.tenant, opened);
      const record =
        unlike.includes('receipt_id') || unlike.includes('tenant_id')
          ? bad('RECORD_MISMATCH', `its bytes make the id ${receiptId} of tenant ${payload.tenant_id}`)
          : judge(unlike, 'the record');
      return { record, signature, authMode: payload.auth_mode };
    } catch (error) {
      return { record: bad('RECORD_MALFORMED', reason(error)), signature, authMode: null };
    }
  }

  /** The receipt before must be what `prev` names, and the one after, or the end of the stream, must name this one. */
  private async checkChain({ payload, payloadHash }: OpenReceipt): Promise<RecordFinding> {
    const { stream, seq, prev } = payload;
    const around = await this.records.findNeighbours(stream, seq);
    const fault = faultBefore(payload, around) ?? faultAfter(payload, payloadHash, around);
    if (fault !== undefined) return bad('CHAIN_BROKEN', fault);
    const link = prev === null ? 'first of' : `follows seq ${seq - 1} of`;
    return good(`${link} stream ${stream}, ${around.next ? `named by seq ${seq + 1}` : 'which ends with it'}`);
  }

  private async checkLog(
    type: RecordType,
    record: Uint8Array,
    keys: readonly KnownKey[],
  ): Promise<RecordFinding & { leafIndex: number | null; treeSize: number | null }> {
    const look = () => this.crossTenant.run('read log', (query) => inclusionOf(query, type, record, keys));
    try {
      const found = await look();
      if (found) return found;
      await this.sequencer.integrate();
      const missing = bad('NOT_LOGGED', 'the log has no leaf of these bytes');
      return (await look()) ?? { ...missing, leafIndex: null, treeSize: null };
    } catch (error) {
      if (!(error instanceof BadLog)) throw error;
      return { ...bad('LOG_INVALID', error.message), leafIndex: null, treeSize: null };
    }
  }
}

/** The log's rows contradict each other. */
class BadLog extends Error {}

/** @returns undefined when the log has no such leaf. @throws BadLog */
async function inclusionOf(query: Query, type: RecordType, record: Uint8Array, keys: readonly KnownKey[]) {
  const digest = blake3(record);
  const log = new LogReader(query);
  const [leafIndex] = (await log.findLeaves([digest])).values();
  const head = await log.findHead();
  if (leafIndex === undefined || head === undefined) return undefined;
  const checkpoint = reading(() => parseCheckpoint(head.checkpoint));
  if (!keys.some(({ key, terms }) => terms.has('log') && verifyCheckpoint(checkpoint, key)))
    throw new BadLog('no known key signed the checkpoint');
  if (leafIndex >= checkpoint.size) throw new BadLog(`leaf ${leafIndex} lies beyond the signed size`);
  let path: Uint8Array[];
  try {
    [path = []] = await log.proveInclusion([leafIndex], checkpoint.size);
  } catch (error) {
    throw new BadLog(`no inclusion proof can be made: ${reason(error)}`, { cause: error });
  }
  if (!verifyInclusion(logLeafHash(type, digest), leafIndex, checkpoint.size, path, checkpoint.root))
    throw new BadLog(`the inclusion proof of leaf ${leafIndex} does not lead to the signed root`);
  const detail = `leaf ${leafIndex} of ${checkpoint.size}, under the signed checkpoint of ${checkpoint.origin}`;
  return { ...good(detail), leafIndex, treeSize: checkpoint.size };
}

function faultBefore({ stream, seq, prev }: ReceiptPayload, { previous }: Neighbours): string | undefined {
  if (prev === null) return undefined;
  if (previous === undefined) return `the receipt before it, seq ${seq - 1} of stream ${stream}, is gone`;
  return prev === hashOf(previous)
    ? undefined
    : `prev is not the receipt before it, seq ${seq - 1} of stream ${stream}`;
}

function faultAfter(
  { stream, seq }: ReceiptPayload,
  payloadHash: string,
  { next, head }: Neighbours,
): string | undefined {
  if (next !== undefined)
    return prevOf(next) === payloadHash
      ? undefined
      : `the receipt after it, seq ${seq + 1} of stream ${stream}, names another before it`;
  if (head?.seq === seq && head.payloadHash === payloadHash) return undefined;
  return `stream ${stream} is said to end at seq ${head?.seq ?? 0}, and nothing follows this one`;
}

function checkSignature(opened: OpenReceipt, keys: readonly KnownKey[]): RecordFinding {
  const { kid, payload } = opened;
  const known = keys.find(({ key }) => key.kid === kid);
  const fault = signatureFaultOf(parseCose(opened.cose), opened, known);
  if (fault === undefined) return good(`Ed25519, key ${kid}`);
  return bad(
    fault,
    {
      KEY_UNKNOWN: `this database knows no key ${kid}`,
      SIGNATURE_INVALID: `the signature does not hold under key ${kid}`,
      KEY_NOT_VALID_THEN: `key ${kid} did not sign at ${payload.occurred_at}`,
    }[fault],
  );
}

/** What lists and searches go by must be what the record says. */
const judge = (unlike: readonly string[], what: string): RecordFinding =>
  unlike.length === 0
    ? good('its bytes make its id, and its row says what they say')
    : bad('RECORD_MISMATCH', `the row differs from ${what}: ${unlike.join(', ')}`);

function hashOf(neighbour: NonNullable<Neighbours['previous']>): string | undefined {
  if (!('cose' in neighbour)) return neighbour.payloadHash;
  const { cose } = neighbour;
  return quietly(() => namedDigest('blake3', blake3(parseCose(cose).payload ?? new Uint8Array(0))));
}

const prevOf = (neighbour: NonNullable<Neighbours['next']>): string | null | undefined =>
  'cose' in neighbour ? quietly(() => openReceipt(neighbour.cose).payload.prev) : neighbour.prevHash;

/** A neighbour that cannot be read is none. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new BadLog(`the checkpoint cannot be read: ${reason(error)}`, { cause: error });
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
