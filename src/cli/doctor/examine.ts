import type { Check } from '../../common/health/check.js';

/** What `svc doctor` prints of a check. */
export interface Examined {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy?: string;
}

/** What a check throws that holds, where there is something to do all the same. */
export class Advice extends Error {
  constructor(
    detail: string,
    readonly remedy: string,
  ) {
    super(detail);
  }
}

/** What a check throws that could not look at all, where something else helps than what its own remedy says. */
export class OtherRemedy extends Error {
  constructor(
    detail: string,
    readonly remedy: string,
  ) {
    super(detail);
  }
}

/** Runs one check; a failure of any kind is a finding, never an exception. */
async function examine({ name, remedy, run }: Check): Promise<Examined> {
  try {
    return { name, ok: true, detail: await run() };
  } catch (error) {
    if (error instanceof Advice) return { name, ok: true, detail: error.message, remedy: error.remedy };
    const other = error instanceof OtherRemedy ? error.remedy : remedy;
    return { name, ok: false, detail: (error as Error).message || 'fails without a message', remedy: other };
  }
}

/**
 * One after the other (together they would disturb what they measure), up to the first essential one that does not
 * hold.
 */
export async function examineAll(checks: Check[]): Promise<Examined[]> {
  const findings: Examined[] = [];
  for (const check of checks) {
    const finding = await examine(check);
    findings.push(finding);
    if (check.isEssential && !finding.ok) break;
  }
  return findings;
}
