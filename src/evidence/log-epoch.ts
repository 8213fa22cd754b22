import { type CborMap, CborError } from './cbor.js';
import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { draftReceipt, openReceipt, type ReceiptDraft, SERVER_TENANT, type SignedReceipt } from './receipt.js';
import type { KeyName } from './signer.js';

/** Of the receipts that begin an epoch of the log, within the tenant of the server. */
export const EPOCH_KIND = 'log.epoch';
export const EPOCH_STREAM = 'log';

/** What the receipt says that is leaf 0 of a log. docs/formats/transparency-log.md, "Epochs". */
export interface LogEpoch {
  /** Of the checkpoints of this epoch: `<name>/<epoch>`. */
  readonly origin: string;
  /** From 1. */
  readonly epoch: number;
  /** Of the epoch that was restored; null in the first. */
  readonly previousOrigin: string | null;
  /** The checkpoint (its text) of the database that was restored: its leaves follow leaf 0. Null in the first. */
  readonly restored: string | null;
  /** The newest checkpoint of that epoch that the operator knew; null when none was given. */
  readonly lastKnown: string | null;
}

/** The origin of the checkpoints of an epoch. @param epoch from 1 */
export const epochOrigin = (name: string, epoch: number): string => `${name}/${epoch}`;

/** Makes the receipt that begins an epoch. @param after the end of the server's stream of such receipts */
export function draftEpoch(
  { origin, epoch, previousOrigin, restored, lastKnown }: LogEpoch,
  after: Pick<SignedReceipt['payload'], 'seq' | 'prev'>,
  key: Pick<KeyName, 'kid'>,
): ReceiptDraft {
  const body: CborMap = {
    epoch,
    last_known_checkpoint: lastKnown,
    origin,
    previous_origin: previousOrigin,
    restored_checkpoint: restored,
  };
  return draftReceipt(
    {
      kind: EPOCH_KIND,
      tenant_id: SERVER_TENANT,
      stream: EPOCH_STREAM,
      ...after,
      occurred_at: new Date().toISOString(),
      actor: 'svc:log',
      auth_mode: 'system',
      subject: origin,
      body,
    },
    key,
  );
}

/** An epoch as its receipt says it, with the checkpoints that the receipt names. */
export interface OpenEpoch extends LogEpoch {
  readonly receipt: SignedReceipt & { readonly kid: string };
  readonly restoredHead: Checkpoint | null;
  readonly lastKnownHead: Checkpoint | null;
}

/** Reads such a receipt and checks all that needs no key. @throws Error saying what is wrong */
export function openEpoch(cose: Uint8Array): OpenEpoch {
  const receipt = openReceipt(cose);
  const { tenant_id: tenantId, kind, stream, subject, body } = receipt.payload;
  if (tenantId !== SERVER_TENANT || kind !== EPOCH_KIND || stream !== EPOCH_STREAM)
    throw new CborError('not a receipt of the server that begins a log');
  const { origin, epoch, previous_origin, restored_checkpoint, last_known_checkpoint, ...others } = body;
  expectOrigin(origin, subject);
  expectNumber(epoch, origin);
  const previousOrigin = textOrNull(previous_origin, 'previous_origin');
  const restored = textOrNull(restored_checkpoint, 'restored_checkpoint');
  const lastKnown = textOrNull(last_known_checkpoint, 'last_known_checkpoint');
  if (Object.keys(others).length > 0) throw new CborError('the body has unknown members');
  if ((restored === null) !== (previousOrigin === null) || (lastKnown !== null && restored === null))
    throw new CborError('an epoch names the origin before it and its checkpoints together, or none of them');
  const restoredHead = headOf(restored, previousOrigin);
  const lastKnownHead = headOf(lastKnown, previousOrigin);
  if (lastKnownHead && lastKnownHead.size < restoredHead!.size)
    throw new CborError('the last known checkpoint is older than the restored one');
  return { origin, epoch, previousOrigin, restored, lastKnown, receipt, restoredHead, lastKnownHead };
}

function expectOrigin(origin: unknown, subject: string): asserts origin is string {
  if (origin !== subject) throw new CborError('origin must be the subject');
}

function expectNumber(epoch: unknown, origin: string): asserts epoch is number {
  if (!Number.isSafeInteger(epoch) || (epoch as number) < 1 || !origin.endsWith(`/${epoch as number}`))
    throw new CborError('epoch must be the whole number with which the origin ends');
}

function textOrNull(value: CborMap[string] | undefined, name: string): string | null {
  if (value !== null && typeof value !== 'string') throw new CborError(`${name} must be text or null`);
  return value;
}

function headOf(text: string | null, origin: string | null): Checkpoint | null {
  if (text === null) return null;
  const checkpoint = parseCheckpoint(text);
  if (checkpoint.origin !== origin) throw new CborError('a checkpoint that the epoch names is of another origin');
  return checkpoint;
}
