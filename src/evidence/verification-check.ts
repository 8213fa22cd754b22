/** One step of a verification. */
export interface VerificationCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What was found right, or what is wrong. */
  readonly detail: string;
}

/** @param step returns what it found right, and throws what is wrong */
export function checkBy(name: string, step: () => string): VerificationCheck {
  try {
    return { name, ok: true, detail: step() };
  } catch (error) {
    return failedCheck(name, error);
  }
}

export const failedCheck = (name: string, error: unknown): VerificationCheck => ({
  name,
  ok: false,
  detail: error instanceof Error ? error.message : String(error),
});
