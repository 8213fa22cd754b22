/** Where the console shows what a receipt is about; kinds that are shown nowhere have none. */
export function addressOf(kind: string, subject: string | undefined): string | undefined {
  if (!subject) return undefined;
  const id = encodeURIComponent(subject);
  if (kind === 'answer.recorded') return `/answers/${id}`;
  if (kind.startsWith('incident.')) return `/incidents/${id}`;
  if (kind === 'fact.batch') return '/facts';
  return undefined;
}

export const receiptAddress = (receiptId: string): string => `/receipts/${encodeURIComponent(receiptId)}`;

/** `off` and modes of development prove nothing about who acted (docs/formats/receipts.md). */
export const provesNobody = (authMode: string): boolean => authMode === 'off' || authMode.startsWith('dev');
