/** The strongest first. */
export const FITS = ['strong', 'weak', 'none'] as const;
/** Whether what was found answers the query: probably, perhaps, or nothing that is searched does. */
export type Fit = (typeof FITS)[number];
