/** A document by the names that it was given. */
interface NamedDocument {
  corpusId: string;
  docId: string;
}

const ESCAPED = /%(?:2f|25)/gi;

/**
 * The id of a document, `corpus/doc`, which names one alone: its first slash ends the corpus. A slash in the name of
 * the corpus is %2F, and % is %25 where the name would be read otherwise.
 */
export function documentIdOf({ corpusId, docId }: NamedDocument): string {
  const isPlain = !corpusId.includes('/') && corpusId.search(ESCAPED) < 0;
  const corpus = isPlain ? corpusId : corpusId.replaceAll('%', '%25').replaceAll('/', '%2F');
  return `${corpus}/${docId}`;
}

/** @returns undefined for what is no such id */
export function readDocumentId(id: string): NamedDocument | undefined {
  const [, corpus, docId] = /^([^/]+)\/(.+)$/s.exec(id) ?? [];
  if (corpus === undefined || docId === undefined) return undefined;
  return { corpusId: corpus.replace(ESCAPED, decodeURIComponent), docId };
}
