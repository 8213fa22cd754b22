import type { ResolvedCitation } from '../../knowledge/citations/citations.types.js';

/** The name of what renderAnswer does; another way gets another name. */
export const RENDER_STRATEGY = 'stored-text-with-citations/1';
/** What is shown of a passage that is cited whole, in UTF-16 code units. */
const MAX_OF_A_PASSAGE = 240;

/**
 * The answer as text, with what it cites below, one line each. The same from the same records, always: nothing is
 * generated.
 * @param remarks what to add about each citation; empty for nothing
 */
export function renderAnswer(
  text: string | null,
  citations: readonly ResolvedCitation[],
  remarks: readonly string[] = [],
): string {
  const lines = citations.map((citation, index) => lineOf(citation, index, remarks[index] ?? ''));
  return [...(text === null ? [] : [text, '']), 'Citations', ...lines].join('\n');
}

function lineOf({ chunk, quote, note }: ResolvedCitation, index: number, remark: string): string {
  const source = [chunk.title ?? chunk.docId, `${chunk.corpusId}/${chunk.docId}`, `version ${chunk.docVersion}`];
  const words = `"${onOneLine(quote ?? shortened(chunk.content))}"`;
  const rest = [...(note === null ? [] : [onOneLine(note)]), ...(remark === '' ? [] : [remark])];
  return [`[${index + 1}] ${words} (${onOneLine(source.join(', '))})`, ...rest].join('; ');
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const shortened = (text: string): string =>
  text.length <= MAX_OF_A_PASSAGE ? text : `${text.slice(0, MAX_OF_A_PASSAGE).toWellFormed()}…`;
