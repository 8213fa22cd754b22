import { type CoseSign1, parseCose } from '../../evidence/cose.js';
import { openMessage, type OpenReceipt } from '../../evidence/receipt.js';

interface Stored {
  readonly message: CoseSign1;
  readonly receipt: OpenReceipt;
}

/** As long as somebody holds the bytes: a look asks for its signature, then for what it says of the rows. */
const opened = new WeakMap<Uint8Array, Stored>();

/**
 * A receipt as a query gave it, read once however often it is asked for. Nobody may write to the bytes.
 * @throws CborError
 */
export function openStored(cose: Uint8Array): Stored {
  const known = opened.get(cose);
  if (known) return known;
  const message = parseCose(cose);
  const stored = { message, receipt: openMessage(message, cose) };
  opened.set(cose, stored);
  return stored;
}
