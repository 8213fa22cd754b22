/** Longer runs are divided: the time of a piece grows with its square. */
const MAX_PIECE = 512;

/**
 * As much of a text, from its beginning, as the tokens allow; it ends between two tokens. A text of fewer bytes than
 * tokens is not looked at.
 */
export async function cutToTokens(text: string, limit: number): Promise<string> {
  if (Buffer.byteLength(text) <= limit) return text;
  const { countsOf } = await import('./text-tokens.js');
  let tokens = 0;
  let end = 0;
  for (const part of countsOf(text, MAX_PIECE)) {
    tokens += part.tokens;
    if (tokens > limit) return text.slice(0, end);
    end += part.characters;
  }
  return text;
}
