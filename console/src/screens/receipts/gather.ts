import { answerOf } from '../../client/answer.ts';
import { bytesOfBase64 } from '../../verify/bytes.ts';
import { exportReceipt, listReceipts, listKeys, readReceipt, readSignature } from '../../generated/daemon/sdk.gen.ts';
import type { ExportBody } from '../../generated/daemon/types.gen.ts';
import { decodeCanonical } from '../../verify/cbor.ts';
import type { Jwk, PinnedKey } from '../../verify/keys.ts';
import { openReceipt, receiptIdOf, type OpenedReceipt } from '../../verify/receipt.ts';
import type { Evidence, Given } from '../../verify/verify.ts';

const NEWEST = 200;

/** What the neighbours of a receipt are, as far as they were found. */
export interface Gathered {
  evidence: Evidence;
  previousId?: string;
  nextId?: string;
  /** As it came, to be kept. */
  file?: ExportBody;
}

async function given<T>(asked: Promise<T>): Promise<Given<T>> {
  try {
    return { value: await asked };
  } catch (error) {
    return { missing: `the daemon does not show it: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const payloadOf = async (receiptId: string, tenant: string) =>
  bytesOfBase64(
    (await answerOf(readReceipt({ path: { receiptId }, query: { tenant_id: tenant } }))).payload_base64,
    'payload',
  );

/** Asks for all that a verification needs. @throws RequestFailure where the record itself is not shown */
export async function gather(receiptId: string, tenant: string, pinned: PinnedKey | undefined): Promise<Gathered> {
  const request = { path: { receiptId }, query: { tenant_id: tenant } };
  const payload = await payloadOf(receiptId, tenant);
  const [signature, file, keys] = await Promise.all([
    given(answerOf(readSignature(request)).then(({ payload_base64 }) => bytesOfBase64(payload_base64, 'payload'))),
    given(answerOf(exportReceipt(request))),
    given(answerOf(listKeys())),
  ]);
  const { previous, next, previousId, nextId } = await neighboursOf(payload, tenant);
  const { proof, exported, statements } = partsOf(file, receiptId);
  const served = 'value' in keys ? (keys.value.keys as Jwk[]) : [];
  return {
    evidence: {
      ...{ receiptId, tenant, payload, signature, previous, next, proof, exported, statements, served },
      ...(pinned && { pinned }),
    },
    ...(previousId && { previousId }),
    ...(nextId && { nextId }),
    ...('value' in file && { file: file.value }),
  };
}

interface Neighbours {
  previous: Given<Uint8Array>;
  next: Given<Uint8Array>;
  previousId?: string;
  nextId?: string;
}

async function neighboursOf(payload: Uint8Array, tenant: string): Promise<Neighbours> {
  let receipt: OpenedReceipt;
  try {
    receipt = openReceipt(payload);
  } catch {
    const nothing = { missing: 'the record could not be read' };
    return { previous: nothing, next: nothing };
  }
  const previousId = receipt.prev ? receiptIdOf(receipt.prev) : undefined;
  const nextId = receipt.stream ? await nextIdOf(receipt, tenant) : undefined;
  const missing = { missing: `none of the newest ${NEWEST} receipts follows it in its stream` };
  return {
    previous: previousId ? await given(payloadOf(previousId, tenant)) : { missing: 'there is none' },
    next: nextId ? await given(payloadOf(nextId, tenant)) : missing,
    ...(previousId && { previousId }),
    ...(nextId && { nextId }),
  };
}

/** No route asks for what follows: it is looked for among the newest. */
async function nextIdOf({ stream, seq }: OpenedReceipt, tenant: string): Promise<string | undefined> {
  const page = await given(answerOf(listReceipts({ query: { tenant_id: tenant, limit: NEWEST } })));
  if (!('value' in page)) return undefined;
  return page.value.rows.find((row) => row.stream === stream && row.seq === seq! + 1)?.receipt_id;
}

interface FileLog {
  checkpoint: string;
  proofs: { leaf_index: number; path: string[] }[];
}

/** Disclosed bytes come as the base64 of their CBOR, all else as JSON. */
type Disclosure = { path: (string | number)[]; value?: unknown; cbor?: string };

function partsOf(file: Given<ExportBody>, receiptId: string): Pick<Evidence, 'proof' | 'exported' | 'statements'> {
  if ('missing' in file) {
    const missing = { missing: `no export: ${file.missing}` };
    return { proof: missing, exported: missing, statements: [] };
  }
  const { manifest, log, disclosures } = file.value as unknown as {
    manifest: { statements?: string[]; items: { record: string | null }[] };
    log: FileLog | null;
    disclosures: Disclosure[];
  };
  const at = (name: string, index: number | undefined) =>
    disclosures.find(({ path }) => path.length === 3 && path[1] === index && path[2] === name);
  const index = disclosures.find(({ path, value }) => path[2] === 'receipt_id' && value === receiptId)?.path[1];
  const item = typeof index === 'number' ? index : undefined;
  const place = manifest.items.slice(0, item ?? 0).filter(({ record }) => record !== null).length;
  const proof = item === undefined ? undefined : log?.proofs[place];
  const bytes = at('cose', item) ?? at('cbor', item);
  return {
    proof:
      proof && log
        ? { value: { leafIndex: proof.leaf_index, path: proof.path, checkpoint: log.checkpoint } }
        : { missing: 'the export has no proof of it: it may not be in the log yet' },
    exported: bytes?.cbor
      ? { value: decodeCanonical(bytesOfBase64(bytes.cbor, 'cbor'), 'the record of the export') as Uint8Array }
      : { missing: 'the export withholds the record' },
    statements: (manifest.statements ?? []).map((text) => bytesOfBase64(text, 'statement')),
  };
}
