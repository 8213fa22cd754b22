import { rulesOf } from '../src/search/languages.js';
import type { ToolReply } from './journey-agent.js';
import { holds } from './journey-plan.js';

/** One result of a search: its id, and the text under it. */
interface ShownResult {
  id: string;
  text: string;
}

/** What the text of a search shows, in its order. */
export function resultsIn({ text, data }: ToolReply): ShownResult[] {
  const blocks = text.split(/\n(?=\[[^\]\s]+\] )/);
  const listed = (data['results'] ?? []) as { id: string }[];
  return listed.map(({ id }) => ({ id, text: blocks.find((block) => block.startsWith(`[${id}]`)) ?? '' }));
}

/** The place of the first result with a quoted text, from 1; 0 where none has it. */
export const rankOf = (reply: ToolReply, quote: string): number =>
  resultsIn(reply).findIndex(({ text }) => holds(text, quote)) + 1;

/** The words of a question that say what it is about: what somebody tries next who has not found it. */
export function keyWords(question: string): string {
  const { stopWords } = rulesOf('english');
  const words = question.match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
  return words.filter((word) => !stopWords.has(word.toLowerCase())).join(' ');
}
