import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import type { TraceInput } from './observe-steps.dto.js';
import type { TraceItem, TraceKind } from './observe.types.js';
import { maskMarks } from '../../../common/screening/marks.js';
import { findPersonalData } from './personal-data.rules.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';

/** Of more, digest and size alone are kept; in bytes of UTF-8. */
const MAX_KEPT = 4096;
/** What these refer to is an id of the tenant's own. */
const IDS: ReadonlySet<TraceKind> = new Set(['fact', 'chunk', 'receipt']);

/** Takes what is sent of a step and gives what is kept of it, as SVCD_OBSERVE_REDACT says. */
@Injectable()
export class StepCapture {
  private readonly mode;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    private readonly secrets: SecretScreen,
  ) {
    this.mode = daemon.observeRedact;
  }

  /** @throws ValidationFailed naming the item, as `body.inputs[3]` */
  async items(sent: readonly TraceInput[] = [], member: string): Promise<TraceItem[]> {
    const kept: TraceItem[] = [];
    for (const [place, item] of sent.entries()) kept.push(await this.item(item, `${member}[${place}]`));
    return kept;
  }

  /** A label or a reference. */
  async words(sent: string): Promise<string> {
    return this.mode === 'off' ? sent : this.mask(sent);
  }

  async ref(sent: string | undefined): Promise<string | null> {
    if (sent === undefined) return null;
    return this.mode === 'strict' ? sha256Digest(sent) : this.words(sent);
  }

  private async item(input: TraceInput, at: string): Promise<TraceItem> {
    const { kind } = input;
    const [ref, digest, text, bytes] = [
      input.ref ?? null,
      input.digest ?? null,
      input.text ?? null,
      input.bytes ?? null,
    ];
    if (ref === null && digest === null && text === null)
      throw invalid(at, 'needs one of ref, digest and text; leave the item out where there is none');
    const kept = { kind, ref: IDS.has(kind) ? ref : await this.ref(ref ?? undefined) };
    if (text === null) return { ...kept, digest, text: null, bytes };
    const size = Buffer.byteLength(text);
    checkSaid({ digest, bytes }, text, size, at);
    const isKept = this.mode !== 'strict' && size <= MAX_KEPT;
    return { ...kept, digest: digest ?? sha256Digest(text), text: isKept ? await this.words(text) : null, bytes: size };
  }

  private async mask(text: string): Promise<string> {
    return maskMarks(text, [...(await this.secrets.find(text)), ...findPersonalData(text)]);
  }
}

/** @throws ValidationFailed where it is of another text */
function checkSaid({ digest, bytes }: Pick<TraceItem, 'digest' | 'bytes'>, text: string, size: number, at: string) {
  const own = digest?.startsWith('blake3:') ? blake3Digest(text) : sha256Digest(text);
  if (digest !== null && digest !== own) throw invalid(`${at}.digest`, `is not that of the text, ${own}; leave it out`);
  if (bytes !== null && bytes !== size) throw invalid(`${at}.bytes`, `is not that of the text, ${size}; leave it out`);
}
