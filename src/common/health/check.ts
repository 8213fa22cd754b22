/**
 * One thing that must hold for svc to work. `svc doctor`, /readyz of the API and the tool service, and the nine gates
 * of the daemon are lists of these.
 */
export interface Check<Name extends string = string> {
  readonly name: Name;
  /** What to do when it does not hold, where the failure does not say so itself. */
  readonly remedy?: string;
  /** When it does not hold, the checks after it mean nothing and are left out. */
  readonly isEssential?: boolean;
  /** How long probes cache what was found, in milliseconds. */
  readonly cacheMs?: number;
  /**
   * Looks at the real system.
   * @returns what was seen
   * @throws CheckFailed saying what is wrong; any other error where it could not be found out
   */
  run(): Promise<string>;
}

/** What is wrong. Probes are public: it names no tenant and no secret. */
export class CheckFailed extends Error {
  /** @param samples some of the ids concerned */
  constructor(
    detail: string,
    readonly samples: readonly string[] = [],
  ) {
    super(detail);
  }
}

/** What came of a check. */
export interface CheckFinding {
  ok: boolean;
  /** What was seen, or what is wrong. */
  detail: string;
  samples: readonly string[];
}

/** A check by what looks for a fault. */
export const checkFor = (name: string, findFault: () => Promise<string | undefined>, cacheMs = 0): Check => ({
  name,
  cacheMs,
  run: async () => {
    const fault = await findFault();
    if (fault !== undefined) throw new CheckFailed(fault);
    return 'holds';
  },
});
