/** As much of a passage as its address bears: enough to find where it begins. */
const MOST_CHARACTERS = 200;

/** The address of a document, with the passage to mark in it. */
export function documentAddress(corpusId: string, docId: string, passage?: string): string {
  const address = `/documents/${encodeURIComponent(corpusId)}/${encodeURIComponent(docId)}`;
  return passage ? `${address}/${encodeURIComponent(passage.slice(0, MOST_CHARACTERS))}` : address;
}

/** A text in three: before a passage, the passage, after it. Undefined where the text does not have it. */
export function around(text: string, passage: string): [string, string, string] | undefined {
  const at = passage === '' ? -1 : text.indexOf(passage);
  return at < 0 ? undefined : [text.slice(0, at), passage, text.slice(at + passage.length)];
}
