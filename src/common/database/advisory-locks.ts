/**
 * The keys of all advisory locks that are constants, so that no two are the same by accident. Locks of a tenant or of a
 * name are hashes of a text. A key keeps its value: processes of two releases may run on one database at a time.
 */
export const ADVISORY_LOCKS = {
  /** One process at a time migrates. */
  migration: 7_389_214_655,
  /** One process at a time extends the evidence log. */
  log: 7_389_214_656,
  /** One process at a time changes the signing keys. */
  signingKeys: 7_389_214_657,
  /** One process at a time makes the first tenant and its credentials. */
  bootstrap: 7_389_214_658,
  /** One process at a time opens or closes surveys. */
  surveyWindows: 7_389_214_660,
  /** One process at a time pins logs of peers. */
  peerLogs: 7_389_214_662,
  /** One process at a time rewrites the files of the database: for hours, where it is large. */
  scrub: 7_389_214_663,
  /** One process at a time seals segments of local ingest. */
  sealing: 0x5e_a1_19_67,
} as const;
