import { Injectable, type OnModuleInit } from '@nestjs/common';
import { blake3 } from '../../../evidence/digest.js';
import type { StoredRecord } from '../../../common/evidence-log/evidence-records.js';
import { ReceiptNotLogged } from '../../../common/evidence-log/evidence-log.problems.js';
import { signTimestamps } from '../../../evidence/file-timestamps.js';
import type { ExportFile, ExportLog } from '../../../evidence/export/export-format.js';
import { type DraftItem, type ExportDraft, SignedExport, TooManyFields } from '../../../evidence/export/sign-export.js';
import { writeExportCbor, writeExportJson, writeExportZip } from '../../../evidence/export/write-export.js';
import { EarlierCheckpoints } from '../../../common/evidence-log/earlier-checkpoints.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { carriersOf } from '../../../common/evidence-log/known-keys.js';
import { LogProofs } from '../../../common/evidence-log/log-proofs.js';
import { LogSequencer } from '../../../common/evidence-log/log-sequencer.js';
import { preferredType } from '../../../common/http/accept.js';
import { ServerSecret } from '../../../common/sessions/server-secret.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { recordItem } from './export-items.rules.js';
import { EvidenceDamaged, ExportTooLarge } from './exports.problems.js';
import {
  type Evidence,
  EXPORT_FORMATS,
  EXPORT_TYPES,
  type ExportFormat,
  type ExportMode,
  type Presentation,
  type SentExport,
} from './exports.types.js';
import { partsOf, redactionOf, withheldFields } from './redaction.rules.js';

/** What an export is to be of. */
export interface ExportRequest {
  tenantId: string;
  subject: ExportDraft['subject'];
  mode: ExportMode;
  gather: () => Promise<Evidence>;
}

/** Makes exports: gathers the evidence, signs all of it, and shows what was asked for. */
@Injectable()
export class ExportsService implements OnModuleInit {
  private saltKey: Uint8Array | undefined;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly keys: KeyRing,
    private readonly proofs: LogProofs,
    private readonly earlier: EarlierCheckpoints,
    private readonly sequencer: LogSequencer,
    private readonly secret: ServerSecret,
  ) {}

  async onModuleInit(): Promise<void> {
    this.saltKey = await this.secret.sharedKeyFor('export-salts');
  }

  /**
   * @throws ValidationFailed for what is asked of the presentation; ExportTooLarge, EvidenceDamaged, ReceiptNotLogged,
   * and what `gather` throws
   */
  async make(caller: DaemonCaller, request: ExportRequest, presentation: Presentation): Promise<SentExport> {
    const parts = partsOf(presentation.include);
    const redaction = redactionOf(presentation.redaction);
    const earlier = await this.earlier.read(presentation.earlier_checkpoint);
    const evidence = await this.tenants.runOnSnapshot(caller, request.tenantId, request.gather);
    const { draft, types } = draftOf(request, evidence);
    const signed = await this.sign(draft);
    const withheld = withheldFields(signed.fields, types, redaction);
    const isShown = ({ path }: { path: readonly (string | number)[] }) =>
      path[0] !== 'items' || parts.types.has(types[Number(path[1])]!);
    const log = parts.proofs ? await this.prove(evidence.records, earlier) : null;
    const file = signed.show((field) => isShown(field) && !withheld.has(field), log);
    return send(file, formatOf(presentation), `${request.subject}-export`);
  }

  private async sign(draft: ExportDraft): Promise<SignedExport> {
    const carriers = carriersOf(await this.keys.list(), () => true);
    try {
      return await SignedExport.sign(draft, this.saltKey!, { active: this.keys.forExports, ...carriers });
    } catch (error) {
      if (!(error instanceof TooManyFields)) throw error;
      throw new ExportTooLarge({}, `${error.message}. Ask for less: a smaller range, or the mode latest.`);
    }
  }

  /** Where the records stand in the log; what was just committed is brought into it first. */
  private async prove(records: readonly StoredRecord[], earlier: readonly string[]): Promise<Required<ExportLog>> {
    const wanted = records.map(({ receiptId, record }) => ({ receiptId, digest: blake3(record) }));
    const look = () => this.proofs.prove(wanted, earlier, { isStamped: true });
    const proof = await look().catch(async (error: unknown) => {
      if (!(error instanceof ReceiptNotLogged)) throw error;
      await this.sequencer.integrate();
      return look();
    });
    const { head, consistency, epoch, positions } = proof;
    const timestamps = await signTimestamps(this.keys.forExports, proof.timestamps);
    return { checkpoint: head.checkpoint, consistency, epoch, proofs: positions, timestamps };
  }
}

/** The records first, then what else is known of the subject. */
function draftOf(request: ExportRequest, evidence: Evidence): { draft: ExportDraft; types: string[] } {
  const { tenantId, subject, mode } = request;
  const records = evidence.records.map((stored) => readable(stored, () => recordItem(stored)));
  const items: DraftItem[] = [...records.map(({ item }) => item), ...evidence.items];
  const { subjectId, complete, about } = evidence;
  const authModes = [...new Set(records.map(({ authMode }) => authMode))];
  return {
    draft: { tenantId, subject, subjectId, mode, complete, about, authModes, items },
    types: items.map(({ type }) => type),
  };
}

function readable<T>({ receiptId }: StoredRecord, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const detail = `Receipt ${receiptId} was changed in the database: ${(error as Error).message}. Its verification says more.`;
    throw new EvidenceDamaged({ receipt_id: receiptId }, detail);
  }
}

const TYPES = EXPORT_FORMATS.map((format) => EXPORT_TYPES[format]);

/** The format that is named, else the one that Accept prefers, else JSON. */
function formatOf({ format, accept }: Presentation): ExportFormat {
  if (format !== undefined) return format;
  const type = preferredType(accept, TYPES);
  return EXPORT_FORMATS.find((name) => EXPORT_TYPES[name] === type) ?? 'json';
}

async function send(file: ExportFile, format: ExportFormat, name: string): Promise<SentExport> {
  const contentType = format === 'json' ? `${EXPORT_TYPES.json}; charset=utf-8` : EXPORT_TYPES[format];
  const encode = { json: writeExportJson, cbor: writeExportCbor, zip: writeExportZip }[format];
  return { contentType, fileName: `${name}.${format}`, bytes: await encode(file) };
}
