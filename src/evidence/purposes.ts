/** What a key signs: receipts; checkpoints of the log; manifests of exports and seals of proof packs. */
export const PURPOSES = ['receipts', 'log', 'exports'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Next to them requests to peers, by a key that no statement names: peers know it by itself. */
export const PEERS = 'peers';
export type SigningUse = Purpose | typeof PEERS;
