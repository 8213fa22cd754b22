/** One thing that must hold for svc to work. */
export interface Check {
  readonly name: string;
  /** What to do when it does not hold. */
  readonly remedy: string;
  /** When it does not hold, the checks after it mean nothing and are left out. */
  readonly isEssential?: boolean;
  /** @returns what was seen @throws Error saying what is wrong */
  run(): Promise<string>;
}

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy?: string;
}

/** Runs one check; a failure of any kind is a finding, never an exception. */
async function examine({ name, remedy, run }: Check): Promise<Finding> {
  try {
    return { name, ok: true, detail: await run() };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message || 'fails without a message', remedy };
  }
}

/** One after the other (together they would disturb what they measure), up to the first essential one that does not hold. */
export async function examineAll(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const finding = await examine(check);
    findings.push(finding);
    if (check.isEssential && !finding.ok) break;
  }
  return findings;
}
