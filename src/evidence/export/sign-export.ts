import type { CborMap } from '../cbor.js';
import { draftCose } from '../cose.js';
import type { Digest } from '../digest.js';
import { signDraft, type Signer } from '../signer.js';
import type { PublicJwk } from '../signing-key.js';
import { type Field, fieldDigest, fieldsOf, Salts } from './export-fields.js';
import { Turns } from './yield.js';
import {
  type Disclosure,
  EXPORT_FORMAT,
  type ExportFile,
  type ExportLog,
  type ExportManifest,
  MANIFEST_CONTENT_TYPE,
  manifestBytes,
} from './export-format.js';

/** One thing that an export is about, before its fields are salted. */
export interface DraftItem {
  readonly type: string;
  /** Of a receipt or a retrieval: the digest the log has of it. */
  readonly record: Digest | null;
  readonly value: CborMap;
}
/** What an export says, before its fields are salted and its manifest is signed. */
export interface ExportDraft {
  readonly tenantId: string;
  readonly subject: 'receipt' | 'answer' | 'action' | 'stream' | 'entity';
  readonly subjectId: string;
  readonly mode: 'latest' | 'verified' | 'audit';
  readonly complete: boolean;
  readonly authModes: readonly string[];
  /** Further fields of the export itself. */
  readonly about?: CborMap;
  readonly items: readonly DraftItem[];
}

/** More fields than one export has. */
export class TooManyFields extends Error {}
const MAX_FIELDS = 50_000;

/** An export with all its fields: what is shown of them is chosen afterwards, and changes nothing that is signed. */
export class SignedExport {
  private constructor(
    private readonly manifest: ExportManifest,
    private readonly signature: Uint8Array,
    readonly fields: readonly Disclosure[],
  ) {}

  /** @throws TooManyFields */
  static async sign(contents: ExportDraft, serverKey: Uint8Array, signer: ExportSigner): Promise<SignedExport> {
    const { tenantId, subject, subjectId, mode, items } = contents;
    const records = items.flatMap(({ record }) => record ?? []);
    const salts = await Salts.of(serverKey, { tenantId, subject, subjectId, mode, records });
    const turns = new Turns();
    const own = await salted(fieldsOf({ subject_id: subjectId, ...contents.about }), salts, turns);
    const perItem: Salted[][] = [];
    let count = own.length;
    for (const [index, { value }] of items.entries()) {
      const fields = fieldsOf(salts.withReference(value), ['items', index]);
      count += fields.length;
      if (count > MAX_FIELDS) throw new TooManyFields(`it would have more than ${MAX_FIELDS} fields`);
      perItem.push(await salted(fields, salts, turns));
    }
    const manifest: ExportManifest = {
      v: 2,
      tenant_id: tenantId,
      subject,
      mode,
      complete: contents.complete,
      auth_modes: [...contents.authModes].sort(),
      fields: own.map(({ digest }) => digest),
      items: items.map(({ type, record }, n) => ({ type, record, fields: perItem[n]!.map(({ digest }) => digest) })),
      keys: signer.keys,
      statements: signer.statements,
    };
    const draft = draftCose(signer.active, MANIFEST_CONTENT_TYPE, manifestBytes(manifest), true);
    const signature = await signDraft(draft, signer.active, 'exports');
    return new SignedExport(
      manifest,
      signature,
      [...own, ...perItem.flat()].map(({ disclosure }) => disclosure),
    );
  }

  /** The export that shows these fields and no others. */
  show(isShown: (field: Disclosure) => boolean, log: Required<ExportLog> | null): ExportFile {
    const { manifest, signature, fields } = this;
    return { format: EXPORT_FORMAT, manifest, signature, disclosures: fields.filter(isShown), log };
  }
}

/** By whom exports are signed, and what a reader needs to hold that against a key that it has pinned. */
export interface ExportSigner {
  readonly active: Signer;
  /** All public keys, the active one among them. */
  readonly keys: readonly PublicJwk[];
  /** By which the first of them names the others: COSE_Sign1, base64. */
  readonly statements: readonly string[];
}

interface Salted {
  disclosure: Disclosure;
  digest: Digest;
}

async function salted(fields: readonly Field[], salts: Salts, turns: Turns): Promise<Salted[]> {
  const done: Salted[] = [];
  for (const field of fields) {
    await turns.count();
    const disclosure = { path: field.path, salt: salts.of(field), value: field.value };
    done.push({ disclosure, digest: fieldDigest(disclosure) });
  }
  return done;
}
