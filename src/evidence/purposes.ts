/** What a key signs: receipts; checkpoints of the log; manifests of exports and seals of proof packs. */
export const PURPOSES = ['receipts', 'log', 'exports'] as const;
export type Purpose = (typeof PURPOSES)[number];
