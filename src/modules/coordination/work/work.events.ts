/** The chain of receipts of one item. */
export const workStream = (workId: string): string => `work/${workId}`;
