/** The address of a document, with the passage to mark in it by its id. */
export function documentAddress(corpusId: string, docId: string, chunkId?: string): string {
  const address = `/documents/${encodeURIComponent(corpusId)}/${encodeURIComponent(docId)}`;
  return chunkId ? `${address}/${encodeURIComponent(chunkId)}` : address;
}
