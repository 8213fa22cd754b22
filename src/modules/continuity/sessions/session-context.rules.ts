import { documentIdOf } from '../../../common/contract/document-ids.js';
import type { OpenWatch, Primitive, StalePin } from './continuity.types.js';
import type { JournalEntry } from './journal/journal.types.js';

/** A part of the digest: what it could show, best first. */
export interface Section {
  heading: string;
  /**
   * Each begins with "- " and ends with a line break: so no token reaches across two of them, and their counts add up
   * to the whole.
   */
  units: string[];
  /** Percent of the budget that is its own; what it leaves goes to the others. */
  share: number;
}

export interface Filled {
  /** Which units of each section are in, in their order. */
  taken: number[][];
  text: string;
  tokens: number;
}

export type Count = (text: string, limit: number) => Promise<number | false>;

const TITLE = '# Session context\n';

/**
 * Fills a budget of tokens: first each section up to its share, in order, then what is left, in the same order. A unit
 * is whole or left out: half a constraint would say something else. A unit that does not fit does not keep a smaller
 * one after it out.
 */
export async function fill(sections: readonly Section[], budget: number, count: Count): Promise<Filled> {
  const taken = sections.map(() => new Set<number>());
  const title = await count(TITLE, budget);
  if (title === false) return { taken: sections.map(() => []), text: '', tokens: 0 };
  let left = budget - title;
  const takeUpTo = async (allowance: number, section: Section, chosen: Set<number>): Promise<void> => {
    let available = Math.min(allowance, left);
    for (const [index, unit] of section.units.entries()) {
      if (chosen.has(index)) continue;
      const tokens = await count(chosen.size === 0 ? section.heading + unit : unit, available);
      if (tokens === false) continue;
      chosen.add(index);
      available -= tokens;
      left -= tokens;
    }
  };
  for (const [i, section] of sections.entries())
    await takeUpTo(Math.floor((budget * section.share) / 100), section, taken[i]!);
  for (const [i, section] of sections.entries()) await takeUpTo(left, section, taken[i]!);
  const chosen = taken.map((indexes) => [...indexes].sort((a, b) => a - b));
  const parts = sections.map(({ heading, units }, i) =>
    chosen[i]!.length === 0 ? '' : heading + chosen[i]!.map((index) => units[index]).join(''),
  );
  return { taken: chosen, text: TITLE + parts.join(''), tokens: budget - left };
}

/** Lines after the first are indented, so that nothing within a unit looks like the next one. */
const unit = (text: string): string => `- ${text.trimEnd().replace(/\r\n|\r|\n/g, '\n  ')}\n`;
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');

export function lineOfPrimitive({ kind, name, version, text, data }: Primitive): string {
  const facts = data === null ? '' : JSON.stringify(data);
  return unit(`${kind} ${inOneLine(name)} (v${version}): ${[text, facts].filter(Boolean).join('\n')}`);
}

export function lineOfStalePin({ kind, name, chunkId, answerId, changes }: StalePin): string {
  const described = changes.map(({ change, corpusId, docId, oldVersion, newVersion, replacement }) =>
    [
      ...(corpusId === null || docId === null ? [] : [documentIdOf({ corpusId, docId })]),
      `${change.replaceAll('_', ' ')}, v${oldVersion}${newVersion === null ? '' : ` to v${newVersion}`}`,
      ...(replacement ? [`same text in ${replacement.chunkId}`] : []),
    ].join(' '),
  );
  return unit(inOneLine(`${kind} ${name} rests on ${chunkId ?? `answer ${answerId}`}: ${described.join('; ')}`));
}

export const lineOfWatch = ({ watchId, targetType, targetId, note, alertCount }: OpenWatch): string =>
  unit(
    inOneLine(`${targetType} ${targetId} (watch ${watchId}, alerts: ${alertCount})${note === null ? '' : `: ${note}`}`),
  );

export function lineOfEntry({ type, subject, data, occurredAt }: JournalEntry): string {
  return unit(inOneLine(`${occurredAt.toISOString().slice(0, 19)}Z ${type} ${subject}: ${factsOf(type, data)}`));
}

/** What a reader wants to know first, by type. */
function factsOf(type: JournalEntry['type'], data: Record<string, unknown>): string {
  const parts = {
    watch_alert: [data.change, data.targetType, data.targetId, data.summary],
    proof_completed: [data.verdict, data.subjectType, data.subjectId],
    schema_adopted: [`version ${String(data.version)}`, data.note],
    primitive_changed: [data.change, `v${String(data.version)}`, data.reason],
  }[type];
  return parts.filter((part) => typeof part === 'string').join(' ');
}
