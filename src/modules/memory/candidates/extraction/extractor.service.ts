import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { readBuild } from '../../../../common/build-info.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { MaskedPlaces, maskMarks } from '../../../../common/screening/marks.js';
import { SecretScreen } from '../../../../common/screening/secret-screen.js';
import { blake3Digest } from '../../../../evidence/digest.js';
import type { Evidence, Extractor, Profile, ScreenedSpan } from '../candidates.types.js';
import { isReservedEntity } from '../../facts/facts.service.js';
import { ChatClient, ChatUnavailable } from './chat-client.js';
import { holdsMask, type Proposal, readSentence } from './extraction.rules.js';
import { ANSWER_SCHEMA, promptOf, readProposals, type ReadProposals } from './model-proposals.rules.js';
import { sentencesOf } from './sentences.rules.js';

/** Candidates of one extraction at most. */
const MAX_CANDIDATES = 1_000;
/** After so many sentences other requests get their turn. */
const A_TURN = 200;
/** A model is asked about texts up to this; longer ones are read by the patterns alone. */
const MAX_ASKED = 262_144;

/** What a text says, with its exact words and without its secrets. */
export interface Found {
  entity: string;
  key: string;
  value: string;
  confidence: number;
  evidence: Evidence;
  screened: ScreenedSpan[];
  holdsSecret: boolean;
  extractor: Extractor;
}

export interface Extracted {
  found: Found[];
  /** What a model proposed and the text does not say. */
  dropped: number;
  leftOut: number;
  /** Why the model had no part in it. */
  note: string | null;
}

/** A text without its secrets, and where they stood. */
export interface MaskedText {
  text: string;
  places: MaskedPlaces;
  screened: ScreenedSpan[];
}

/** Finds what a text says: by patterns, and by a model where there is one. It stores nothing. */
@Injectable()
export class ExtractorService {
  private readonly version = readBuild().version;

  constructor(
    private readonly screen: SecretScreen,
    private readonly chat: ChatClient,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async mask(text: string): Promise<MaskedText> {
    const marks = await this.screen.find(text);
    return { text: maskMarks(text, marks), places: new MaskedPlaces(marks), screened: marks.map(spanOf) };
  }

  async extract(masked: MaskedText, profile: Profile, sourceId: string): Promise<Extracted> {
    const [byPattern, byModel] = await Promise.all([readByPatterns(masked.text, profile), this.ask(masked, profile)]);
    const all = [...byPattern, ...byModel.proposals];
    const { length } = all;
    const found = all.slice(0, MAX_CANDIDATES).map((one) => this.standing(masked, one, { profile, sourceId }));
    const good = found.filter((one) => one !== undefined);
    const { dropped, note } = byModel;
    return { found: good, dropped: dropped + found.length - good.length, leftOut: length - found.length, note };
  }

  /** No failure of the model is one of the extraction: the patterns answer alone, and it is said why. */
  private async ask({ text }: MaskedText, profile: Profile): Promise<ReadProposals & { note: string | null }> {
    const none = { proposals: [], dropped: 0 };
    if (this.chat.model === undefined) return { ...none, note: null };
    if (text.length > MAX_ASKED) return { ...none, note: `patterns alone: the text is longer than ${MAX_ASKED}` };
    try {
      const read = readProposals(text, await this.chat.ask(promptOf(profile), text, ANSWER_SCHEMA));
      return read ? { ...read, note: null } : { ...none, note: 'patterns alone: the model answered in another form' };
    } catch (error) {
      if (!(error instanceof ChatUnavailable)) throw error;
      this.log.warn({ reason: error.message }, 'the model of SVCD_EXTRACT_URL had no part in an extraction');
      return { ...none, note: `patterns alone: the model ${error.message}` };
    }
  }

  /** With its exact quote. @returns undefined where the text does not say so */
  private standing(masked: MaskedText, proposal: Proposal, of: { profile: Profile; sourceId: string }) {
    const { entity, key, value, confidence, by, start, end } = proposal;
    const { masked: inMasked, original, marks } = masked.places.widen(start, end);
    const quote = masked.text.slice(...inMasked);
    if (isReservedEntity(entity)) return undefined;
    if (!quote.isWellFormed() || quote.includes('\0') || !value.isWellFormed()) return undefined;
    const evidence: Evidence = {
      ...{ source_kind: 'text', source_id: of.sourceId, start: original[0], end: original[1] },
      ...{ quote, quote_blake3: blake3Digest(quote) },
    };
    const holdsSecret = marks.length > 0 || holdsMask(entity, key);
    const found: Found = {
      entity,
      key,
      value,
      confidence,
      evidence,
      screened: marks.map(spanOf),
      holdsSecret,
      ...this.by(by, of),
    };
    return found;
  }

  private by(by: string, { profile }: { profile: Profile }): { extractor: Extractor } {
    const { version } = this;
    if (by !== 'model') return { extractor: { name: 'patterns', version, pattern: by } };
    const prompt_hash = blake3Digest(promptOf(profile));
    return { extractor: { name: 'model', version, model: this.chat.model!, prompt_hash } };
  }
}

async function readByPatterns(text: string, profile: Profile): Promise<Proposal[]> {
  const found: Proposal[] = [];
  let count = 0;
  for (const sentence of sentencesOf(text)) {
    const read = readSentence(sentence, profile);
    if (read) found.push(read);
    if (++count % A_TURN === 0) await nextTurn();
  }
  return found;
}

const spanOf = ({ name, start, end }: { name: string; start: number; end: number }): ScreenedSpan => ({
  kind: name.replace(/^secret:/, ''),
  start,
  end,
});
