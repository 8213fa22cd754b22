/** Whether a client has the answer already (RFC 9110, 13.1.2). @param etag without W/ */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((text) => text.trim() === '*' || text.trim().replace(/^W\//, '') === etag);
