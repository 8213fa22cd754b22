/** A part of the body that is put in as a whole or not at all. */
export interface BodyItem {
  section: BodySection;
  /** What it is of: a fact, an engram. */
  id: string;
  text: string;
  tokens: number;
}

export const BODY_SECTIONS = ['who', 'procedure', 'engrams', 'facts', 'work', 'gates'] as const;
export type BodySection = (typeof BODY_SECTIONS)[number];

/** What is not in the body; without id: a whole section. */
export interface Omission {
  section: BodySection;
  id: string | null;
  tokens: number | null;
  why: string;
}

const HEADINGS: Record<BodySection, string> = {
  who: '# Session',
  procedure: '# Procedure',
  engrams: '# Engrams',
  facts: '# Recent facts',
  work: '# Open work',
  gates: '# Pending gates',
};
/** Of a heading and the lines around it. */
const HEADING_TOKENS = 6;
/** Of the lines between two items. */
const GAP_TOKENS = 1;

/** Items in their order as far as they fit: one that does not is passed over, and later ones are still tried. */
export function pick(items: readonly BodyItem[], budget: number): { taken: BodyItem[]; omitted: Omission[] } {
  const taken: BodyItem[] = [];
  const omitted: Omission[] = [];
  const begun = new Set<BodySection>();
  let left = budget;
  for (const item of items) {
    const { section, id, tokens } = item;
    const cost = tokens + GAP_TOKENS + (begun.has(section) ? 0 : HEADING_TOKENS);
    if (cost > left) {
      omitted.push({ section, id, tokens, why: `needs ${cost} tokens, and ${left} of token_budget were left` });
      continue;
    }
    left -= cost;
    begun.add(section);
    taken.push(item);
  }
  return { taken, omitted };
}

/** The same items give the same text. */
export function bodyOf(items: readonly BodyItem[]): string {
  const parts = BODY_SECTIONS.flatMap((section) => {
    const texts = items.filter((item) => item.section === section).map(({ text }) => text);
    return texts.length === 0 ? [] : [`${HEADINGS[section]}\n\n${texts.join('\n')}`];
  });
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

/** On one line: what others wrote must not look like a heading of ours. */
export const lineOf = (text: string): string => text.replace(/\s+/g, ' ').trim();
